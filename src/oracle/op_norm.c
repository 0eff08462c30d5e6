/* Normalisations over the last axes (layer, RMS), over the batch, over groups of channels, with their gradients. */
#include <string.h>

#include "base/median.h"
#include "oracle/error_bound.h"
#include "oracle/gradients.h"
#include "oracle/norm_values.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

/* ---- forward ---- */

/* Computing the variance as E[x²] − μ² is also correct arithmetic. */
static double variance_conditioning(const struct norm *n, const struct norm_moments *m, double eps)
{
    return n->centred && !n->mean ? 1 + m->mean * m->mean / (m->variance + eps) : 1;
}

/* What rounding leaves of an element less its group's mean, times the rate, in units of a rounding: the difference
 * cancels where the mean is large. */
static double normed_rounding(double x, const struct norm_moments *m, double rate, double root)
{
    return rate * (fabs(x) + fabs(m->mean) * (1 + 2 * root));
}

static void fill_group(const struct norm *n, int64_t group, double eps, struct room r)
{
    const struct norm_layout *l = &n->layout;
    int64_t start = norm_group_start(l, group), count = norm_members(l);
    struct norm_moments m = norm_moments_of(n, group);
    double rate = 1 / sqrt(m.variance + eps), root = sqrt((double)count), worse = variance_conditioning(n, &m, eps);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = start + norm_member_at(l, i);
        double h = (n->x->v[at] - m.mean) * rate, w = norm_weight_at(n, at);
        r.y[at] = h * w + norm_bias_at(n, at);
        r.roundings[at] = 2 * fabs(h * w) + fabs(r.y[at]);
        r.inside[at] = fabs(w) * normed_rounding(n->x->v[at], &m, rate, root) + fabs(w * h) * (8 + 2 * root) * worse;
    }
}

static void norm_forward(struct call_values *c, const struct norm *n, double eps)
{
    const char *formula = arena_fmt(c->arena, "%s, eps = %g", n->name, eps);
    struct room r = room_for(c, 0, n->x, formula);
    for (int64_t g = 0; g < norm_groups(&n->layout); g++)
        fill_group(n, g, eps, r);
}

/* ---- unrecorded epsilon ---- */

/* The median over groups of 1/r² − variance, r = ⟨y − b, h⟩ / ⟨h, h⟩; at least 0. */
static double fitted_eps(struct call_values *c, const struct norm_sums *s, int64_t groups)
{
    double *eps = real_array(c, groups);
    int64_t n = 0;
    for (int64_t g = 0; g < groups; g++) {
        double rate = s[g].yh / s[g].hh, e = 1 / (rate * rate) - s[g].variance;
        if (isfinite(e))
            eps[n++] = e;
    }
    return n ? fmax(0, median_of(eps, (size_t)n)) : 0;
}

static const double usual_eps[] = {1e-5, 1e-6, 1e-12, 1e-8, 1e-7, 1e-3, 0};

/* The usual epsilon that explains the sums best, unless the fitted one is clearly better: by a tenth of the error,
 * and by more than the precision of doubles. */
static double best_eps(struct call_values *c, const struct norm_sums *s, int64_t groups)
{
    double fitted = fitted_eps(c, s, groups), least = INFINITY, best = fitted, size = 0;
    for (size_t i = 0; i < sizeof usual_eps / sizeof *usual_eps; i++) {
        double error = norm_error_with(s, groups, usual_eps[i]);
        if (error < least) {
            least = error;
            best = usual_eps[i];
        }
    }
    for (int64_t g = 0; g < groups; g++)
        size += s[g].yy;
    return least <= 1.21 * fmax(0, norm_error_with(s, groups, fitted)) + 1e-15 * size ? best : fitted;
}

static void norm_with_best_eps(struct call_values *c, const struct norm *n)
{
    int64_t groups = norm_groups(&n->layout);
    if (c->output[0].count != n->x->count)
        return call_unknown(c, UNKNOWN_SHAPE);
    struct norm_sums *sums = arena_alloc(c->arena, (size_t)groups * sizeof *sums + 1);
    for (int64_t g = 0; g < groups; g++)
        sums[g] = norm_sums_of(n, g, c->output[0].v);
    double eps = best_eps(c, sums, groups);
    call_fitted(c, &eps, 1);
    norm_forward(c, n, eps);
}

/* eps: as recorded; negative: not recorded. */
static void norm_of(struct call_values *c, const struct norm *n, double eps)
{
    if (eps >= 0)
        norm_forward(c, n, eps);
    else
        norm_with_best_eps(c, n);
}

/* ---- backward ---- */

/* Gradient with respect to one group's inputs: r (gw − mean gw − h mean(gw h)). Fills h, and what rounding leaves of
 * it. */
static void gradient_group(const struct norm *n, int64_t group, double eps, const double *g, struct room r, double *h,
                           double *off)
{
    const struct norm_layout *l = &n->layout;
    int64_t start = norm_group_start(l, group), count = norm_members(l);
    struct norm_moments m = norm_moments_of(n, group);
    double rate = 1 / sqrt(m.variance + eps), first = 0, second = 0, squares = 0, root = sqrt((double)count);
    double second_off = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = start + norm_member_at(l, i);
        double gw = g[at] * norm_weight_at(n, at);
        h[at] = (n->x->v[at] - m.mean) * rate;
        off[at] = normed_rounding(n->x->v[at], &m, rate, root);
        second_off += fabs(gw) * off[at] / (double)count;
        first += gw / (double)count;
        second += gw * h[at] / (double)count;
        squares += gw * gw / (double)count;
    }
    first = n->centred && !n->mean ? first : 0;
    second = n->mean ? 0 : second;
    second_off = n->mean ? 0 : second_off;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = start + norm_member_at(l, i);
        double gw = g[at] * norm_weight_at(n, at);
        double size = rate * (fabs(gw) + fabs(first) + fabs(h[at] * second) + sqrt(squares));
        r.y[at] = rate * (gw - first - h[at] * second);
        r.roundings[at] = 2 * size;
        r.inside[at] = size * (8 + 2 * root) * variance_conditioning(n, &m, eps) +
                       rate * (off[at] * fabs(second) + fabs(h[at]) * second_off);
    }
}

/* For each element the index of its weight. */
static int64_t *weight_places(struct call_values *c, const struct norm *n)
{
    int64_t *place = arena_alloc(c->arena, (size_t)n->x->count * sizeof *place + 1);
    for (int64_t i = 0; i < n->x->count; i++)
        place[i] = i / n->layout.run % n->layout.weights;
    return place;
}

static void norm_backward(struct call_values *c, const struct norm *n, double eps)
{
    struct real_tensor g = gradient_as(c, n->x), h = real_like(c, n->x), off = real_like(c, n->x);
    if (!g.v)
        return;
    struct room r = room_for(c, ANY_OUTPUT, n->x, arena_fmt(c->arena, "%s backward, eps = %g", n->name, eps));
    for (int64_t i = 0; i < norm_groups(&n->layout); i++)
        gradient_group(n, i, eps, g.v, r, h.v, off.v);
    struct real_tensor weights = {.axes = 1, .shape = {n->layout.weights}, .count = n->layout.weights};
    const int64_t *place = weight_places(c, n);
    double *squares = real_array(c, n->layout.weights);
    for (int64_t i = 0; i < n->x->count; i++) {
        h.v[i] *= g.v[i];
        squares[place[i]] += off.v[i] * g.v[i] * off.v[i] * g.v[i];
    }
    struct room w = gradient_scattered(c, &h, place, &weights, "sum of g h");
    for (int64_t i = 0; i < n->layout.weights; i++)
        w.inside[i] += sqrt(squares[i]);
    gradient_scattered(c, &g, place, &weights, "sum of g");
}

static void norm_backward_of(struct call_values *c, const struct norm *n, double eps)
{
    if (eps >= 0)
        return norm_backward(c, n, eps);
    for (size_t i = 0; i < sizeof usual_eps / sizeof *usual_eps; i++)
        norm_backward(c, n, usual_eps[i]);
}

static void norm_run(struct call_values *c, const struct norm *n, double eps)
{
    if (c->backward)
        norm_backward_of(c, n, eps);
    else
        norm_of(c, n, eps);
}

/* Whether groups cover x, and weight and bias have as many elements as the layout has weights. */
static bool weights_fit(struct call_values *c, const struct norm *n)
{
    const struct norm_layout *l = &n->layout;
    bool fits = l->weights > 0 && n->x->count > 0 && norm_groups(l) * norm_members(l) == n->x->count &&
                (!n->weight || n->weight->count == l->weights) &&
                (!n->bias || n->bias->count == n->layout.weights);
    if (!fits)
        call_unknown(c, UNKNOWN_SHAPE);
    return fits;
}

/* ---- layer_norm, rms_norm ---- */

/* Number of elements in the normalised last axes, from normalized_shape; 0 if it does not fit. */
static int64_t normalized_count(struct call_values *c, const struct real_tensor *x, int place)
{
    int64_t shape[REAL_AXES], count = 1;
    int n = call_integers(c, place, "normalized_shape", shape, REAL_AXES);
    if (n < 1 || n > x->axes || memcmp(shape, x->shape + x->axes - n, (size_t)n * sizeof *shape) != 0)
        return 0;
    for (int i = 0; i < n; i++)
        count *= shape[i];
    return count;
}

/* x, normalized_shape, weight, bias, eps; MindSpore's primitive: x, gamma, beta, with epsilon as an attribute. */
static void layer_norm(struct call_values *c)
{
    const struct value *second = call_value(c, 1, "normalized_shape");
    struct norm n = {.name = "layer_norm", .x = call_tensor_at(c, 0, "input x input_x"), .centred = true};
    if (!n.x || !second)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    bool primitive = second->kind == VALUE_TENSOR && second->tensor.axes > 0 && dtype_is_float(second->tensor.dtype);
    n.weight = primitive ? &second->tensor : call_tensor_at(c, 2, "weight gamma");
    n.bias = primitive ? call_tensor_at(c, 2, "beta") : call_tensor_at(c, 3, "bias beta");
    int64_t count = primitive ? n.weight->count : normalized_count(c, n.x, 1);
    if (!count)
        return call_unknown(c, UNKNOWN_SHAPE);
    n.layout = norm_over_last(n.x, count);
    double eps = call_number(c, primitive ? -1 : 4, "eps epsilon", primitive || c->mindspore ? -1 : 1e-5);
    if (weights_fit(c, &n))
        norm_run(c, &n, eps);
}

/* torch's default without an eps argument: the machine epsilon of x's type. */
static double type_epsilon(const struct real_tensor *x)
{
    return dtype_table[x->dtype].epsilon > 0 ? dtype_table[x->dtype].epsilon : 0x1p-23;
}

static const char *rms_name = "rms_norm";

/* torch: x, normalized_shape, weight, eps. MindSpore, NPU: x, gamma, epsilon. */
static void rms_norm(struct call_values *c)
{
    const struct value *second = call_value(c, 1, "normalized_shape gamma");
    struct norm n = {.name = rms_name, .x = call_tensor_at(c, 0, "input x self")};
    if (!n.x || !second)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    bool gamma = second->kind == VALUE_TENSOR && second->tensor.axes > 0 && dtype_is_float(second->tensor.dtype);
    n.weight = gamma ? &second->tensor : call_tensor_at(c, 2, "weight");
    int64_t count = gamma ? n.weight->count : normalized_count(c, n.x, 1);
    if (!count)
        return call_unknown(c, UNKNOWN_SHAPE);
    n.layout = norm_over_last(n.x, count);
    double eps = gamma ? call_number(c, 2, "epsilon eps", 1e-6) : call_number(c, 3, "eps", type_epsilon(n.x));
    if (weights_fit(c, &n))
        norm_run(c, &n, eps);
}

/* npu_add_rms_norm: x1, x2, gamma, epsilon; outputs the norm of the sum, 1/root mean square, and the sum. */
static void add_rms_norm(struct call_values *c)
{
    const struct real_tensor *a = call_tensor_at(c, 0, "x1"), *b = call_tensor_at(c, 1, "x2"),
                             *gamma = call_tensor_at(c, 2, "gamma");
    if (!a || !b || !gamma)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (a->count != b->count || !gamma->count || a->count % gamma->count != 0)
        return call_unknown(c, UNKNOWN_SHAPE);
    struct real_tensor sum = *a;
    sum.v = real_array(c, sum.count);
    for (int64_t i = 0; i < sum.count; i++)
        sum.v[i] = a->v[i] + b->v[i];
    struct norm n = {.name = "rms_norm(a + b)", .x = &sum, .weight = gamma, .layout = norm_over_last(a, gamma->count)};
    norm_forward(c, &n, call_number(c, 3, "epsilon", 1e-6));
    struct room r = room_for(c, c->outputs - 1, &sum, "a + b");
    for (int64_t i = 0; i < sum.count && c->outputs > 1; i++) {
        r.y[i] = sum.v[i];
        r.roundings[i] = fabs(sum.v[i]);
    }
}

/* ---- batch, group and instance ---- */

/* MindSpore's primitive: x, scale, bias, mean, variance, the rest as attributes; its function has PyTorch's order. */
static bool is_primitive_batch_norm(const struct call_values *c)
{
    return c->mindspore && strcmp(c->operator, "batchnorm") == 0;
}

static struct norm batch_norm_of(struct call_values *c, bool running)
{
    struct norm n = {.x = call_tensor_at(c, 0, "input x"), .centred = true};
    bool primitive = is_primitive_batch_norm(c);
    n.weight = call_tensor_at(c, primitive ? 1 : 3, "weight scale");
    n.bias = call_tensor_at(c, primitive ? 2 : 4, "bias");
    n.mean = running ? call_tensor_at(c, primitive ? 3 : 1, "running_mean mean") : NULL;
    n.variance = running ? call_tensor_at(c, primitive ? 4 : 2, "running_var variance") : NULL;
    n.name = running ? "batch_norm of running figures" : "batch_norm of the batch";
    return n;
}

/* Whether training was recorded: 1, 0, or -1 if MindSpore's primitive stores it. */
static int training_of(const struct call_values *c, int place)
{
    if (is_primitive_batch_norm(c))
        return -1;
    return call_number(c, place, "training use_input_stats", 0) != 0;
}

static void batch_norm(struct call_values *c)
{
    int training = training_of(c, 5);
    for (int running = 0; running < 2; running++) {
        struct norm n = batch_norm_of(c, running);
        if (!n.x || n.x->axes < 2 || !n.x->count)
            return call_unknown(c, n.x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
        if (training == !!running || (running && (!n.mean || !n.variance)))
            continue;
        n.layout = norm_over_batch(n.x);
        if (weights_fit(c, &n) &&
            (!running || (n.mean->count == n.layout.weights && n.variance->count == n.layout.weights)))
            norm_run(c, &n, call_number(c, 7, "eps epsilon", c->mindspore && training < 0 ? -1 : 1e-5));
    }
}

/* input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps; running statistics are per channel,
 * not per group. */
static void instance_norm(struct call_values *c)
{
    struct norm n = {.name = "instance_norm", .x = call_tensor_at(c, 0, "input"), .centred = true};
    n.weight = call_tensor_at(c, 3, "weight");
    n.bias = call_tensor_at(c, 4, "bias");
    if (!n.x || n.x->axes < 3 || !n.x->count)
        return call_unknown(c, n.x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    if (call_number(c, 5, "use_input_stats", 1) == 0)
        return call_unknown(c, UNKNOWN_VARIANT);
    n.layout = norm_over_groups(n.x, n.x->shape[1]);
    if (weights_fit(c, &n))
        norm_run(c, &n, call_number(c, 7, "eps", 1e-5));
}

/* input, num_groups, weight, bias, eps. */
static void group_norm(struct call_values *c)
{
    struct norm n = {.name = "group_norm", .x = call_tensor_at(c, 0, "input"), .centred = true};
    int64_t groups = call_whole(c, 1, "num_groups", 0);
    n.weight = call_tensor_at(c, 2, "weight");
    n.bias = call_tensor_at(c, 3, "bias");
    if (!n.x || groups < 1)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (n.x->axes < 2 || n.x->shape[1] % groups != 0 || !n.x->count)
        return call_unknown(c, UNKNOWN_SHAPE);
    n.layout = norm_over_groups(n.x, groups);
    if (weights_fit(c, &n))
        norm_run(c, &n, call_number(c, 4, "eps", 1e-5));
}

/* ---- modules: every public variant ---- */

static const struct real_tensor *norm_weight(const struct call_values *c)
{
    return call_parameter(c, "weight gamma");
}

static const struct real_tensor *bias_of(const struct call_values *c)
{
    return call_parameter(c, "bias beta");
}

/* Whether t's axes are the last axes of x. */
static bool ends_with(const struct real_tensor *x, const struct real_tensor *t)
{
    return t->axes && t->axes <= x->axes &&
           memcmp(x->shape + x->axes - t->axes, t->shape, (size_t)t->axes * sizeof *t->shape) == 0;
}

static void module_over_last(struct call_values *c, const struct real_tensor *x, bool centred, double offset)
{
    struct norm n = {.x = x, .weight = norm_weight(c), .bias = bias_of(c), .centred = centred, .offset = offset};
    n.name = centred ? "layer_norm" : offset > 0 ? "rms_norm of 1 + weight" : rms_name;
    n.layout = norm_over_last(x, n.weight->count);
    if (weights_fit(c, &n))
        norm_of(c, &n, -1);
}

static void module_rms(struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *w = norm_weight(c);
    if (!x || !w)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (!w->count || !x->axes || x->shape[x->axes - 1] != w->count)
        return call_unknown(c, UNKNOWN_SHAPE);
    module_over_last(c, x, false, 0);
    module_over_last(c, x, false, 1);
}

/* A layer norm by class; T5's is an RMS norm, ConvNeXt's may normalise axis 1. */
static void module_layer(struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *w = norm_weight(c);
    if (!x || !w)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (w->count && ends_with(x, w)) {
        module_over_last(c, x, true, 0);
        if (!bias_of(c))
            module_over_last(c, x, false, 0);
    }
    if (x->axes > 2 && w->axes == 1 && w->count == x->shape[1]) {
        struct norm n = {.name = "layer_norm over axis 1", .x = x, .weight = w, .bias = bias_of(c), .centred = true};
        n.layout = norm_over_channels(x);
        if (weights_fit(c, &n))
            norm_of(c, &n, -1);
    }
    if (!c->candidates)
        call_unknown(c, UNKNOWN_SHAPE);
}

/* Unrecorded running statistics (PyTorch's modules): for each channel those of a line fitted through its elements, if
 * the slope has the weight's sign. */
static void fit_running(const struct norm *n, const double *y, double *mean, double *variance)
{
    const struct norm_layout *l = &n->layout;
    for (int64_t g = 0; g < norm_groups(l); g++) {
        int64_t start = norm_group_start(l, g), count = norm_members(l);
        double w = norm_weight_at(n, start), b = norm_bias_at(n, start), sx = 0, sy = 0, xx = 0, xy = 0;
        for (int64_t i = 0; i < count; i++) {
            sx += n->x->v[start + norm_member_at(l, i)] / (double)count;
            sy += y[start + norm_member_at(l, i)] / (double)count;
        }
        for (int64_t i = 0; i < count; i++) {
            double dx = n->x->v[start + norm_member_at(l, i)] - sx;
            xx += dx * dx;
            xy += dx * (y[start + norm_member_at(l, i)] - sy);
        }
        double rate = xx > 0 && w != 0 ? xy / xx / w : 1;
        bool rises = rate > 0 && isfinite(rate);
        variance[g] = rises ? 1 / (rate * rate) : 1;
        mean[g] = rises && w != 0 ? sx - (sy - b) / (rate * w) : 0;
    }
}

/* Whether the last candidate explains the output within its bound, so that no other is needed. */
static bool explains_output(const struct call_values *c, double unit)
{
    const struct candidate *k = &c->candidate[c->candidates - 1];
    double error = 0, bound = 0;
    for (int64_t i = 0; i < k->y.count; i++) {
        double d = k->y.v[i] - c->output[0].v[i],
               b = unit * (fabs(k->y.v[i]) + k->roundings[i]) + 0x1p-24 * k->inside[i];
        error += d * d;
        bound += b * b;
    }
    return error <= bound;
}

/* Batch statistics, otherwise running ones, recorded (MindSpore) or not. Any rising line of a channel corresponds to
 * some running statistics, so these are tried only if batch statistics do not explain the output. */
static void module_batch(struct call_values *c)
{
    struct norm n = {.name = "batch_norm of the batch",
                     .x = call_nth_tensor(c, 0),
                     .weight = norm_weight(c),
                     .bias = bias_of(c),
                     .centred = true};
    const struct real_tensor *mean = call_parameter(c, "running_mean moving_mean"),
                             *variance = call_parameter(c, "running_var moving_variance");
    if (!n.x || n.x->axes < 2)
        return call_unknown(c, n.x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    n.layout = norm_over_batch(n.x);
    if (!weights_fit(c, &n))
        return;
    norm_of(c, &n, -1);
    double explained = !c->unknown && explains_output(c, unit_roundoff(c->output[0].dtype));
    call_fitted(c, &explained, 1);
    if (c->unknown || explained > 0)
        return;
    bool recorded = mean && variance && mean->count == n.layout.weights && variance->count == n.layout.weights;
    struct real_tensor figures[2] = {real_new(c, 1, &n.layout.weights), real_new(c, 1, &n.layout.weights)};
    if (!recorded)
        fit_running(&n, c->output[0].v, figures[0].v, figures[1].v);
    for (int i = 0; !recorded && i < 2; i++)
        call_fitted(c, figures[i].v, figures[i].count);
    n.mean = recorded ? mean : &figures[0];
    n.variance = recorded ? variance : &figures[1];
    n.name = recorded ? "batch_norm of running figures" : "batch_norm of some running figures";
    norm_of(c, &n, recorded ? -1 : 0);
}

/* The number of groups is not recorded: tries every divisor of the channels. */
static void module_group(struct call_values *c)
{
    struct norm n = {
        .name = "group_norm", .x = call_nth_tensor(c, 0), .weight = norm_weight(c), .bias = bias_of(c), .centred = true};
    if (!n.x || n.x->axes < 2 || !n.weight)
        return call_unknown(c, n.x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    for (int64_t groups = 1, tried = 0; groups <= n.x->shape[1]; groups++) {
        if (n.x->shape[1] % groups != 0)
            continue;
        if (real_is_too_large(c, (double)n.x->count * (double)tried++))
            return;
        n.name = arena_fmt(c->arena, "group_norm of %lld groups", (long long)groups);
        n.layout = norm_over_groups(n.x, groups);
        if (!weights_fit(c, &n))
            return;
        norm_of(c, &n, -1);
    }
}

/* ---- table ---- */

#define NORM(words, function, sizes, from) \
    {.names = words, .forward = function, .backward = function, .source = from, .misfit = sizes}

const struct operator operators_norm[] = {
    NORM("layer_norm layernorm layernormext layernormv3 fused_layer_norm", layer_norm, misfit_normed,
         "torch.nn.functional.layer_norm"),
    NORM("rms_norm rmsnorm npu_rms_norm", rms_norm, misfit_normed,
         "torch.nn.functional.rms_norm; torch_npu.npu_rms_norm"),
    {.names = "npu_add_rms_norm add_rms_norm addrmsnorm",
     .forward = add_rms_norm,
     .source = "torch_npu.npu_add_rms_norm"},
    NORM("batch_norm batchnorm", batch_norm, misfit_alike, "torch.nn.functional.batch_norm"),
    NORM("instance_norm", instance_norm, misfit_alike, "torch.nn.functional.instance_norm"),
    NORM("group_norm groupnorm", group_norm, misfit_alike, "torch.nn.functional.group_norm"),
    {.names = NULL},
};

const struct operator operators_norm_class[] = {
    {.names = "*rmsnorm*", .forward = module_rms, .source = "torch.nn.RMSNorm"},
    {.names = "*layernorm*", .forward = module_layer, .source = "torch.nn.LayerNorm"},
    {.names = "batchnorm1d batchnorm2d batchnorm3d",
     .forward = module_batch,
     .source = "torch.nn.BatchNorm2d; mindspore.nn.BatchNorm2d"},
    {.names = "groupnorm", .forward = module_group, .source = "torch.nn.GroupNorm"},
    {.names = NULL},
};
