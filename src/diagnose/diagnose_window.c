/* Products and windows recomputed: padding, stride, kind of pooling; rounded operands. */
#include <math.h>

#include "base/msg.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "diagnose/window_fit.h"
#include "dump/family.h"
#include "pair/align_item.h"

#define EXACT_PRODUCT 3e-5 /* relative error of float32 sums in another order */

struct window_side {
    struct element_sample x, y, w, bias;
    struct window_data d;
    struct window_fit fit;
    bool pooling;
};

static void window_release(struct window_side *a)
{
    element_sample_release(&a->x);
    element_sample_release(&a->y);
    element_sample_release(&a->w);
    element_sample_release(&a->bias);
}

static bool is_pooling(const struct dump *d, uint32_t call)
{
    return str_ihas(align_item_operator(d, call), "pool");
}

static bool is_convolution(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].family == FAMILY_CONV || str_ihas(align_item_operator(d, call), "conv");
}

static bool is_product(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].family == FAMILY_LINEAR || is_convolution(d, call);
}

/* The rows of a product or pooling: its call, and for a separately added bias the sum and the bias. */
struct window_rows {
    uint32_t call, input, output, bias; /* NONE: no call; no separately added bias */
};

/* The call's input before a separate padding call. */
static uint32_t before_padding(const struct dump *d, const struct dataflow *f, uint32_t input)
{
    uint32_t made = input == NONE ? NONE : value_output(d, f, input);
    bool padded = made != NONE && str_ieq(align_item_operator(d, d->rows.v[made].call), STR("pad"));
    uint32_t before = padded ? call_input(d, d->rows.v[made].call, 0) : NONE;
    return before != NONE && dump_row_numel(d, before) < dump_row_numel(d, input) ? before : input;
}

/* The output of a product to which a call adds a bias; NONE. */
static uint32_t product_below(const struct dump *d, const struct dataflow *f, uint32_t sum)
{
    uint32_t call = d->rows.v[sum].call, term = call_input(d, call, 0), bias = call_input(d, call, 1);
    const struct shape *s = bias == NONE ? NULL : dump_row_shape(d, bias);
    uint32_t made = d->calls.v[call].family == FAMILY_ADD && s && s->ndim == 1 ? value_output(d, f, term) : NONE;
    bool product = made != NONE && is_product(d, d->rows.v[made].call);
    return product && dump_row_numel(d, made) == dump_row_numel(d, sum) ? made : NONE;
}

/* The nearest earlier product or pooling that gives the row's value, with its bias. */
static struct window_rows find_window(const struct diagnosis_case *p, int side)
{
    const struct dump *d = p->side[side];
    const struct dataflow *f = &p->flow[side];
    struct window_rows w = {NONE, NONE, NONE, NONE};
    uint32_t row = value_output(d, f, p->row[side]);
    for (int i = 0; row != NONE && i < MAKERS_MOST && w.call == NONE; i++, row = value_output_before(d, f, row)) {
        uint32_t call = d->rows.v[row].call, below = product_below(d, f, row);
        w.output = row;
        w.bias = below == NONE ? NONE : call_input(d, call, 1);
        if (below != NONE || is_pooling(d, call) || is_product(d, call))
            w.call = below == NONE ? call : d->rows.v[below].call;
    }
    if (w.call != NONE)
        w.input =
            before_padding(d, f, call_input(d, w.call, str_ihas(align_item_operator(d, w.call), "addmm") ? 1 : 0));
    return w;
}

/* Sizes after the second axis; a single axis becomes the last of two. */
static void places_of(const struct element_sample *s, int64_t out[2])
{
    out[0] = s->ndim == 4 ? s->shape[2] : 1;
    out[1] = s->ndim == 4 ? s->shape[3] : s->shape[2];
}

/* A linear layer: rows along the last axis are samples. torch's addmm has its bias first, and the weight transposed. */
static bool lay_linear(struct window_side *a)
{
    struct window_data *d = &a->d;
    int64_t k = a->x.ndim ? a->x.shape[a->x.ndim - 1] : 0, n = a->y.ndim ? a->y.shape[a->y.ndim - 1] : 0;
    if (a->w.ndim != 2 || !k || !n || (int64_t)a->w.n != k * n || (int64_t)a->x.n / k != (int64_t)a->y.n / n)
        return false;
    d->samples = (int64_t)a->x.n / k;
    d->channels = d->per_group = k;
    d->filters = n;
    d->transposed = a->w.shape[0] == k && k != n;
    d->in[0] = d->in[1] = d->out[0] = d->out[1] = d->size[0] = d->size[1] = 1;
    return d->transposed || a->w.shape[0] == n;
}

static bool lay_windows(struct window_side *a)
{
    struct window_data *d = &a->d;
    if (a->x.ndim < 3 || a->x.ndim > 4 || a->y.ndim != a->x.ndim || a->x.shape[0] != a->y.shape[0])
        return false;
    d->samples = a->x.shape[0];
    d->channels = a->x.shape[1];
    d->filters = a->y.shape[1];
    places_of(&a->x, d->in);
    places_of(&a->y, d->out);
    if (a->pooling) {
        d->per_group = 1;
        return d->channels == d->filters;
    }
    if (a->w.ndim != a->x.ndim || a->w.shape[0] != d->filters)
        return false;
    d->per_group = a->w.shape[1];
    places_of(&a->w, d->size);
    return d->per_group > 0 && d->channels % d->per_group == 0 && d->filters % (d->channels / d->per_group) == 0;
}

static bool all_finite(const struct element_sample *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!isfinite(s->v[0][i]))
            return false;
    return true;
}

static bool read_window(struct window_side *a, const struct dump *d, const struct window_rows *w)
{
    uint32_t call = w->call, weight = call_tensor(d, call, "weight"), bias = call_tensor(d, call, "bias");
    bool addmm = str_ihas(align_item_operator(d, call), "addmm");
    memset(a, 0, sizeof *a);
    a->pooling = is_pooling(d, call);
    if (weight == NONE && !a->pooling) {
        weight = call_input(d, call, addmm ? 2 : 1);
        bias = call_input(d, call, addmm ? 0 : 2);
    }
    bias = w->bias == NONE ? bias : w->bias;
    if (!tensor_values(d, w->input, &a->x) || !tensor_values(d, w->output, &a->y) ||
        (!a->pooling && !tensor_values(d, weight, &a->w)) || !all_finite(&a->x) || !all_finite(&a->y))
        return false;
    /* products of matrices for each head have operands with as many axes as a convolution's */
    if (!(a->pooling || is_convolution(d, call) ? lay_windows(a) : lay_linear(a)))
        return false;
    if (a->d.transposed == false && addmm && a->w.shape[0] == a->w.shape[1])
        a->d.transposed = true;
    a->d.x = a->x.v[0];
    a->d.y = a->y.v[0];
    a->d.w = a->w.v[0];
    if (!a->pooling && bias != NONE && tensor_values(d, bias, &a->bias) && (int64_t)a->bias.n == a->d.filters)
        a->d.bias = a->bias.v[0];
    return true;
}

static double most_left(const struct window_side *a, const struct diagnosis_case *p)
{
    double rel = p->f && isfinite(p->f->rel_l2) ? p->f->rel_l2 : 1;
    return fmin(0.1 * rel, fmax(EXACT_PRODUCT, dtype_table[dtype_coarser(a->x.dtype[0], a->y.dtype[0])].epsilon));
}

static void way_text(const struct window_fit *f, struct buf *out)
{
    static const char *const kinds[] = {[WINDOW_MAX] = N_("maximum pooling"),
                                        [WINDOW_AVERAGE] = N_("average pooling that excludes the padding"),
                                        [WINDOW_AVERAGE_PADDED] = N_("average pooling that includes the padding")};
    if (f->kind != WINDOW_PRODUCT)
        buf_fmt(out, _("%s of %lld × %lld, "), _(kinds[f->kind]), (long long)f->size[0], (long long)f->size[1]);
    buf_fmt(out, _("stride %lld × %lld, leading padding %lld × %lld"), (long long)f->stride[0],
            (long long)f->stride[1], (long long)f->before[0], (long long)f->before[1]);
    if (f->kind == WINDOW_PRODUCT)
        buf_fmt(out, _(", padded with %s"), window_padding_name(f->padding));
    if (f->dilation > 1)
        buf_fmt(out, _(", dilation %lld"), (long long)f->dilation);
}

static bool same_way(const struct window_fit *a, const struct window_fit *b)
{
    return a->kind == b->kind && a->padding == b->padding && a->dilation == b->dilation &&
           memcmp(a->size, b->size, sizeof a->size) == 0 && memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           memcmp(a->before, b->before, sizeof a->before) == 0;
}

static void say_way(struct diagnosis_case *p, const struct window_side a[2])
{
    struct buf way[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        way_text(&a[s].fit, &way[s]);
    case_found(p, DIAGNOSIS_ARGUMENT, BOTH_SIDES, 0.99,
               _("recomputed from input and weight: %s on the target; %s on the golden side"), way[TARGET].p,
               way[GOLDEN].p);
    buf_release(&way[0]);
    buf_release(&way[1]);
}

static void say_rounded(struct diagnosis_case *p, const struct window_side a[2])
{
    int side = a[TARGET].fit.grain ? TARGET : GOLDEN;
    enum window_grain g = a[side].fit.grain;
    bool input = g == GRAIN_BF16_INPUT || g == GRAIN_F16_INPUT;
    if (a[!side].fit.grain)
        return;
    case_found(
        p, DIAGNOSIS_ROUNDED, side, 0.98,
        input
            ? _("recomputed: the output of the %s results from its input rounded to %s; that of the other side does "
                "not")
            : _("recomputed: the output of the %s results from its input and weight rounded to %s; that of the other "
                "side does not"),
        diagnosis_side_word(side), window_grain_name(g));
}

static void compare_windows(struct diagnosis_case *p, struct window_side a[2])
{
    struct window_fit f = a[GOLDEN].fit;
    f.grain = a[TARGET].fit.grain;
    window_refit(&a[TARGET].d, &f);
    double most = most_left(&a[TARGET], p);
    if (!same_way(&a[TARGET].fit, &a[GOLDEN].fit) && f.left2 > most * most * f.own2)
        say_way(p, a);
    else if (a[TARGET].fit.grain != a[GOLDEN].fit.grain)
        say_rounded(p, a);
}

void detect_window(struct diagnosis_case *p)
{
    const struct window_rows w[2] = {find_window(p, TARGET), find_window(p, GOLDEN)};
    struct window_side a[2];
    bool good = w[0].call != NONE && w[1].call != NONE && p->side[TARGET]->calls.v[p->call].phase == PHASE_FORWARD;
    if (!good)
        return;
    memset(a, 0, sizeof a);
    for (int s = 0; s < 2 && good; s++)
        good = read_window(&a[s], p->side[s], &w[s]) &&
               window_fit(&a[s].d, a[s].pooling, most_left(&a[s], p), &a[s].fit);
    if (good)
        compare_windows(p, a);
    window_release(&a[0]);
    window_release(&a[1]);
}
