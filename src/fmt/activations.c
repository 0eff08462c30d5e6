/* Tells a step's tensors from a model's weights, puts them into order and names their calls. */
#include "fmt/activations.h"

#include <stdlib.h>

#include "base/io.h"

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
            "attn_out", "logits",
        "resid_", "hook_", "last_hidden",
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_has(name, words[i]))
            return true;
    return false;
}

static bool same_head(const struct weight *a, const struct weight *b)
{
    return a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1];
}

/* How many have three axes or more and the first two of the one that most of the first fifty have in common. */
static size_t with_common_axes(const struct weights *w)
{
    const struct weight *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < w->list.n && i < 50; i++) {
        const struct weight *x = &w->list.v[i];
        size_t n = 0;
        for (size_t k = 0; k < w->list.n && k < 50 && x->ndim > 2; k++)
            n += w->list.v[k].ndim > 2 && same_head(x, &w->list.v[k]);
        if (n > most) {
            most = n;
            best = x;
        }
    }
    most = 0;
    for (size_t i = 0; i < w->list.n && best; i++)
        most += w->list.v[i].ndim > 2 && same_head(best, &w->list.v[i]);
    return most;
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
    if (tensors < 2 || 10 * parameters > tensors)
        return false;
    return 2 * named > tensors || 2 * with_common_axes(w) > tensors;
}

/* ---- their order ---- */

/* As people count, a module behind its parts: "layers.2.mlp", "layers.2", "layers.10". */
static int by_place(struct str a, struct str b)
{
    for (;;) {
        struct str x, y;
        bool more_a = str_split(a, '.', &x, &a), more_b = str_split(b, '.', &y, &b);
        unsigned long long m, n;
        int c = str_u64(x, &m) && str_u64(y, &n) ? (m > n) - (m < n) : str_cmp(x, y);
        if (c)
            return c;
        if (!more_a || !more_b)
            return (int)more_b - (int)more_a;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct weight *const *x = a, *const *y = b;
    int c = by_place((*x)->name, (*y)->name);
    return c ? c : *x < *y ? -1 : *x > *y;
}

/* ---- their names ---- */

/* "0012_", "12.": a number all names begin with, taken away. */
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

/* Splits "mlp.output.0", "mlp_output", "mlp.grad_input" behind the module; the slot is "" where the name has none. */
static enum row_io split(struct str name, struct str *call, struct str *slot)
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
    *call = name;
    *slot = STR("");
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t k = strlen(words[i].word);
        if (!str_ends(head, words[i].word) || head.n < k + 2 || !strchr("._-", head.p[head.n - k - 1]))
            continue;
        if (head.p[head.n - k - 1] == '.') {
            *call = str_n(name.p, head.n - k - 1);
            *slot = str_cut(name, head.n - k);
        }
        return words[i].io;
    }
    return IO_OUTPUT;
}

void weight_row_fill(struct dump *d, const struct weight *x, struct row *r)
{
    r->shape = dump_shape(d, x->shape, x->ndim);
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
    if (x->dtype != DTYPE_UNKNOWN && x->pieces && !x->problem)
        r->has |= HAS_FILE;
    if (x->dtype == DTYPE_UNKNOWN)
        r->text = arena_cstr(&d->arena, x->type);
}

static void add_row(struct dump *d, struct str name, const struct weight *x, struct map *runs)
{
    struct str of, slot;
    bool fresh, back = str_has(name, "grad");
    struct row r = {.shape = NONE, .extra = NONE, .kind = ROW_TENSOR, .dtype = (uint8_t)x->dtype};
    r.io = (unsigned)split(name, &of, &slot) & 7u;
    r.slot = dump_slot(d, slot);
    uint32_t call = dump_run(d, runs, of, r.slot, CALL_MODULE, back ? PHASE_BACKWARD : PHASE_FORWARD, &fresh);
    weight_row_fill(d, x, &r);
    dump_add_row(d, call, r);
}

void activations_rows(struct dump *d, const struct weights *w, uint32_t **row_of)
{
    size_t n = w->list.n;
    const struct weight **order = mem_alloc((n + 1) * sizeof *order);
    struct map runs = {0};
    bool numbered = all_numbered(w);
    *row_of = arena_alloc(&d->arena, (n + 1) * sizeof **row_of);
    for (size_t i = 0; i < n; i++)
        order[i] = &w->list.v[i];
    if (strcmp(w->format, "safetensors") == 0 && !numbered)
        qsort(order, n, sizeof *order, by_name);
    for (size_t i = 0; i < n; i++) {
        (*row_of)[i] = (uint32_t)(order[i] - w->list.v);
        add_row(d, str_cut(order[i]->name, numbered ? number_before(order[i]->name) : 0), order[i], &runs);
    }
    map_release(&runs);
    free(order);
}
