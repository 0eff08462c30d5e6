/* Convolutions and transposed convolutions of one to three axes, with their gradients, as products over the unfolded
 * input. */
#include <string.h>

#include "base/mem.h"
#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/product_tile.h"
#include "oracle/windows.h"

enum { SPACE = WINDOW_AXES };

/* A convolution maps `big` (samples × groups · wide channels × big places) to `small` (groups · slim channels × small
 * places); its weight is (groups · slim) × wide × kernel. A transposed convolution maps small to big. */
struct geometry {
    int axes;
    int64_t samples, groups, wide, slim;
    int64_t big[SPACE], small[SPACE], kernel[SPACE], stride[SPACE], before[SPACE], dilation[SPACE];
    int64_t big_places, small_places, taps; /* products of the sizes above */
    enum margin margin;
    const double *from; /* the tensor to unfold */
};

static int64_t product_of(const int64_t *n, int axes)
{
    int64_t product = 1;
    for (int i = 0; i < axes; i++)
        product *= n[i];
    return product;
}

/* ---- the element of one side that a kernel tap connects with a place of the other; -1: none ---- */

static int64_t big_place(const struct geometry *g, const int64_t *small, const int64_t *tap)
{
    int64_t place = 0;
    for (int i = 0; i < g->axes; i++) {
        int64_t at =
            margin_source(small[i] * g->stride[i] + tap[i] * g->dilation[i] - g->before[i], g->big[i], g->margin);
        if (at < 0)
            return -1;
        place = place * g->big[i] + at;
    }
    return place;
}

static int64_t small_place(const struct geometry *g, const int64_t *big, const int64_t *tap)
{
    int64_t place = 0;
    for (int i = 0; i < g->axes; i++) {
        int64_t at = big[i] + g->before[i] - tap[i] * g->dilation[i];
        if (at < 0 || at % g->stride[i] != 0 || at / g->stride[i] >= g->small[i])
            return -1;
        place = place * g->small[i] + at / g->stride[i];
    }
    return place;
}

/* ---- rows of the unfolded input ---- */

/* Gathers channels one after the other, each with all taps, at the given places; 0 for place -1. */
static void gather_taps(const double *from, int64_t channels, int64_t run, int64_t taps, const int64_t *place,
                        double *out)
{
    for (int64_t channel = 0; channel < channels; channel++)
        for (int64_t tap = 0; tap < taps; tap++)
            out[channel * taps + tap] = place[tap] < 0 ? 0 : from[channel * run + place[tap]];
}

enum { TAPS_MOST = 4096 };

typedef int64_t place_of(const struct geometry *g, const int64_t *at, const int64_t *tap);

/* For a place of the side with `shape`: the place of the other side for each tap. */
static void tap_places(const struct geometry *g, const int64_t *shape, int64_t row, place_of *other, int64_t *place)
{
    int64_t at[SPACE], tap[SPACE];
    window_digits(row, shape, g->axes, at);
    for (int64_t t = 0; t < g->taps; t++) {
        window_digits(t, g->kernel, g->axes, tap);
        place[t] = other(g, at, tap);
    }
}

/* Unfolds what a place of the small side reads from the big side. */
static void unfold_big(const struct product *p, int64_t batch, int64_t row, double *out)
{
    const struct geometry *g = p->ctx;
    int64_t place[TAPS_MOST];
    tap_places(g, g->small, row, big_place, place);
    gather_taps(g->from + batch * g->wide * g->big_places, g->wide, g->big_places, g->taps, place, out);
}

/* Unfolds what reaches a place of the big side from the small side. */
static void unfold_small(const struct product *p, int64_t batch, int64_t row, double *out)
{
    const struct geometry *g = p->ctx;
    int64_t place[TAPS_MOST];
    tap_places(g, g->big, row, small_place, place);
    gather_taps(g->from + batch * g->slim * g->small_places, g->slim, g->small_places, g->taps, place, out);
}

/* Unfolds, for a channel and tap of the weight, the elements of the big side it meets, over all samples and small
 * places. */
static void unfold_tap(const struct product *p, int64_t batch, int64_t row, double *out)
{
    const struct geometry *g = p->ctx;
    int64_t tap[SPACE], small[SPACE];
    window_digits(row % g->taps, g->kernel, g->axes, tap);
    for (int64_t s = 0; s < g->small_places; s++) {
        window_digits(s, g->small, g->axes, small);
        int64_t place = big_place(g, small, tap);
        for (int64_t n = 0; n < g->samples; n++) {
            int64_t channel = (n * g->groups + batch) * g->wide + row / g->taps;
            out[n * g->small_places + s] = place < 0 ? 0 : g->from[channel * g->big_places + place];
        }
    }
}

/* ---- the three products ---- */

static int64_t *steps_of(struct call_values *c, int64_t n, int64_t every, int64_t step)
{
    int64_t *at = arena_alloc(c->arena, (size_t)(n + 1) * sizeof *at);
    for (int64_t i = 0; i < n; i++)
        at[i] = i % every * step;
    return at;
}

static struct product *product_over(struct call_values *c, const struct geometry *g, const double *from)
{
    struct product *p = product_new(c);
    struct geometry *kept = arena_alloc(c->arena, sizeof *kept);
    *kept = *g;
    kept->from = from;
    p->ctx = kept;
    return p;
}

static struct product *to_small(struct call_values *c, int output, const struct geometry *g, const double *big,
                                const double *weight, const char *formula)
{
    struct product *p = product_over(c, g, big);
    int64_t batches = g->samples * g->groups;
    p->batches = batches;
    p->rows = g->small_places;
    p->columns = g->slim;
    p->terms = g->wide * g->taps;
    p->unfold = unfold_big;
    p->b = (struct matrix){
        .v = weight, .at = steps_of(c, batches, g->groups, g->slim * p->terms), .row_step = 1, .column_step = p->terms};
    p->y = (struct matrix){
        .at = steps_of(c, batches, batches, g->slim * g->small_places), .row_step = 1, .column_step = g->small_places};
    candidate_add(c, output, "%s", formula)->product = p;
    return p;
}

/* The weight with taps before wide channels: slim × taps × wide, group by group. */
static const double *taps_first(struct call_values *c, const struct geometry *g, const double *weight)
{
    int64_t slim = g->groups * g->slim;
    double *out = real_array(c, slim * g->wide * g->taps);
    for (int64_t s = 0; s < slim; s++)
        for (int64_t w = 0; w < g->wide; w++)
            for (int64_t t = 0; t < g->taps; t++)
                out[(s * g->taps + t) * g->wide + w] = weight[(s * g->wide + w) * g->taps + t];
    return out;
}

static struct product *to_big(struct call_values *c, int output, const struct geometry *g, const double *small,
                              const double *weight, const char *formula)
{
    struct product *p = product_over(c, g, small);
    int64_t batches = g->samples * g->groups;
    p->batches = batches;
    p->rows = g->big_places;
    p->columns = g->wide;
    p->terms = g->slim * g->taps;
    p->unfold = unfold_small;
    p->b = (struct matrix){.v = taps_first(c, g, weight),
                           .at = steps_of(c, batches, g->groups, p->terms * g->wide),
                           .row_step = g->wide,
                           .column_step = 1};
    p->y = (struct matrix){
        .at = steps_of(c, batches, batches, g->wide * g->big_places), .row_step = 1, .column_step = g->big_places};
    candidate_add(c, output, "%s", formula)->product = p;
    return p;
}

/* The small side with channels before samples. */
static const double *channels_first(struct call_values *c, const struct geometry *g, const double *small)
{
    int64_t channels = g->groups * g->slim;
    double *out = real_array(c, g->samples * channels * g->small_places);
    for (int64_t n = 0; n < g->samples; n++)
        for (int64_t k = 0; k < channels; k++)
            memcpy(out + (k * g->samples + n) * g->small_places, small + (n * channels + k) * g->small_places,
                   (size_t)g->small_places * sizeof *out);
    return out;
}

static void to_weight(struct call_values *c, const struct geometry *g, const double *big, const double *small,
                      const char *formula)
{
    struct product *p = product_over(c, g, big);
    int64_t taps = g->wide * g->taps;
    if (real_is_too_large(c, (double)g->samples * (double)g->small_places * TILE_COLUMNS))
        return;
    p->batches = g->groups;
    p->rows = taps;
    p->columns = g->slim;
    p->terms = g->samples * g->small_places;
    p->unfold = unfold_tap;
    p->b = (struct matrix){.v = channels_first(c, g, small),
                           .at = steps_of(c, g->groups, g->groups, g->slim * p->terms),
                           .row_step = 1,
                           .column_step = p->terms};
    p->y = (struct matrix){.at = steps_of(c, g->groups, g->groups, g->slim * taps), .row_step = 1, .column_step = taps};
    candidate_add(c, ANY_OUTPUT, "%s", formula)->product = p;
}

/* Adds a bias of the channels, `channels` per group. */
static void add_bias(struct call_values *c, struct product *p, const struct geometry *g, const struct real_tensor *bias,
                     int64_t channels)
{
    p->added = true;
    p->addend_factor = 1;
    p->addend = (struct matrix){.v = bias->v, .at = steps_of(c, p->batches, g->groups, channels), .column_step = 1};
}

/* The incoming gradient summed over samples and places. */
static void bias_gradient(struct call_values *c, const struct real_tensor *g, const struct real_tensor *bias,
                          int64_t run)
{
    int64_t *place = arena_alloc(c->arena, (size_t)(g->count + 1) * sizeof *place);
    for (int64_t i = 0; i < g->count; i++)
        place[i] = i / run % bias->count;
    gradient_scattered(c, g, place, bias, "sum of g");
}

/* ---- geometry from arguments ---- */

/* Sizes of channels and places; the input has `axes` spatial axes after samples (may be missing) and channels. */
static bool sizes_of(struct geometry *g, const struct real_tensor *in, const struct real_tensor *w,
                     const struct real_tensor *out, bool transposed)
{
    g->axes = w->axes - 2;
    if (g->axes < 1 || g->axes > SPACE || in->axes < g->axes + 1 || in->axes > g->axes + 2 || out->axes != in->axes ||
        !w->count)
        return false;
    const struct real_tensor *big = transposed ? out : in, *small = transposed ? in : out;
    int at = in->axes - g->axes;
    if (at == 2 && in->shape[0] != out->shape[0])
        return false;
    g->samples = at == 2 ? in->shape[0] : 1;
    g->wide = w->shape[1];
    g->groups = big->shape[at - 1] / g->wide;
    g->slim = g->groups ? w->shape[0] / g->groups : 0;
    memcpy(g->big, big->shape + at, (size_t)g->axes * sizeof *g->big);
    memcpy(g->small, small->shape + at, (size_t)g->axes * sizeof *g->small);
    memcpy(g->kernel, w->shape + 2, (size_t)g->axes * sizeof *g->kernel);
    g->big_places = product_of(g->big, g->axes);
    g->small_places = product_of(g->small, g->axes);
    g->taps = product_of(g->kernel, g->axes);
    return g->groups && g->slim && g->big_places && g->small_places && g->taps <= TAPS_MOST &&
           g->groups * g->wide == big->shape[at - 1] && g->groups * g->slim == small->shape[at - 1] &&
           g->groups * g->slim == w->shape[0];
}

/* The padding before an axis for "same". */
static int64_t same_before(const struct geometry *g, int i)
{
    int64_t all = (g->small[i] - 1) * g->stride[i] + g->dilation[i] * (g->kernel[i] - 1) + 1 - g->big[i];
    return all > 0 ? all / 2 : 0;
}

/* Whether the small side has the expected size (padding behind may differ from `before`, so only a minimum is
 * checked). */
static bool places_fit(const struct geometry *g)
{
    for (int i = 0; i < g->axes; i++) {
        int64_t last = (g->small[i] - 1) * g->stride[i] - g->before[i] + g->dilation[i] * (g->kernel[i] - 1);
        if (g->stride[i] < 1 || g->dilation[i] < 1 || g->before[i] < 0 ||
            last >= g->big[i] + g->before[i] + g->dilation[i] * g->kernel[i])
            return false;
    }
    return true;
}

struct convolution {
    const struct real_tensor *x, *w, *b;
    struct geometry g;
};

static const struct real_tensor *result_of(const struct call_values *c)
{
    return c->results ? &c->result[0] : NULL;
}

static bool padding_of(struct call_values *c, struct convolution *v)
{
    const char *text = call_text(c, 4, "padding");
    for (int i = 0; text && i < v->g.axes; i++)
        v->g.before[i] = strcmp(text, "same") == 0 ? same_before(&v->g, i) : 0;
    return text || window_numbers(c, 4, "padding", v->g.axes, window_zeros, v->g.before);
}

static bool arguments_of(struct call_values *c, struct convolution *v, bool transposed)
{
    v->x = call_tensor_at(c, 0, "input x");
    v->w = call_tensor_at(c, 1, "weight");
    v->b = call_tensor_at(c, 2, "bias");
    const struct real_tensor *out = result_of(c);
    if (!v->x || !v->w || !out)
        call_unknown(c, UNKNOWN_ARGUMENT);
    else if (!sizes_of(&v->g, v->x, v->w, out, transposed))
        call_unknown(c, UNKNOWN_SHAPE);
    return !c->unknown;
}

/* ---- unrecorded geometry ---- */

static double one_element(const struct geometry *g, const double *big, const double *weight, int64_t at)
{
    int64_t small[SPACE], tap[SPACE], channel = at / g->small_places % (g->groups * g->slim),
                                      sample = at / g->small_places / (g->groups * g->slim);
    const double *from = big + (sample * g->groups + channel / g->slim) * g->wide * g->big_places;
    double sum = 0;
    window_digits(at % g->small_places, g->small, g->axes, small);
    for (int64_t t = 0; t < g->taps; t++) {
        window_digits(t, g->kernel, g->axes, tap);
        int64_t place = big_place(g, small, tap);
        for (int64_t w = 0; w < g->wide && place >= 0; w++)
            sum += from[w * g->big_places + place] * weight[(channel * g->wide + w) * g->taps + t];
    }
    return sum;
}

enum { PROBES = 64 };

/* The error of some fixed elements under this geometry. */
static double probed_error(const struct convolution *v, const struct geometry *g, const struct real_tensor *out)
{
    int64_t run = g->small_places, step = out->count / PROBES + 1;
    double error = 0;
    for (int64_t at = 0; at < out->count; at += step) {
        double bias = v->b ? v->b->v[at / run % v->b->count] : 0;
        double d = one_element(g, v->x->v, v->w->v, at) + bias - out->v[at];
        error += d * d;
    }
    return error;
}

static bool fits_axis(const struct geometry *g, int i)
{
    int64_t reach = g->dilation[i] * (g->kernel[i] - 1) + 1, room = g->big[i] + 2 * g->before[i] - reach;
    bool symmetric = room >= 0 && room / g->stride[i] + 1 == g->small[i];
    bool same = (g->big[i] + g->stride[i] - 1) / g->stride[i] == g->small[i] && g->before[i] == same_before(g, i);
    return symmetric || same;
}

/* Paddings to try for a stride and dilation: none, half the kernel's extent, "same". */
static bool set_margin(struct geometry *g, int which)
{
    for (int i = 0; i < g->axes; i++) {
        int64_t reach = g->dilation[i] * (g->kernel[i] - 1);
        g->before[i] = which == 0 ? reach / 2 : which == 1 ? 0 : which == 2 ? same_before(g, i) : which - 2;
        if (which > 2 && g->before[i] > reach)
            return false;
        if (!fits_axis(g, i))
            return false;
    }
    return true;
}

enum { STRIDES_MOST = 16, DILATIONS_MOST = 4, MARGINS_TRIED = 6 };

/* What was searched for is fitted to the result. */
static void keep_geometry(struct call_values *c, struct geometry *g)
{
    int64_t *const part[] = {g->stride, g->dilation, g->before};
    double v[ARRAY_LEN(part) * SPACE + 1] = {0};
    for (size_t k = 0; k < ARRAY_LEN(part); k++)
        for (int i = 0; i < g->axes; i++)
            v[k * SPACE + (size_t)i] = (double)part[k][i];
    v[ARRAY_LEN(v) - 1] = (double)g->margin;
    call_fitted(c, v, ARRAY_LEN(v));
    for (size_t k = 0; k < ARRAY_LEN(part); k++)
        for (int i = 0; i < g->axes; i++)
            part[k][i] = (int64_t)v[k * SPACE + (size_t)i];
    g->margin = (enum margin)v[ARRAY_LEN(v) - 1];
}

/* Searches the stride, padding and dilation (equal for all axes) that fit the sizes and explain the result best;
 * false if none fits. */
static bool infer_geometry(struct call_values *c, struct convolution *v, bool modes)
{
    const struct real_tensor *out = result_of(c);
    struct geometry best = v->g;
    double least = INFINITY;
    for (int stride = 1; stride <= STRIDES_MOST; stride++)
        for (int dilation = 1; dilation <= (v->g.taps > 1 ? DILATIONS_MOST : 1); dilation++)
            for (int which = 0; which < MARGINS_TRIED; which++)
                for (int mode = 0; mode < (modes ? MARGINS : 1); mode++) {
                    struct geometry g = v->g;
                    for (int i = 0; i < g.axes; i++)
                        g.stride[i] = stride, g.dilation[i] = dilation;
                    g.margin = (enum margin)mode;
                    if (!set_margin(&g, which) || (mode && product_of(g.before, g.axes) == 0))
                        continue;
                    double error = probed_error(v, &g, out);
                    if (error < least) {
                        least = error;
                        best = g;
                    }
                }
    keep_geometry(c, &best);
    v->g = best;
    if (isinf(least))
        call_unknown(c, UNKNOWN_ARGUMENT);
    return !c->unknown;
}

/* ---- convolution ---- */

static bool convolution_of(struct call_values *c, struct convolution *v)
{
    if (!arguments_of(c, v, false))
        return false;
    if (v->b && v->b->count != v->g.groups * v->g.slim)
        call_unknown(c, UNKNOWN_SHAPE);
    else if (c->mindspore && c->places + c->keywords <= 2)
        return infer_geometry(c, v, false);
    else if (!window_numbers(c, 3, "stride", v->g.axes, window_ones, v->g.stride) ||
             !window_numbers(c, 5, "dilation", v->g.axes, window_ones, v->g.dilation) || !padding_of(c, v))
        call_unknown(c, UNKNOWN_VARIANT);
    else if (!places_fit(&v->g))
        call_unknown(c, UNKNOWN_SHAPE);
    return !c->unknown;
}

static void forward_of(struct call_values *c, const struct convolution *v)
{
    struct product *p = to_small(c, 0, &v->g, v->x->v, v->w->v, v->b ? "convolution + b" : "convolution");
    if (v->b)
        add_bias(c, p, &v->g, v->b, v->g.slim);
}

static void compute_convolution(struct call_values *c)
{
    struct convolution v = {0};
    if (convolution_of(c, &v))
        forward_of(c, &v);
}

static void convolution_backward(struct call_values *c)
{
    struct convolution v = {0};
    if (!convolution_of(c, &v))
        return;
    struct real_tensor g = gradient_as(c, &c->result[0]);
    if (!g.v)
        return;
    to_big(c, ANY_OUTPUT, &v.g, g.v, v.w->v, "g spread by W");
    to_weight(c, &v.g, v.x->v, g.v, "g correlated with x");
    if (v.b)
        bias_gradient(c, &g, v.b, v.g.small_places);
}

static void convolution_module(struct call_values *c)
{
    struct convolution v = {
        .x = call_nth_tensor(c, 0), .w = call_parameter(c, "weight"), .b = call_parameter(c, "bias")};
    if (!v.x || !v.w || c->parameters > 2)
        return call_unknown(c, UNKNOWN_CLASS);
    if (!sizes_of(&v.g, v.x, v.w, &c->result[0], false) || (v.b && v.b->count != v.g.groups * v.g.slim))
        return call_unknown(c, UNKNOWN_SHAPE);
    if (infer_geometry(c, &v, true))
        forward_of(c, &v);
}

/* ---- transposed: from small to big ---- */

/* input, weight, bias, stride, padding, output_padding, groups, dilation. */
static bool transposed_of(struct call_values *c, struct convolution *v)
{
    if (!arguments_of(c, v, true))
        return false;
    if (v->b && v->b->count != v->g.groups * v->g.wide)
        call_unknown(c, UNKNOWN_SHAPE);
    else if (!window_numbers(c, 3, "stride", v->g.axes, window_ones, v->g.stride) ||
             !window_numbers(c, 4, "padding", v->g.axes, window_zeros, v->g.before) ||
             !window_numbers(c, 7, "dilation", v->g.axes, window_ones, v->g.dilation))
        call_unknown(c, UNKNOWN_VARIANT);
    else if (!places_fit(&v->g))
        call_unknown(c, UNKNOWN_SHAPE);
    return !c->unknown;
}

static void compute_transposed_convolution(struct call_values *c)
{
    struct convolution v = {0};
    if (!transposed_of(c, &v))
        return;
    struct product *p =
        to_big(c, 0, &v.g, v.x->v, v.w->v, v.b ? "transposed convolution + b" : "transposed convolution");
    if (v.b)
        add_bias(c, p, &v.g, v.b, v.g.wide);
}

static void transposed_backward(struct call_values *c)
{
    struct convolution v = {0};
    if (!transposed_of(c, &v))
        return;
    struct real_tensor g = gradient_as(c, &c->result[0]);
    if (!g.v)
        return;
    to_small(c, ANY_OUTPUT, &v.g, g.v, v.w->v, "g convolved with W");
    to_weight(c, &v.g, g.v, v.x->v, "x correlated with g");
    if (v.b)
        bias_gradient(c, &g, v.b, v.g.big_places);
}

/* ---- tables ---- */

const struct operator operators_convolution[] = {
    {"conv1d conv2d conv3d conv convolution conv1dext conv2dext conv3dext", FORMULA_CONVOLUTION, .forward = compute_convolution,
     .backward = convolution_backward, .source = "torch.nn.functional.conv2d; mindspore.ops.Conv2D"},
    {"conv_transpose1d conv_transpose2d conv_transpose3d", FORMULA_CONVOLUTION, .forward = compute_transposed_convolution,
     .backward = transposed_backward, .source = "torch.nn.functional.conv_transpose2d"},
    {.names = NULL},
};

const struct operator operators_convolution_class[] = {
    {"conv2d conv3d", FORMULA_CONVOLUTION, .forward = convolution_module,
     .source = "torch.nn.Conv2d; mindspore.nn.Conv2d"},
    {.names = NULL},
};
