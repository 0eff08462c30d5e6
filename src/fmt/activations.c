/* Tells a step's tensors from a model's weights, puts them into order and names their calls. */
#include "fmt/activations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/msg.h"
#include "fmt/value_calls.h"
#include "fmt/value_order.h"
#include "fmt/value_overwritten.h"

/* ---- which of the two ---- */

/* What a parameter is called: the last part of its name. */
static bool parameter_name(struct str name)
{
    static const char *const leaf[] = {
        "weight", "bias", "gamma", "beta", "scale", "embedding_weight", "inv_freq", "running_mean", "running_var",
        "num_batches_tracked", "moving_mean", "moving_variance", "A_log", "dt_bias", "qweight", "qzeros", "scales",
            "g_idx",
        "weight_g", "weight_v", "weight_packed", "weight_scale", "moment1", "moment2", "exp_avg", "exp_avg_sq",
        "in_proj_weight", "in_proj_bias", "position_ids", "embedding_table", "lora_A", "lora_B", "kernel", "embedding",
    };
    ptrdiff_t dot = str_rfind(name, '.');
    struct str last = dot < 0 ? name : str_cut(name, (size_t)dot + 1);
    for (size_t i = 0; i < ARRAY_LEN(leaf); i++)
        if (str_is(last, leaf[i]) || (str_ends(last, leaf[i]) && last.n > strlen(leaf[i]) &&
                                      last.p[last.n - strlen(leaf[i]) - 1] == '_'))
            return true;
    return false;
}

/* A word of hooks and of models' own outputs. */
static bool value_name(struct str name)
{
    static const char *const words[] = {
        "activation", "hidden_state", "grad_output", "grad_input", ".output", ".input", "_output", "_input",
        "/output", "/input", "attn_out", "logits",
        "resid_", "hook_", "last_hidden",
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_has(name, words[i]))
            return true;
    return false;
}

/* Whether the axis that most tensors begin with is the batch or the tokens. Of weights the model's width is as often
 * the last axis as the first; of values with three axes or more it is never told by that. */
static bool is_of_data(const struct weights *w, int64_t first, int axes)
{
    for (size_t i = 0; i < w->list.n && axes == 2; i++)
        if (w->list.v[i].ndim == 2 && w->list.v[i].shape[1] == first)
            return false;
    return true;
}

/* How many have at least `axes` axes and the first one, the batch or the tokens, of the one that most of the first
 * fifty have in common. */
static size_t with_common_axis(const struct weights *w, int axes)
{
    const struct weight *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < w->list.n && i < 50; i++) {
        const struct weight *x = &w->list.v[i];
        size_t n = 0;
        for (size_t k = 0; k < w->list.n && k < 50 && x->ndim >= axes; k++)
            n += w->list.v[k].ndim >= axes && w->list.v[k].shape[0] == x->shape[0];
        if (n > most) {
            most = n;
            best = x;
        }
    }
    most = 0;
    for (size_t i = 0; i < w->list.n && best; i++)
        most += w->list.v[i].ndim >= axes && w->list.v[i].shape[0] == best->shape[0];
    return best && is_of_data(w, best->shape[0], axes) ? most : 0;
}

/* The results of modules whose weights have one axis. */
static size_t norms_with_two_axes(const struct weights *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->list.n; i++) {
        struct str name = w->list.v[i].name, last = str_cut(name, (size_t)(str_rfind(name, '.') + 1));
        n += w->list.v[i].ndim > 1 && (str_ihas(last, "norm") || str_starts(last, "ln_"));
    }
    return n;
}

/* How many are named like modules or their values. */
static size_t named_like_modules(const struct weights *w)
{
    static const char *const words[] = {"layer", "norm", "attn", "mlp", "embed", "lm_head", "block", "proj", "logits",
                                        "hidden"};
    size_t n = 0;
    for (size_t i = 0; i < w->list.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(words); k++)
            if (str_ihas(w->list.v[i].name, words[k])) {
                n++;
                break;
            }
    return n;
}

/* A tensor saved alone: no model has one weight. What a file of a single tensor holds, only the file's name says. */
static bool is_lone_value(const struct weights *w)
{
    struct str name = w->list.v[0].name, file = path_base(str_of(w->path));
    if (str_is(name, "tensor")) {
        ptrdiff_t dot = str_rfind(file, '.');
        name = dot > 0 ? str_n(file.p, (size_t)dot) : file;
    }
    return w->list.v[0].ndim > 0 && !parameter_name(name);
}

bool activations_probe(const struct weights *w)
{
    size_t tensors = 0, parameters = 0, named = 0;
    for (size_t i = 0; i < w->list.n; i++) {
        const struct weight *x = &w->list.v[i];
        if (x->text)
            return false; /* what a trainer writes beside weights */
        tensors++;
        parameters += parameter_name(x->name);
        named += value_name(x->name);
    }
    if (tensors == 1)
        return is_lone_value(w);
    if (tensors < 2 || 10 * parameters > tensors)
        return false;
    bool modules = 2 * named_like_modules(w) > tensors;
    return 2 * named > tensors || 2 * with_common_axis(w, 3) > tensors ||
           (modules && (2 * with_common_axis(w, 2) > tensors || norms_with_two_axes(w) > 1));
}

/* ---- their type ---- */

/* NumPy and numpy.save know no bfloat16, so values of such a run come as float32. How many elements are examined, in
 * how many stretches, and how many of them must be other than zero. */
#define STRETCHES 3
#define STRETCH 1024
#define ENOUGH 64
#define UNPACKED (16u << 20) /* bytes of a compressed member that are unpacked for it */
#define FIRST 64 /* tensors by which it is decided whether all are examined */

static bool on_grid(uint32_t bits, enum dtype type)
{
    uint32_t exponent = bits >> 23 & 255;
    if (type == DTYPE_BF16)
        return !(bits & 0xffff);
    return exponent == 255 ? !(bits & 0x1fff) : !(bits & 0x1fff) && exponent >= 113 && exponent <= 142;
}

static bool weight_is_examinable(const struct weights *w, const struct weight *x)
{
    return !x->problem && x->pieces == 1 && !(w->pieces.v[x->piece].member && w->pieces.v[x->piece].size > UNPACKED);
}

/* Where the i-th of STRETCHES stretches of a tensor begins; of a short tensor all are the same. */
static uint64_t stretch_from(const struct tensor *t, uint64_t i)
{
    return t->numel > STRETCH ? (t->numel - STRETCH) / (STRETCHES - 1) * i : 0;
}

/* The 16-bit type whose numbers a tensor of float32 holds; float32 where it holds others, DTYPE_UNKNOWN where it cannot
 * be told. */
static enum dtype held_type(const struct weights *w, const struct weight *x)
{
    static const enum dtype narrow[] = {DTYPE_BF16, DTYPE_F16};
    uint32_t v[STRETCH];
    struct tensor t;
    struct tensor_walk walk;
    struct err quiet;
    bool fits[2] = {true, true};
    size_t nonzero = 0;
    if (!weight_is_examinable(w, x) || weights_sample(w, (uint32_t)(x - w->list.v), &t, &quiet))
        return DTYPE_UNKNOWN;
    tensor_walk_init(&walk, &t);
    for (uint64_t i = 0; i < STRETCHES; i++) {
        tensor_walk_seek(&walk, stretch_from(&t, i));
        long n = tensor_walk_next(&walk, v, STRETCH, &quiet);
        for (long k = 0; k < n; k++) {
            nonzero += (v[k] & 0x7fffffff) != 0;
            for (int type = 0; type < 2 && (v[k] & 0x7fffffff); type++)
                fits[type] = fits[type] && on_grid(v[k], narrow[type]);
        }
    }
    tensor_walk_release(&walk);
    tensor_close(&t);
    return nonzero < ENOUGH ? DTYPE_UNKNOWN : fits[0] ? DTYPE_BF16 : fits[1] ? DTYPE_F16 : DTYPE_F32;
}

/* ---- states that are sums ---- */

/* Under autocast a model's hidden states are float32, but what each layer adds to them comes from 16-bit products: the
 * difference of two states is a sum of a few 16-bit numbers, whose last bits are zero. How many binary digits it may
 * have, how many elements must be examined, and how many of them must be so short. */
#define ADDED_BF16 11
#define ADDED_F16 14
#define SHORT 0.6
#define ROUNDINGS 1.5 /* of the two additions, in units of the states' last place */
#define CHANCE 0.125  /* an element by which chance alone is more likely to be short says nothing */
#define SUMS_LEAST 3  /* such differences one after the other; of one layer it may be a fault */

struct added {
    size_t n, is_short;
};

static void added_take(struct added *x, float before, float after, int digits)
{
    double d = (double)after - (double)before, most = fmax(fabs((double)before), fabs((double)after));
    int exponent, of_state;
    if (!isfinite(most) || !(fabs(d) > 0))
        return;
    frexp(d, &exponent);
    frexp(most, &of_state);
    double grid = ldexp(1, exponent - 1 - digits), error = ROUNDINGS * ldexp(1, of_state - 24);
    if (2 * error > CHANCE * grid)
        return;
    x->n++;
    x->is_short += fabs(d - grid * nearbyint(d / grid)) <= error;
}

static bool is_added(const struct added *x)
{
    return x->n >= ENOUGH && (double)x->is_short >= SHORT * (double)x->n;
}

/* The 16-bit type of what was added between two states; float32 where it was added in full, DTYPE_UNKNOWN where it
 * cannot be told. */
static enum dtype added_type(const struct weights *w, const struct weight *before, const struct weight *after)
{
    const struct weight *x[2] = {before, after};
    struct added brain = {0}, half = {0};
    float v[2][STRETCH];
    struct tensor t[2];
    struct tensor_walk walk[2];
    struct err quiet;
    for (int k = 0; k < 2; k++)
        if (!weight_is_examinable(w, x[k]) || weights_sample(w, (uint32_t)(x[k] - w->list.v), &t[k], &quiet)) {
            if (k)
                tensor_close(&t[0]);
            return DTYPE_UNKNOWN;
        }
    for (int k = 0; k < 2; k++)
        tensor_walk_init(&walk[k], &t[k]);
    for (uint64_t i = 0; i < STRETCHES; i++) {
        long n[2];
        for (int k = 0; k < 2; k++) {
            tensor_walk_seek(&walk[k], stretch_from(&t[k], i));
            n[k] = tensor_walk_next(&walk[k], v[k], STRETCH, &quiet);
        }
        for (long k = 0; k < n[0] && k < n[1]; k++) {
            added_take(&brain, v[0][k], v[1][k], ADDED_BF16);
            added_take(&half, v[0][k], v[1][k], ADDED_F16);
        }
    }
    for (int k = 0; k < 2; k++) {
        tensor_walk_release(&walk[k]);
        tensor_close(&t[k]);
    }
    return is_added(&brain) ? DTYPE_BF16 : is_added(&half) ? DTYPE_F16 : brain.n >= ENOUGH ? DTYPE_F32 : DTYPE_UNKNOWN;
}

static bool weight_follows(const struct weight *before, const struct weight *after)
{
    return before->dtype == DTYPE_F32 && after->dtype == DTYPE_F32 && before->ndim == after->ndim && after->ndim > 1 &&
           memcmp(before->shape, after->shape, (size_t)after->ndim * sizeof *after->shape) == 0;
}

/* Gives states the type of what the layers added, where several in a row are such sums. */
static void type_sums(const struct weights *w, uint8_t *type)
{
    enum dtype most = DTYPE_F32;
    size_t from = 0, sums = 0, told = 0, all = 0;
    for (size_t i = 1; i <= w->list.n && (all || told < FIRST); i++) {
        bool next = i < w->list.n && weight_follows(&w->list.v[i - 1], &w->list.v[i]);
        enum dtype found = next ? added_type(w, &w->list.v[i - 1], &w->list.v[i]) : DTYPE_F32;
        told += next && found != DTYPE_UNKNOWN;
        if (found != DTYPE_F32) {
            sums += found != DTYPE_UNKNOWN;
            most = found == DTYPE_UNKNOWN || most == DTYPE_BF16 ? most : found;
            continue;
        }
        for (; from < i && sums >= SUMS_LEAST; from++)
            type[from] = (uint8_t)most;
        all += sums;
        from = i;
        sums = 0;
        most = DTYPE_F32;
    }
}

uint8_t *activations_types(const struct weights *w)
{
    size_t told = 0, rounded[DTYPE_COUNT] = {0}, n = w->list.n;
    uint8_t *type = mem_zalloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct weight *x = &w->list.v[i];
        if (x->dtype != DTYPE_F32 || (told >= FIRST && 4 * (rounded[DTYPE_BF16] + rounded[DTYPE_F16]) < told))
            continue;
        type[i] = (uint8_t)held_type(w, x);
        told += type[i] != DTYPE_UNKNOWN;
        rounded[type[i]]++;
    }
    enum dtype most = rounded[DTYPE_BF16] >= rounded[DTYPE_F16] ? DTYPE_BF16 : DTYPE_F16;
    /* nearly all: the run computed in it. A quarter: mixed precision, each with the type it has; fewer may be a part
     * that was rounded and should not have been */
    bool some = told && 4 * rounded[most] >= told;
    for (size_t i = 0; i < n; i++)
        if (!some || type[i] != most)
            type[i] = (uint8_t)w->list.v[i].dtype;
    type_sums(w, type);
    return type;
}

/* ---- their names ---- */

/* "0012_", "12.": a number all names begin with, removed. */
static size_t number_before(struct str name)
{
    size_t n = 0;
    while (n < name.n && name.p[n] >= '0' && name.p[n] <= '9')
        n++;
    return n && n + 1 < name.n && (name.p[n] == '_' || name.p[n] == '-') ? n + 1 : 0;
}

static bool all_numbered(const struct weights *w)
{
    for (size_t i = 0; i < w->list.n; i++)
        if (!number_before(w->list.v[i].name))
            return false;
    return w->list.n > 0;
}

/* Splits "mlp.output.0", "mlp/output0", "mlp_output", "mlp.grad_input" after the module; the slot is "" where the name
 * has none. */
static enum row_io split_activation_name(struct str name, struct str *call, struct str *slot)
{
    static const struct {
        const char *word;
        enum row_io io;
    } words[] = {
        {"grad_output", IO_OUTPUT}, {"grad_input", IO_OUTPUT}, {"outputs", IO_OUTPUT}, {"output", IO_OUTPUT},
        {"inputs", IO_INPUT},       {"input", IO_INPUT},
    };
    struct str head = name;
    ptrdiff_t dot = str_rfind(head, '.');
    unsigned long long n;
    if (dot > 0 && str_u64(str_cut(head, (size_t)dot + 1), &n))
        head = str_n(head.p, (size_t)dot);
    if (str_rfind(head, '/') > 0)
        while (head.n && head.p[head.n - 1] >= '0' && head.p[head.n - 1] <= '9')
            head.n--;
    *call = name;
    *slot = STR("");
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t k = strlen(words[i].word);
        if (!str_ends(head, words[i].word) || head.n < k + 2 || !strchr("./_-", head.p[head.n - k - 1]))
            continue;
        if (strchr("./", head.p[head.n - k - 1])) {
            *call = str_n(name.p, head.n - k - 1);
            *slot = str_cut(name, head.n - k);
        }
        return words[i].io;
    }
    return IO_OUTPUT;
}

void weight_row_fill(struct dump *d, const struct weight *x, struct row *r)
{
    if (x->problem) /* what its header says is not known: no shape of one element */
        r->has |= IS_UNPARSED;
    else
        r->shape = dump_shape(d, x->shape, x->ndim);
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
    if (x->dtype != DTYPE_UNKNOWN && x->pieces && !x->problem)
        r->has |= HAS_FILE;
    if (x->dtype == DTYPE_UNKNOWN)
        r->text = arena_cstr(&d->arena, x->type);
}

static void activations_add_row(struct dump *d, struct str name, const struct weight *x, uint8_t type, struct map *runs)
{
    struct str of, slot;
    bool fresh, back = str_has(name, "grad");
    struct row r = {.shape = NONE, .extra = NONE, .kind = ROW_TENSOR, .dtype = type};
    r.io = (unsigned)split_activation_name(name, &of, &slot) & 7u;
    r.slot = dump_slot(d, slot);
    uint32_t call = dump_run(d, runs, of, r.slot, CALL_MODULE, back ? PHASE_BACKWARD : PHASE_FORWARD, &fresh);
    weight_row_fill(d, x, &r);
    dump_add_row(d, call, r);
}

void activations_rows(struct dump *d, const struct weights *w, const uint8_t *type, uint32_t **row_of)
{
    size_t n = w->list.n;
    const struct weight **order = mem_alloc((n + 1) * sizeof *order);
    struct map runs = {0};
    bool numbered = all_numbered(w);
    *row_of = arena_alloc(&d->arena, (n + 1) * sizeof **row_of);
    size_t held[DTYPE_COUNT] = {0};
    for (size_t i = 0; i < n; i++) {
        order[i] = &w->list.v[i];
        held[type[i]] += type[i] != w->list.v[i].dtype;
    }
    for (int k = 0; k < DTYPE_COUNT; k++)
        if (held[k])
            dump_warn(d, arena_fmt(&d->arena, _("%zu float32 tensors count as %s: their values are of that type, or "
                                                "what each layer adds is (autocast)"), held[k], dtype_table[k].name));
    enum value_order by = value_order_sort(w, numbered, order, n);
    if (by == ORDER_USUAL)
        dump_warn(d, _("the computation order of these tensors was not recorded: the rows are in the usual order of "
                       "such names; a list of names in order.txt in the same folder sets the actual order"));
    if (by != ORDER_LISTED && !numbered)
        value_overwritten_move(w, order, n);
    for (size_t i = 0; i < n; i++) {
        (*row_of)[i] = (uint32_t)(order[i] - w->list.v);
        activations_add_row(d, str_cut(order[i]->name, numbered ? number_before(order[i]->name) : 0), order[i],
                            type[(*row_of)[i]], &runs);
    }
    value_calls_name(d);
    map_release(&runs);
    free(order);
}
