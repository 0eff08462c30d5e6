/* Pooling over windows, adaptive pooling, and interpolation. With gradients. */
#include <string.h>

#include "base/mem.h"
#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/windows.h"

enum { SPACE = WINDOW_AXES };

/* The last `axes` axes of x; outer: samples and channels. */
struct plane {
    int axes;
    int64_t outer, in[SPACE], out[SPACE], in_places, out_places;
};

static bool plane_of(const struct real_tensor *x, const struct real_tensor *y, int axes, struct plane *p)
{
    *p = (struct plane){.axes = axes, .outer = 1, .in_places = 1, .out_places = 1};
    if (axes < 1 || axes > SPACE || x->axes < axes || y->axes != x->axes || !x->count)
        return false;
    for (int i = 0; i < x->axes - axes; i++) {
        p->outer *= x->shape[i];
        if (x->shape[i] != y->shape[i])
            return false;
    }
    for (int i = 0; i < axes; i++) {
        p->in_places *= p->in[i] = x->shape[x->axes - axes + i];
        p->out_places *= p->out[i] = y->shape[x->axes - axes + i];
    }
    return p->out_places > 0;
}

/* ---- windows ---- */

/* Per axis: first and end element, and the size that counts for a mean (padding may count). */
struct window {
    int64_t first[SPACE], end[SPACE], step[SPACE];
    double size; /* divisor of a mean */
};

struct pooling {
    struct plane plane;
    const struct real_tensor *x;
    int64_t kernel[SPACE], stride[SPACE], before[SPACE], dilation[SPACE];
    bool adaptive, counts_margin;
    double divisor; /* 0: use the window's size */
};

static int64_t lesser_size(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater_size(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct window window_at(const struct pooling *p, int64_t place)
{
    struct window w = {.size = 1};
    int64_t at[SPACE];
    window_digits(place, p->plane.out, p->plane.axes, at);
    for (int i = 0; i < p->plane.axes; i++) {
        int64_t in = p->plane.in[i], out = p->plane.out[i], start, end;
        if (p->adaptive) {
            start = at[i] * in / out;
            end = ((at[i] + 1) * in + out - 1) / out;
        } else {
            start = at[i] * p->stride[i] - p->before[i];
            end = start + (p->kernel[i] - 1) * p->dilation[i] + 1;
        }
        int64_t counted = lesser_size(end, in + p->before[i]) - start;
        w.step[i] = p->adaptive ? 1 : p->dilation[i];
        w.first[i] = start < 0 ? start + (-start + w.step[i] - 1) / w.step[i] * w.step[i] : start;
        w.end[i] = lesser_size(end, in);
        w.size *= (double)(p->counts_margin ? counted : w.end[i] - greater_size(start, 0));
    }
    if (p->divisor > 0)
        w.size = p->divisor;
    return w;
}

/* Iterates over the window's elements: sets at[] to the next one; false after the last. Starts if at[0] is -1. */
static bool next_in(const struct pooling *p, const struct window *w, int64_t *at, int64_t *place)
{
    int axes = p->plane.axes, i = axes - 1;
    if (at[0] == INT64_MIN) {
        for (int k = 0; k < axes; k++)
            if ((at[k] = w->first[k]) >= w->end[k])
                return false;
    } else {
        while (i >= 0 && (at[i] += w->step[i]) >= w->end[i]) {
            at[i] = w->first[i];
            i--;
        }
        if (i < 0)
            return false;
    }
    *place = 0;
    for (int k = 0; k < axes; k++)
        *place = *place * p->plane.in[k] + at[k];
    return true;
}

/* ---- arguments ---- */

/* "avg_pool2d" has 2 axes; so have MindSpore's names without a digit. */
static int axes_in_name(const char *name)
{
    const char *figure = strpbrk(name, "123");
    return figure ? *figure - '0' : 2;
}

static const struct real_tensor *pooled_input(struct call_values *c, struct pooling *p)
{
    const struct real_tensor *x = call_nth_tensor(c, 0);
    if (!x || !c->results)
        call_unknown(c, UNKNOWN_ARGUMENT);
    else if (!plane_of(x, &c->result[0], axes_in_name(c->operator), &p->plane))
        call_unknown(c, UNKNOWN_SHAPE);
    p->x = x;
    return c->unknown ? NULL : x;
}

/* The default stride is the kernel size; 1 in one of MindSpore's functions, which the sizes show. */
static void default_stride(const struct call_values *c, struct pooling *p)
{
    for (int i = 0; i < p->plane.axes && c->mindspore && !call_value(c, 2, "stride"); i++) {
        int64_t room = p->plane.in[i] + 2 * p->before[i] - p->kernel[i];
        if (room + 1 == p->plane.out[i])
            p->stride[i] = 1;
    }
}

/* Kernel, stride and padding, if recorded. */
static bool windows_recorded(struct call_values *c, struct pooling *p)
{
    int axes = p->plane.axes;
    if (!call_value(c, 1, "kernel_size"))
        return false;
    if (!window_numbers(c, 1, "kernel_size", axes, window_ones, p->kernel) ||
        !window_numbers(c, 2, "stride", axes, p->kernel, p->stride) ||
        !window_numbers(c, 3, "padding", axes, window_zeros, p->before))
        call_unknown(c, UNKNOWN_VARIANT);
    default_stride(c, p);
    for (int i = 0; i < axes; i++) /* padding is at most half a window, as both frameworks require */
        if (p->kernel[i] < 1 || p->stride[i] < 1 || p->before[i] < 0 || 2 * p->before[i] > p->kernel[i])
            call_unknown(c, UNKNOWN_VARIANT);
    return true;
}

/* ---- values ---- */

static double window_mean(const struct pooling *p, const double *x, const struct window *w, double *root, double *n)
{
    int64_t at[SPACE] = {INT64_MIN}, place;
    double sum = 0, squares = 0;
    *n = 0;
    while (next_in(p, w, at, &place)) {
        sum += x[place];
        squares += x[place] * x[place];
        ++*n;
    }
    *root = sqrt(squares) / w->size;
    return sum / w->size;
}

static int64_t window_best(const struct pooling *p, const double *x, const struct window *w, bool *tied)
{
    int64_t at[SPACE] = {INT64_MIN}, place, best = -1;
    *tied = false;
    while (next_in(p, w, at, &place)) {
        *tied = best >= 0 && (x[place] > x[best] ? false : *tied || x[place] == x[best]);
        if (best < 0 || x[place] > x[best])
            best = place;
    }
    return best;
}

static double pooled_value(const struct pooling *p, bool mean, int64_t i)
{
    const double *x = p->x->v + i / p->plane.out_places * p->plane.in_places;
    struct window w = window_at(p, i % p->plane.out_places);
    double root, n;
    bool tied;
    if (mean)
        return window_mean(p, x, &w, &root, &n);
    int64_t best = window_best(p, x, &w, &tied);
    return best < 0 ? -INFINITY : x[best];
}

/* ---- unrecorded windows ---- */

enum { PROBES = 128, KERNELS_MOST = 8 };

static double probed_error(const struct pooling *p, bool mean, const struct real_tensor *y)
{
    double error = 0;
    for (int64_t i = 0; i < y->count; i += y->count / PROBES + 1) {
        double d = pooled_value(p, mean, i) - y->v[i];
        error += isnan(d) ? INFINITY : d * d;
    }
    return error;
}

static bool window_fits(const struct pooling *p)
{
    for (int i = 0; i < p->plane.axes; i++) {
        int64_t room = p->plane.in[i] + 2 * p->before[i] - p->kernel[i],
                same = (p->plane.in[i] + p->stride[i] - 1) / p->stride[i];
        bool symmetric = room >= 0 && (room / p->stride[i] + 1 == p->plane.out[i] ||
                                       (room + p->stride[i] - 1) / p->stride[i] + 1 == p->plane.out[i]);
        if (!symmetric && same != p->plane.out[i])
            return false;
    }
    return true;
}

/* The same for every axis except those of size 1. */
static void set_window(struct pooling *p, int kernel, int stride, int before)
{
    for (int i = 0; i < p->plane.axes; i++) {
        bool single = p->plane.in[i] == 1 && p->plane.out[i] == 1;
        p->kernel[i] = single ? 1 : kernel;
        p->stride[i] = single ? 1 : stride;
        p->before[i] = single ? 0 : before;
        p->dilation[i] = 1;
    }
}

/* Searches the square windows that fit the sizes and explain the recorded result best; false if none fits. */
static bool infer_windows(struct call_values *c, struct pooling *p, bool mean)
{
    struct pooling best = *p;
    double error = INFINITY, found[4] = {1, 1, 0, 0};
    for (int kernel = 1; kernel <= KERNELS_MOST; kernel++)
        for (int stride = 1; stride <= kernel; stride++)
            for (int before = 0; before <= kernel / 2; before++)
                for (int counts = 0; counts < (mean && before ? 2 : 1); counts++) {
                    struct pooling t = *p;
                    set_window(&t, kernel, stride, before);
                    t.counts_margin = counts;
                    double e = window_fits(&t) ? probed_error(&t, mean, &c->result[0]) : INFINITY;
                    if (e < error) {
                        error = e;
                        best = t;
                        memcpy(found, ((const double[]){kernel, stride, before, counts}), sizeof found);
                    }
                }
    call_fitted(c, found, ARRAY_LEN(found));
    set_window(&best, (int)found[0], (int)found[1], (int)found[2]);
    best.counts_margin = found[3] > 0;
    *p = best;
    if (isinf(error))
        call_unknown(c, UNKNOWN_ARGUMENT);
    return !c->unknown;
}

/* ---- mean pooling ---- */

static void mean_windows(struct call_values *c, const struct pooling *p)
{
    struct room r = room_for(c, 0, &c->result[0], "mean of each window");
    for (int64_t i = 0; i < p->plane.outer * p->plane.out_places; i++) {
        struct window w = window_at(p, i % p->plane.out_places);
        double root, n, y = window_mean(p, p->x->v + i / p->plane.out_places * p->plane.in_places, &w, &root, &n);
        r.y[i] = y;
        r.roundings[i] = fabs(y);
        r.inside[i] = 2 * sqrt(n) * (root + fabs(y)) + 4 * fabs(y);
    }
}

static void mean_windows_backward(struct call_values *c, const struct pooling *p)
{
    struct real_tensor g = gradient_as(c, &c->result[0]);
    if (!g.v)
        return;
    double *terms = real_array(c, p->x->count);
    struct room r = room_for(c, ANY_OUTPUT, p->x, "g / n spread over windows");
    for (int64_t i = 0; i < g.count; i++) {
        struct window w = window_at(p, i % p->plane.out_places);
        int64_t at[SPACE] = {INT64_MIN}, place, start = i / p->plane.out_places * p->plane.in_places;
        double each = g.v[i] / w.size;
        while (next_in(p, &w, at, &place)) {
            r.y[start + place] += each;
            r.roundings[start + place] += each * each;
            terms[start + place]++;
        }
    }
    sums_bound(r, terms, p->x->count);
}

static void mean_run(struct call_values *c, const struct pooling *p)
{
    if (c->backward)
        mean_windows_backward(c, p);
    else
        mean_windows(c, p);
}

/* input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override. */
static void avg_pool(struct call_values *c)
{
    struct pooling p = {.counts_margin = call_number(c, 5, "count_include_pad", 1) != 0,
                        .divisor = call_number(c, 6, "divisor_override", 0),
                        .dilation = {1, 1, 1}};
    if (!pooled_input(c, &p))
        return;
    if (windows_recorded(c, &p) ? !c->unknown : infer_windows(c, &p, true))
        mean_run(c, &p);
}

static void adaptive_avg_pool(struct call_values *c)
{
    struct pooling p = {.adaptive = true};
    if (pooled_input(c, &p))
        mean_run(c, &p);
}

/* Modules with one value per channel, with or without the pooled axes. */
static void global_avg_pool(struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0);
    struct real_tensor y = x ? *x : (struct real_tensor){0};
    struct pooling p = {.adaptive = true, .x = x};
    for (int i = 2; i < y.axes; i++)
        y.shape[i] = 1;
    if (!x || x->axes < 3)
        return call_unknown(c, x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    y.count = y.shape[0] * y.shape[1];
    if (c->result[0].count != y.count || !plane_of(x, &y, x->axes - 2, &p.plane))
        return call_unknown(c, UNKNOWN_SHAPE);
    mean_windows(c, &p);
}

/* ---- max pooling ---- */

static void max_windows(struct call_values *c, const struct pooling *p)
{
    struct real_tensor y = real_like(c, &c->result[0]);
    for (int64_t i = 0; i < y.count; i++)
        y.v[i] = pooled_value(p, false, i);
    candidate_moved(c, 0, &y, "max of each window");
}

/* Frameworks differ in which of equal elements gets the gradient: those are not checked. */
static void max_windows_backward(struct call_values *c, const struct pooling *p)
{
    struct real_tensor g = gradient_as(c, &c->result[0]);
    if (!g.v)
        return;
    double *terms = real_array(c, p->x->count);
    struct room r = room_for(c, ANY_OUTPUT, p->x, "g where each window is largest");
    for (int64_t i = 0; i < g.count; i++) {
        int64_t start = i / p->plane.out_places * p->plane.in_places, at[SPACE] = {INT64_MIN}, place;
        struct window w = window_at(p, i % p->plane.out_places);
        bool tied;
        int64_t best = window_best(p, p->x->v + start, &w, &tied);
        if (best < 0)
            continue;
        r.y[start + best] += g.v[i];
        r.roundings[start + best] += g.v[i] * g.v[i];
        terms[start + best]++;
        while (tied && next_in(p, &w, at, &place))
            if (p->x->v[start + place] == p->x->v[start + best])
                r.y[start + place] = NAN;
    }
    sums_bound(r, terms, p->x->count);
}

/* input, kernel_size, stride, padding, dilation, ceil_mode, return_indices. */
static void max_pool(struct call_values *c)
{
    struct pooling p = {.counts_margin = false};
    if (!pooled_input(c, &p))
        return;
    if (!window_numbers(c, 4, "dilation", p.plane.axes, window_ones, p.dilation))
        return call_unknown(c, UNKNOWN_VARIANT);
    for (int i = 0; i < p.plane.axes; i++)
        if (p.dilation[i] < 1)
            return call_unknown(c, UNKNOWN_VARIANT);
    if (!(windows_recorded(c, &p) ? !c->unknown : infer_windows(c, &p, false)))
        return;
    if (c->backward)
        max_windows_backward(c, &p);
    else
        max_windows(c, &p);
}

static void adaptive_max_pool(struct call_values *c)
{
    struct pooling p = {.adaptive = true};
    if (!pooled_input(c, &p))
        return;
    if (c->backward)
        max_windows_backward(c, &p);
    else
        max_windows(c, &p);
}

/* ---- interpolation ---- */

enum interpolation { NEAREST, NEAREST_EXACT, LINEAR };

struct scaling {
    struct plane plane;
    enum interpolation mode;
    bool corners;
    double scale[SPACE]; /* input elements per output element */
};

/* Per axis: the two input elements around an output element, and the weight of the second. */
struct between {
    int64_t first, second;
    double share;
    bool doubtful; /* a nearest neighbour that rounding decides */
};

static struct between between_at(const struct scaling *s, int axis, int64_t out)
{
    int64_t n = s->plane.in[axis];
    struct between b = {0};
    if (s->mode != LINEAR) {
        double at = s->mode == NEAREST ? (double)out * s->scale[axis] : ((double)out + 0.5) * s->scale[axis];
        double near = nearbyint(at);
        b.doubtful = at != near && fabs(at - near) < 1e-5 * fmax(1, at);
        b.first = b.second = lesser_size(whole_number(at), n - 1);
        return b;
    }
    double at = s->corners
                    ? (s->plane.out[axis] > 1 ? (double)out * (double)(n - 1) / (double)(s->plane.out[axis] - 1) : 0)
                    : fmax(0, ((double)out + 0.5) * s->scale[axis] - 0.5);
    b.first = lesser_size(whole_number(at), n - 1);
    b.second = lesser_size(b.first + 1, n - 1);
    b.share = at - (double)b.first;
    return b;
}

static int mode_of(const struct call_values *c, int axes)
{
    static const char *const linear[] = {"", "linear", "bilinear", "trilinear"};
    const char *mode = call_text(c, 3, "mode");
    if (!mode || strcmp(mode, "nearest") == 0)
        return NEAREST;
    if (strcmp(mode, "nearest-exact") == 0)
        return NEAREST_EXACT;
    return strcmp(mode, linear[axes]) == 0 ? LINEAR : -1;
}

/* input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias. */
static bool scaling_of(struct call_values *c, const struct real_tensor **x, struct scaling *s)
{
    *x = call_tensor_at(c, 0, "input");
    *s = (struct scaling){.corners = call_number(c, 4, "align_corners", 0) != 0};
    const struct value *factors = call_value(c, 2, "scale_factor");
    bool by_factor = factors && call_number(c, 5, "recompute_scale_factor", 0) == 0;
    if (!*x || !c->results) {
        call_unknown(c, UNKNOWN_ARGUMENT);
        return false;
    }
    int axes = (*x)->axes - 2, mode = axes >= 1 && axes <= SPACE ? mode_of(c, axes) : -1;
    if (mode < 0 || call_number(c, 6, "antialias", 0) != 0)
        call_unknown(c, UNKNOWN_VARIANT);
    else if (!plane_of(*x, &c->result[0], axes, &s->plane))
        call_unknown(c, UNKNOWN_SHAPE);
    s->mode = (enum interpolation)mode;
    for (int i = 0; i < s->plane.axes && !c->unknown; i++) {
        const struct value *own =
            by_factor && factors->kind == VALUE_LIST && i < factors->items ? &factors->item[i] : factors;
        s->scale[i] = by_factor && own->number > 0 ? 1 / own->number : (double)s->plane.in[i] / (double)s->plane.out[i];
    }
    return !c->unknown;
}

/* The corner with that number (one bit per axis: 1 is the second element) for an output place, and its weight; NAN if
 * the place is doubtful. */
static double corner_at(const struct scaling *s, int64_t place, int corner, int64_t *from)
{
    int64_t at[SPACE];
    double weight = 1;
    window_digits(place, s->plane.out, s->plane.axes, at);
    *from = 0;
    for (int i = 0; i < s->plane.axes; i++) {
        struct between b = between_at(s, i, at[i]);
        bool second = corner >> i & 1;
        *from = *from * s->plane.in[i] + (second ? b.second : b.first);
        weight *= b.doubtful ? NAN : second ? b.share : 1 - b.share;
    }
    return weight;
}

static void compute_interpolate(struct call_values *c)
{
    const struct real_tensor *x;
    struct scaling s;
    if (!scaling_of(c, &x, &s))
        return;
    int64_t reach = greater_size(greater_size(s.plane.in[0], s.plane.in[1]), s.plane.in[2]);
    struct room r =
        room_for(c, 0, &c->result[0], s.mode == LINEAR ? "linear between neighbours" : "the nearest element");
    for (int64_t i = 0; i < c->result[0].count; i++) {
        double size = 0, all = 0;
        for (int corner = 0; corner < 1 << s.plane.axes; corner++) {
            int64_t from;
            double weight = corner_at(&s, i % s.plane.out_places, corner, &from);
            double v = x->v[i / s.plane.out_places * s.plane.in_places + from];
            r.y[i] += weight == 0 ? 0 : weight * v;
            size += fabs(weight * v);
            all += fabs(v);
        }
        r.roundings[i] = s.mode == LINEAR ? 3 * size : 0;
        r.inside[i] = s.mode == LINEAR ? 8 * size + (double)reach * all : 0;
    }
}

static void interpolate_backward(struct call_values *c)
{
    const struct real_tensor *x;
    struct scaling s;
    if (!scaling_of(c, &x, &s))
        return;
    struct real_tensor g = gradient_as(c, &c->result[0]);
    if (!g.v)
        return;
    double *terms = real_array(c, x->count), *size = real_array(c, x->count);
    int64_t reach = greater_size(greater_size(s.plane.in[0], s.plane.in[1]), s.plane.in[2]);
    struct room r = room_for(c, ANY_OUTPUT, x, "g by its weights");
    for (int64_t i = 0; i < g.count; i++)
        for (int corner = 0; corner < 1 << s.plane.axes; corner++) {
            int64_t from;
            double weight = corner_at(&s, i % s.plane.out_places, corner, &from),
                   term = weight == 0 ? 0 : weight * g.v[i];
            from += i / s.plane.out_places * s.plane.in_places;
            r.y[from] += term;
            r.roundings[from] += term * term;
            terms[from] += weight != 0;
            size[from] += fabs(g.v[i]);
        }
    sums_bound(r, terms, x->count);
    for (int64_t i = 0; i < x->count && s.mode == LINEAR; i++)
        r.inside[i] += (double)reach * size[i];
}

/* Elements of all windows, from sizes. */
static double windows_cost(const struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0);
    double cost = c->results ? (double)c->result[0].count : 1;
    int64_t kernel[SPACE];
    int axes = axes_in_name(c->operator);
    if (!x || x->axes < axes || !call_value(c, 1, "kernel_size") ||
        !window_numbers(c, 1, "kernel_size", axes, window_ones, kernel))
        return x ? fmax(cost, (double)x->count) : cost;
    for (int i = 0; i < axes; i++)
        cost *= (double)greater_size(1, lesser_size(kernel[i], x->shape[x->axes - axes + i]));
    return fmax(cost, (double)x->count);
}

/* ---- tables ---- */

const struct operator operators_pool[] = {
    {.names = "avg_pool1d avg_pool2d avg_pool3d avgpool avgpool1d avgpool2d avgpool3d",
     .forward = avg_pool,
     .backward = avg_pool,
     .source = "torch.nn.functional.avg_pool2d",
     .cost = windows_cost},
    OPERATOR_BOTH_WAYS("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptiveavgpool1d "
                       "adaptiveavgpool2d adaptiveavgpool2dext adaptiveavgpool3d",
                       adaptive_avg_pool, "torch.nn.functional.adaptive_avg_pool2d"),
    {.names = "max_pool1d max_pool2d max_pool3d maxpool maxpool2d maxpool3d maxpoolwithmask maxpoolwithindices "
              "maxpoolwithargmax maxpool3dwithargmax",
     .forward = max_pool,
     .backward = max_pool,
     .source = "torch.nn.functional.max_pool2d",
     .cost = windows_cost},
    OPERATOR_BOTH_WAYS("adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d adaptivemaxpool2d",
                       adaptive_max_pool, "torch.nn.functional.adaptive_max_pool2d"),
    {.names = "interpolate upsample",
     .forward = compute_interpolate,
     .backward = interpolate_backward,
     .source = "torch.nn.functional.interpolate"},
    {.names = NULL},
};

const struct operator operators_pool_class[] = {
    {.names = "adaptiveavgpool1d adaptiveavgpool2d adaptiveavgpool3d",
     .forward = adaptive_avg_pool,
     .source = "torch.nn.AdaptiveAvgPool2d"},
    {.names = "adaptivemaxpool1d adaptivemaxpool2d adaptivemaxpool3d",
     .forward = adaptive_max_pool,
     .source = "torch.nn.AdaptiveMaxPool2d"},
    {.names = "globalavgpooling",
     .forward = global_avg_pool,
     .source = "mindcv.models.layers.pooling.GlobalAvgPooling"},
    {.names = "avgpool1d avgpool2d avgpool3d", .forward = avg_pool, .source = "torch.nn.AvgPool2d"},
    {.names = "maxpool1d maxpool2d maxpool3d", .forward = max_pool, .source = "torch.nn.MaxPool2d"},
    {.names = NULL},
};
