/* Softmax and log_softmax, with their gradients. */
#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

/* ---- forward ---- */

/* One row of n elements `step` apart. */
static void softmax_row(const double *x, struct room r, int64_t n, int64_t step)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, x[i * step]);
    for (int64_t i = 0; i < n; i++)
        sum += r.y[i * step] = exp(x[i * step] - most);
    for (int64_t i = 0; i < n; i++) {
        double p = r.y[i * step] /= sum;
        r.roundings[i * step] = 2 * p;
        r.inside[i * step] = p > 0 ? p * (8 + sqrt((double)n) + 2 * fabs(x[i * step] - most)) : 0;
    }
}

static void log_softmax_row(const double *x, struct room r, int64_t n, int64_t step)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, x[i * step]);
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i * step] - most);
    for (int64_t i = 0; i < n; i++) {
        double z = x[i * step] - most;
        r.y[i * step] = z - log(sum);
        r.roundings[i * step] = 2 * fabs(r.y[i * step]);
        r.inside[i * step] = 2 * fabs(z) + fabs(log(sum)) + 8;
    }
}

typedef void row_function(const double *x, struct room r, int64_t n, int64_t step);

static struct room room_at(struct room r, int64_t at)
{
    return (struct room){r.y + at, r.roundings + at, r.inside + at};
}

static void each_row(struct call_values *c, const struct real_tensor *x, int axis, const char *formula,
                     row_function *row)
{
    int64_t outer, n, inner;
    real_around(x, axis, &outer, &n, &inner);
    struct room r = room_for(c, 0, x, formula);
    for (int64_t i = 0; i < outer * inner; i++) {
        int64_t at = i / inner * n * inner + i % inner;
        row(x->v + at, room_at(r, at), n, inner);
    }
}

/* Axes to try, as a mask: the recorded one, PyTorch's default if none is given; MindSpore's primitive stores it, so
 * that any axis is possible. */
static int axes_to_try(struct call_values *c, const struct real_tensor *x)
{
    if (call_value(c, 1, "dim axis") || !c->mindspore) {
        int axis = call_axis(c, 1, "dim axis", x->axes, x->axes < 2 || x->axes == 3 ? 0 : 1);
        return axis < 0 ? 0 : 1 << axis;
    }
    return (1 << x->axes) - 1;
}

static void compute_softmax_forward(struct call_values *c, const char *formula, row_function *row)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input x");
    if (!x)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    int axes = axes_to_try(c, x);
    for (int axis = x->axes - 1; axis >= 0; axis--)
        if (axes >> axis & 1)
            each_row(c, x, axis, formula, row);
    if (!axes)
        call_unknown(c, UNKNOWN_SHAPE);
}

static void softmax_of_call(struct call_values *c)
{
    compute_softmax_forward(c, "exp(x - max) / sum", softmax_row);
}

static void log_softmax(struct call_values *c)
{
    compute_softmax_forward(c, "x - max - log sum", log_softmax_row);
}

/* ---- backward: from the recorded output, as in frameworks ---- */

typedef void slope_function(const double *p, const double *g, struct room r, int64_t n, int64_t step);

static void softmax_slope(const double *p, const double *g, struct room r, int64_t n, int64_t step)
{
    double mean = 0, squares = 0, root = 2 * sqrt((double)n);
    for (int64_t i = 0; i < n; i++) {
        double t = g[i * step] * p[i * step];
        mean += t;
        squares += t * t;
    }
    double s = sqrt(squares);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = k * step;
        r.y[i] = p[i] * (g[i] - mean);
        r.roundings[i] = 2 * p[i] * (fabs(g[i]) + fabs(mean) + s);
        r.inside[i] = p[i] * (root * (s + fabs(mean)) + 4 * fabs(g[i]));
    }
}

static void log_softmax_slope(const double *l, const double *g, struct room r, int64_t n, int64_t step)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += g[i * step];
    for (int64_t k = 0; k < n; k++) {
        int64_t i = k * step;
        double p = exp(l[i]);
        r.y[i] = g[i] - p * sum;
        r.roundings[i] = 2 * (fabs(g[i]) + fabs(p * sum));
        r.inside[i] = p > 0 ? p * fabs(sum) * (8 + 2 * fabs(l[i])) : 0;
    }
}

static void compute_softmax_backward(struct call_values *c, const char *formula, slope_function *slope)
{
    const struct real_tensor *y = &c->result[0];
    struct real_tensor g = gradient_as(c, y);
    int axes = g.v ? axes_to_try(c, y) : 0;
    for (int axis = y->axes - 1; axis >= 0; axis--) {
        if (!(axes >> axis & 1))
            continue;
        int64_t outer, n, inner;
        real_around(y, axis, &outer, &n, &inner);
        struct room r = room_for(c, ANY_OUTPUT, y, formula);
        for (int64_t i = 0; i < outer * inner; i++) {
            int64_t at = i / inner * n * inner + i % inner;
            slope(y->v + at, g.v + at, room_at(r, at), n, inner);
        }
    }
}

static void softmax_backward(struct call_values *c)
{
    compute_softmax_backward(c, "p (g - sum g p)", softmax_slope);
}

static void log_softmax_backward(struct call_values *c)
{
    compute_softmax_backward(c, "g - p sum g", log_softmax_slope);
}

const struct operator operators_softmax[] = {
    {.names = "softmax softmaxext softmaxv2",
     .forward = softmax_of_call,
     .backward = softmax_backward,
     .misfit = misfit_along,
     .source = "torch.nn.functional.softmax"},
    {.names = "log_softmax logsoftmax logsoftmaxext",
     .forward = log_softmax,
     .backward = log_softmax_backward,
     .misfit = misfit_along,
     .source = "torch.nn.functional.log_softmax"},
    {.names = NULL},
};
