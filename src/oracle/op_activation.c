/* Functions of one element: activations and elementary functions, with their derivatives. */
#include "base/median.h"
#include "oracle/activation_values.h"
#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

#define ROOT_HALF    0.70710678118654752440 /* √½ */
#define ROOT_2_PI    0.79788456080286535588 /* √(2/π) */
#define GELU_CUBIC   0.044715

/* A function of one element. `p` are its arguments (negative slope, alpha, limits). */
struct unary {
    const char *formula, *slope_formula;
    double rounds; /* c, relative to |y| */
    double (*value)(double x, const double *p);
    double (*inside)(double x, double y);                      /* a; NULL: 0 */
    double (*slope)(double x, double y,
                    const double *p);           /* y: the recorded output, which frameworks use in derivatives */
    double (*slope_inside)(double x, double y); /* float32 error of the derivative, in units of u; NULL: 0 */
    void (*arguments)(const struct call_values *c, double *p); /* NULL: none */
};

static double sigmoid_of(double x)
{
    double e = exp(-fabs(x));
    return (x >= 0 ? 1 : e) / (1 + e);
}

static double log1p_exp(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

/* ---- error of float32 arithmetic inside, by kind of function ---- */

static double like_exp(double x, double y)
{
    return fabs(y) * (8 + 2 * fabs(x));
}

static double like_sine(double x, double y)
{
    return (void)x, 4 * fabs(y) + 2;
}

static double like_log(double x, double y)
{
    return (void)x, 4 * fabs(y) + 1;
}

static double four_y(double x, double y)
{
    return (void)x, 4 * fabs(y);
}

static double two_y(double x, double y)
{
    return (void)x, 2 * fabs(y);
}

static double eight_y(double x, double y)
{
    return (void)x, 8 * fabs(y);
}

static double eight_y_and_1(double x, double y)
{
    return (void)x, 8 * fabs(y) + 1;
}

static double sixteen_y(double x, double y)
{
    return (void)x, 16 * fabs(y);
}

static double like_tanh(double x, double y)
{
    return 8 * fabs(y) + fmin(1, fabs(x));
}

static double like_gelu_erf(double x, double y)
{
    return 8 * fabs(y) + 2 * fabs(x);
}

static double like_gelu_tanh(double x, double y)
{
    return 8 * fabs(y) + 4 * fabs(x);
}

static double like_quick_gelu(double x, double y)
{
    return fabs(y) * (8 + 4 * fabs(x));
}

static double slope_one(double x, double y)
{
    return (void)x, (void)y, 1;
}

static double slope_four(double x, double y)
{
    return (void)x, (void)y, 4;
}

static double gelu_slope_inside(double x, double y)
{
    return (void)y, 8 + 4 * fabs(x);
}

static double silu_slope_inside(double x, double y)
{
    return (void)y, (8 + 2 * fabs(x)) * sigmoid_of(x) * (1 + fabs(x));
}

static double two_x(double x, double y)
{
    return (void)y, 2 * fabs(x);
}

static double cubed_y(double x, double y)
{
    return (void)x, 8 * fabs(y * y * y);
}

static double squared_y(double x, double y)
{
    return (void)x, 8 * y * y;
}

static double inverse_x(double x, double y)
{
    return (void)y, 4 / fabs(x);
}

static double inverse_y(double x, double y)
{
    return (void)x, 4 / fabs(y);
}

/* ---- the functions: A value of an activation (activation_values.h), V of another function, S slope ---- */

#define A(name, expression)                                      \
    ACTIVATION_VALUE(name)                                       \
    {                                                            \
        (void)p;                                                 \
        return expression;                                       \
    }
#define V(name, expression) static A(name, expression)
#define S(name, expression)                                      \
    static double name##_slope(double x, double y, const double *p) \
    {                                                            \
        (void)x, (void)y, (void)p;                               \
        return expression;                                       \
    }

A(silu, x * sigmoid_of(x))
S(silu, sigmoid_of(x) * (1 + x * (1 - sigmoid_of(x))))
A(sigmoid, sigmoid_of(x))
S(sigmoid, y * (1 - y))
A(logsigmoid, -log1p_exp(-x))
S(logsigmoid, sigmoid_of(-x))
A(tanh, tanh(x))
S(tanh, 1 - y * y)
A(relu, fmax(x, 0))
S(relu, y > 0)
A(relu6, fmin(fmax(x, 0), 6))
S(relu6, y > 0 && y < 6)
V(neg, -x)
S(neg, -1)
V(abs, fabs(x))
S(abs, (x > 0) - (x < 0))
V(sign, (x > 0) - (x < 0))
V(floor, floor(x))
V(ceil, ceil(x))
V(trunc, trunc(x))
V(round, nearbyint(x))
S(flat, 0)
V(exp, exp(x))
S(exp, y)
V(exp2, exp2(x))
S(exp2, y * 0.69314718055994530942)
V(expm1, expm1(x))
S(expm1, y + 1)
V(log, log(x))
S(log, 1 / x)
V(log2, log2(x))
S(log2, 1 / (x * 0.69314718055994530942))
V(log10, log10(x))
S(log10, 1 / (x * 2.30258509299404568402))
V(log1p, log1p(x))
S(log1p, 1 / (1 + x))
V(sqrt, sqrt(x))
S(sqrt, 0.5 / y)
V(rsqrt, 1 / sqrt(x))
S(rsqrt, -0.5 * y * y * y)
V(square, x * x)
S(square, 2 * x)
V(reciprocal, 1 / x)
S(reciprocal, -y * y)
V(sin, sin(x))
S(sin, cos(x))
V(cos, cos(x))
S(cos, -sin(x))
V(tan, tan(x))
S(tan, 1 + y * y)
V(atan, atan(x))
S(atan, 1 / (1 + x * x))
V(sinh, sinh(x))
S(sinh, cosh(x))
V(cosh, cosh(x))
S(cosh, sinh(x))
V(erf, erf(x))
S(erf, 2 / sqrt(3.14159265358979323846) * exp(-x * x))
A(hardswish, x * fmin(fmax(x + 3, 0), 6) / 6)
S(hardswish, x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6)
A(hardsigmoid, fmin(fmax(x + 3, 0), 6) / 6)
S(hardsigmoid, x > -3 && x < 3 ? 1 / 6. : 0)
A(mish, x * tanh(log1p_exp(x)))
static double mish_slope(double x, double y, const double *p)
{
    double t = tanh(log1p_exp(x));
    (void)y, (void)p;
    return t + x * sigmoid_of(x) * (1 - t * t);
}
A(softsign, x / (1 + fabs(x)))
S(softsign, 1 / ((1 + fabs(x)) * (1 + fabs(x))))
A(selu, 1.0507009873554804934193349852946 * (x > 0 ? x : 1.6732632423543772848170429916717 * expm1(x)))
S(selu, 1.0507009873554804934193349852946 * (x > 0 ? 1 : 1.6732632423543772848170429916717 * exp(x)))
A(gelu_erf, 0.5 * x * (1 + erf(x * ROOT_HALF)))
S(gelu_erf, 0.5 * (1 + erf(x * ROOT_HALF)) + x * exp(-x * x / 2) * ROOT_HALF * ROOT_2_PI * ROOT_HALF)
A(gelu_tanh, 0.5 * x * (1 + tanh(ROOT_2_PI * (x + GELU_CUBIC * x * x * x))))
static double gelu_tanh_slope(double x, double y, const double *p)
{
    double t = tanh(ROOT_2_PI * (x + GELU_CUBIC * x * x * x));
    (void)y, (void)p;
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * ROOT_2_PI * (1 + 3 * GELU_CUBIC * x * x);
}
A(gelu_quick, x * sigmoid_of(1.702 * x))
S(gelu_quick, sigmoid_of(1.702 * x) * (1 + 1.702 * x * (1 - sigmoid_of(1.702 * x))))
A(softplus, p[0] * x > p[1] ? x : log1p_exp(p[0] * x) / p[0])
S(softplus, p[0] * x > p[1] ? 1 : sigmoid_of(p[0] * x))
A(elu, x > 0 ? x : p[0] * expm1(x))
S(elu, x > 0 ? 1 : p[0] * exp(x))
V(celu, x > 0 ? x : p[0] * expm1(x / p[0]))
S(celu, x > 0 ? 1 : exp(x / p[0]))
A(leaky_relu, x > 0 ? x : p[0] * x)
S(leaky_relu, x > 0 ? 1 : p[0])
A(hardtanh, fmin(fmax(x, p[0]), p[1]))
S(hardtanh, x > p[0] && x < p[1])
V(threshold, x > p[0] ? x : p[1])
S(threshold, x > p[0])
V(softshrink, x > p[0] ? x - p[0] : x < -p[0] ? x + p[0] : 0)
S(softshrink, fabs(x) > p[0])
V(hardshrink, fabs(x) > p[0] ? x : 0)
S(hardshrink, fabs(x) > p[0])

static void softplus_arguments(const struct call_values *c, double *p)
{
    p[0] = call_number(c, 1, "beta", 1);
    p[1] = call_number(c, 2, "threshold", 20);
}

static void elu_arguments(const struct call_values *c, double *p)
{
    p[0] = call_number(c, 1, "alpha", 1);
}

static void leaky_relu_arguments(const struct call_values *c, double *p)
{
    p[0] = call_number(c, 1, "negative_slope alpha", 0.01);
}

static void hardtanh_arguments(const struct call_values *c, double *p)
{
    p[0] = call_number(c, 1, "min_val", -1);
    p[1] = call_number(c, 2, "max_val", 1);
}

static void threshold_arguments(const struct call_values *c, double *p)
{
    p[0] = call_number(c, 1, "threshold", 0);
    p[1] = call_number(c, 2, "value", 0);
}

static void shrink_arguments(const struct call_values *c, double *p)
{
    p[0] = call_number(c, 1, "lambd", 0.5);
}

/* ---- formulas over a tensor ---- */

static void unary_forward(struct call_values *c, const struct unary *f)
{
    const struct real_tensor *x = call_nth_tensor(c, 0);
    double p[2] = {0};
    if (!x)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (f->arguments)
        f->arguments(c, p);
    struct room r = room_for(c, 0, x, f->formula);
    for (int64_t i = 0; i < x->count; i++) {
        r.y[i] = f->value(x->v[i], p);
        r.roundings[i] = f->rounds * fabs(r.y[i]);
        r.inside[i] = f->inside ? f->inside(x->v[i], r.y[i]) : 0;
    }
}

static void unary_backward(struct call_values *c, const struct unary *f)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *y = &c->result[0];
    double p[2] = {0};
    if (!x || y->count != x->count)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct real_tensor g = gradient_as(c, x);
    if (!g.v)
        return;
    if (f->arguments)
        f->arguments(c, p);
    struct room r = room_for(c, ANY_OUTPUT, x, f->slope_formula);
    for (int64_t i = 0; i < x->count; i++) {
        r.y[i] = g.v[i] * f->slope(x->v[i], y->v[i], p);
        r.roundings[i] = 3 * fabs(r.y[i]);
        r.inside[i] = f->slope_inside ? fabs(g.v[i]) * f->slope_inside(x->v[i], y->v[i]) : 0;
    }
}

/* name, formula, formula of the derivative, c, a, a of the derivative, reader of arguments */
#define FUNCTION(name, formula, slope_formula, rounds, inside, slope_inside, arguments)                                \
    static const struct unary name##_function = {formula, slope_formula, rounds,       name##_value,                   \
                                                 inside,  name##_slope,  slope_inside, arguments};                     \
    static void name##_forward(struct call_values *c)                                                                  \
    {                                                                                                                  \
        unary_forward(c, &name##_function);                                                                            \
    }                                                                                                                  \
    static void name##_backward(struct call_values *c)                                                                 \
    {                                                                                                                  \
        unary_backward(c, &name##_function);                                                                           \
    }

#define sign_slope  flat_slope
#define floor_slope flat_slope
#define ceil_slope  flat_slope
#define trunc_slope flat_slope
#define round_slope flat_slope

FUNCTION(silu, "x sigmoid(x)", "g silu'(x)", 2, like_exp, silu_slope_inside, NULL)
FUNCTION(sigmoid, "1 / (1 + exp(-x))", "g y (1 - y)", 2, like_exp, eight_y, NULL)
FUNCTION(logsigmoid, "-log(1 + exp(-x))", "g sigmoid(-x)", 2, like_log, slope_four, NULL)
FUNCTION(tanh, "tanh(x)", "g (1 - y²)", 2, like_tanh, slope_four, NULL)
FUNCTION(relu, "max(x, 0)", "g where y > 0", 0, NULL, NULL, NULL)
FUNCTION(relu6, "min(max(x, 0), 6)", "g where 0 < y < 6", 0, NULL, NULL, NULL)
FUNCTION(neg, "-x", "-g", 0, NULL, NULL, NULL)
FUNCTION(abs, "|x|", "g sign(x)", 0, NULL, NULL, NULL)
FUNCTION(sign, "sign(x)", "0", 0, NULL, NULL, NULL)
FUNCTION(floor, "floor(x)", "0", 0, NULL, NULL, NULL)
FUNCTION(ceil, "ceil(x)", "0", 0, NULL, NULL, NULL)
FUNCTION(trunc, "trunc(x)", "0", 0, NULL, NULL, NULL)
FUNCTION(round, "round(x), ties to even", "0", 0, NULL, NULL, NULL)
FUNCTION(exp, "exp(x)", "g y", 1, like_exp, four_y, NULL)
FUNCTION(exp2, "2^x", "g y log 2", 1, like_exp, four_y, NULL)
FUNCTION(expm1, "exp(x) - 1", "g (y + 1)", 1, four_y, eight_y_and_1, NULL)
FUNCTION(log, "log(x)", "g / x", 1, like_log, inverse_x, NULL)
FUNCTION(log2, "log2(x)", "g / (x log 2)", 1, like_log, inverse_x, NULL)
FUNCTION(log10, "log10(x)", "g / (x log 10)", 1, like_log, inverse_x, NULL)
FUNCTION(log1p, "log(1 + x)", "g / (1 + x)", 1, like_log, slope_four, NULL)
FUNCTION(sqrt, "sqrt(x)", "g / 2y", 1, NULL, inverse_y, NULL)
FUNCTION(rsqrt, "1 / sqrt(x)", "-g y³ / 2", 2, four_y, cubed_y, NULL)
FUNCTION(square, "x²", "2 g x", 1, NULL, two_x, NULL)
FUNCTION(reciprocal, "1 / x", "-g y²", 1, two_y, squared_y, NULL)
FUNCTION(sin, "sin(x)", "g cos(x)", 1, like_sine, slope_four, NULL)
FUNCTION(cos, "cos(x)", "-g sin(x)", 1, like_sine, slope_four, NULL)
FUNCTION(tan, "tan(x)", "g (1 + y²)", 1, sixteen_y, squared_y, NULL)
FUNCTION(atan, "atan(x)", "g / (1 + x²)", 1, like_sine, slope_four, NULL)
FUNCTION(sinh, "sinh(x)", "g cosh(x)", 2, like_exp, eight_y_and_1, NULL)
FUNCTION(cosh, "cosh(x)", "g sinh(x)", 2, like_exp, eight_y, NULL)
FUNCTION(erf, "erf(x)", "g 2 exp(-x²) / sqrt(pi)", 1, eight_y_and_1, slope_four, NULL)
FUNCTION(hardswish, "x min(max(x + 3, 0), 6) / 6", "g hardswish'(x)", 3, NULL, slope_four, NULL)
FUNCTION(hardsigmoid, "min(max(x + 3, 0), 6) / 6", "g / 6 where |x| < 3", 3, slope_one, NULL, NULL)
FUNCTION(mish, "x tanh(log(1 + exp(x)))", "g mish'(x)", 3, sixteen_y, gelu_slope_inside, NULL)
FUNCTION(softsign, "x / (1 + |x|)", "g / (1 + |x|)²", 2, four_y, slope_four, NULL)
FUNCTION(selu, "selu(x)", "g selu'(x)", 2, like_log, slope_four, NULL)
FUNCTION(gelu_erf, "x (1 + erf(x / sqrt 2)) / 2", "g gelu'(x), none", 3, like_gelu_erf, gelu_slope_inside, NULL)
FUNCTION(gelu_tanh, "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x³))) / 2", "g gelu'(x), tanh", 3, like_gelu_tanh,
         gelu_slope_inside, NULL)
FUNCTION(gelu_quick, "x sigmoid(1.702 x)", "g gelu'(x), quick", 3, like_quick_gelu, gelu_slope_inside, NULL)
FUNCTION(softplus, "log(1 + exp(beta x)) / beta", "g sigmoid(beta x)", 2, eight_y, slope_four, softplus_arguments)
FUNCTION(elu, "x or alpha (exp(x) - 1)", "g or g alpha exp(x)", 2, like_log, slope_four, elu_arguments)
FUNCTION(celu, "x or alpha (exp(x / alpha) - 1)", "g or g exp(x / alpha)", 2, like_log, slope_four, elu_arguments)
FUNCTION(leaky_relu, "x or slope x", "g or slope g", 1, NULL, NULL, leaky_relu_arguments)
FUNCTION(hardtanh, "min(max(x, min_val), max_val)", "g where min_val < x < max_val", 1, NULL, NULL, hardtanh_arguments)
FUNCTION(threshold, "x where x > threshold, else value", "g where x > threshold", 1, NULL, NULL, threshold_arguments)
FUNCTION(softshrink, "x moved by lambd towards 0", "g where |x| > lambd", 1, NULL, NULL, shrink_arguments)
FUNCTION(hardshrink, "x where |x| > lambd", "g where |x| > lambd", 0, NULL, NULL, shrink_arguments)

/* ---- gelu: the formula is an argument, or not recorded ---- */

enum gelu { GELU_ERF = 1, GELU_TANH = 2 };

/* MindSpore's primitive stores its formula as an attribute, a module as a constructor argument. */
static int gelu_kinds(const struct call_values *c)
{
    const struct value *how = call_value(c, 1, "approximate");
    if (how && how->kind == VALUE_TEXT)
        return how->text[0] == 't' ? GELU_TANH : GELU_ERF;
    if (how && how->kind == VALUE_BOOL)
        return how->number != 0 ? GELU_TANH : GELU_ERF;
    return c->mindspore || c->module ? GELU_ERF | GELU_TANH : GELU_ERF;
}

static void gelu_forward(struct call_values *c)
{
    int kinds = gelu_kinds(c);
    if (kinds & GELU_TANH)
        gelu_tanh_forward(c);
    if (kinds & GELU_ERF)
        gelu_erf_forward(c);
}

static void gelu_backward(struct call_values *c)
{
    int kinds = gelu_kinds(c);
    if (kinds & GELU_ERF)
        gelu_erf_backward(c);
    if (kinds & GELU_TANH)
        gelu_tanh_backward(c);
}

/* ---- leaky_relu: MindSpore has two functions of this name with different default slopes ---- */

/* An unrecorded slope: the one that explains the output, the median of y / x over x below 0. */
static void leaky_relu_fitted(struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *y = &c->output[0];
    if (!x || y->count != x->count)
        return call_unknown(c, x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    double *ratio = real_array(c, x->count), slope = 0.01;
    int64_t n = 0;
    for (int64_t i = 0; i < x->count; i++)
        if (x->v[i] < 0 && isfinite(y->v[i]))
            ratio[n++] = y->v[i] / x->v[i];
    if (n)
        slope = select_kth(ratio, (size_t)n, (size_t)(n / 2));
    call_fitted(c, &slope, 1);
    struct room r = room_for(c, 0, x, arena_fmt(c->arena, "x or %.6g x", slope));
    for (int64_t i = 0; i < x->count; i++) {
        r.y[i] = x->v[i] > 0 ? x->v[i] : slope * x->v[i];
        r.roundings[i] = 2 * fabs(r.y[i]);
    }
}

static bool keeps_slope(const struct call_values *c)
{
    return c->module || (c->mindspore && !call_value(c, 1, "negative_slope alpha"));
}

static void leaky_forward(struct call_values *c)
{
    if (keeps_slope(c))
        return leaky_relu_fitted(c);
    leaky_relu_forward(c);
}

static void leaky_backward(struct call_values *c)
{
    if (keeps_slope(c))
        return call_unknown(c, UNKNOWN_ARGUMENT);
    leaky_relu_backward(c);
}

/* ---- gated: the last axis has two halves ---- */

struct halves {
    int64_t outer, n, inner;
};

static bool halves_of(struct call_values *c, const struct real_tensor *x, const char *words, int left_out,
                      struct halves *h)
{
    int axis = x ? call_axis(c, 1, words, x->axes, left_out) : -1;
    if (axis < 0 || x->shape[axis] % 2 != 0) {
        call_unknown(c, x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
        return false;
    }
    real_around(x, axis, &h->outer, &h->n, &h->inner);
    h->n /= 2;
    return true;
}

struct gate {
    const char *formula, *slope_formula;
    bool first;                 /* the function applies to the first half, otherwise to the second */
    const struct unary *through;
};

static void gated_forward(struct call_values *c, const struct gate *gate)
{
    const struct real_tensor *x = call_nth_tensor(c, 0);
    struct halves h;
    if (!halves_of(c, x, "dim axis", -1, &h))
        return;
    struct real_tensor shape = *x;
    shape.axes = 3;
    shape.shape[0] = h.outer, shape.shape[1] = h.n, shape.shape[2] = h.inner;
    shape.count = h.outer * h.n * h.inner;
    struct room r = room_for(c, 0, &shape, gate->formula);
    for (int64_t o = 0, i = 0; o < h.outer; o++)
        for (int64_t k = 0; k < h.n * h.inner; k++, i++) {
            const double *half = x->v + 2 * o * h.n * h.inner + k, *other = half + h.n * h.inner;
            double in = gate->first ? *half : *other, times = gate->first ? *other : *half,
                   v = gate->through->value(in, NULL);
            r.y[i] = v * times;
            r.roundings[i] = (gate->through->rounds + 1) * fabs(r.y[i]);
            r.inside[i] = fabs(times) * gate->through->inside(in, v);
        }
}

static void gated_backward(struct call_values *c, const struct gate *gate)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *g = &c->gradient[0];
    struct halves h;
    if (!halves_of(c, x, "dim axis", -1, &h))
        return;
    if (g->count * 2 != x->count)
        return call_unknown(c, UNKNOWN_SHAPE);
    struct room r = room_for(c, ANY_OUTPUT, x, gate->slope_formula);
    const struct unary *f = gate->through;
    for (int64_t o = 0, i = 0; o < h.outer; o++)
        for (int64_t k = 0; k < h.n * h.inner; k++, i++) {
            int64_t half = 2 * o * h.n * h.inner + k, other = half + h.n * h.inner;
            int64_t in = gate->first ? half : other, times = gate->first ? other : half;
            double v = f->value(x->v[in], NULL), slope = f->slope(x->v[in], v, NULL);
            r.y[times] = g->v[i] * v;
            r.y[in] = g->v[i] * x->v[times] * slope;
            r.inside[times] = fabs(g->v[i]) * f->inside(x->v[in], v);
            r.inside[in] = fabs(g->v[i] * x->v[times]) * f->slope_inside(x->v[in], v);
            r.roundings[times] = 3 * fabs(r.y[times]);
            r.roundings[in] = 4 * fabs(r.y[in]);
        }
}

static const struct gate swiglu = {"silu(a) b", "g b silu'(a), g silu(a)", true, &silu_function},
                         glu = {"a sigmoid(b)", "g sigmoid(b), g a sigmoid'(b)", false, &sigmoid_function};

static void swiglu_forward(struct call_values *c)
{
    gated_forward(c, &swiglu);
}

static void swiglu_backward(struct call_values *c)
{
    gated_backward(c, &swiglu);
}

static void glu_forward(struct call_values *c)
{
    gated_forward(c, &glu);
}

static void glu_backward(struct call_values *c)
{
    gated_backward(c, &glu);
}

#define ALIKE(words, name, from)                                                                           \
    {.names = words, .forward = name##_forward, .backward = name##_backward, .source = from, .misfit = misfit_alike, \
     .figures = FIGURES_POINTWISE}

const struct operator operators_activation[] = {
    ALIKE("silu silu_ swish", silu, "torch.nn.functional.silu"),
    ALIKE("sigmoid sigmoid_", sigmoid, "torch.sigmoid"),
    ALIKE("logsigmoid log_sigmoid", logsigmoid, "torch.nn.functional.logsigmoid"),
    ALIKE("tanh tanh_", tanh, "torch.tanh"),
    ALIKE("relu relu_", relu, "torch.nn.functional.relu"),
    ALIKE("relu6", relu6, "torch.nn.functional.relu6"),
    ALIKE("gelu", gelu, "torch.nn.functional.gelu"),
    /* x / (1 + exp(-1.702 |x|)) · exp(0.851 (x - |x|)) of MindSpore and the NPU equals x sigmoid(1.702 x) */
    ALIKE("fastgelu fast_gelu npu_fast_gelu quick_gelu", gelu_quick, "mindspore.ops.fast_gelu"),
    OPERATOR_BY_NAME("swiglu npu_swiglu", swiglu, "torch_npu.npu_swiglu"),
    OPERATOR_BY_NAME("glu", glu, "torch.nn.functional.glu"),
    ALIKE("hardswish hswish", hardswish, "torch.nn.functional.hardswish"),
    ALIKE("hardsigmoid hsigmoid", hardsigmoid, "torch.nn.functional.hardsigmoid"),
    ALIKE("hardtanh hardtanh_", hardtanh, "torch.nn.functional.hardtanh"),
    ALIKE("softplus softplusext", softplus, "torch.nn.functional.softplus"),
    ALIKE("softsign", softsign, "torch.nn.functional.softsign"),
    ALIKE("mish mishext", mish, "torch.nn.functional.mish"),
    ALIKE("elu elu_ eluext", elu, "torch.nn.functional.elu"),
    ALIKE("celu", celu, "torch.nn.functional.celu"),
    ALIKE("selu seluext", selu, "torch.nn.functional.selu"),
    ALIKE("leaky_relu leaky_relu_ leakyrelu leakyreluext", leaky, "torch.nn.functional.leaky_relu"),
    ALIKE("threshold", threshold, "torch.nn.functional.threshold"),
    ALIKE("softshrink", softshrink, "torch.nn.functional.softshrink"),
    ALIKE("hardshrink hshrink", hardshrink, "torch.nn.functional.hardshrink"),
    ALIKE("neg neg_ __neg__ negative", neg, "torch.neg"),
    ALIKE("abs abs_ __abs__ absolute", abs, "torch.abs"),
    ALIKE("sign sgn", sign, "torch.sign"),
    ALIKE("floor floor_", floor, "torch.floor"),
    ALIKE("ceil ceil_", ceil, "torch.ceil"),
    ALIKE("trunc trunc_ fix", trunc, "torch.trunc"),
    ALIKE("round round_", round, "torch.round"),
    ALIKE("exp exp_", exp, "torch.exp"),
    ALIKE("exp2", exp2, "torch.exp2"),
    ALIKE("expm1", expm1, "torch.expm1"),
    ALIKE("log log_", log, "torch.log"),
    ALIKE("log2", log2, "torch.log2"),
    ALIKE("log10", log10, "torch.log10"),
    ALIKE("log1p", log1p, "torch.log1p"),
    ALIKE("sqrt sqrt_", sqrt, "torch.sqrt"),
    ALIKE("rsqrt rsqrt_", rsqrt, "torch.rsqrt"),
    ALIKE("square square_", square, "torch.square"),
    ALIKE("reciprocal", reciprocal, "torch.reciprocal"),
    ALIKE("sin sin_", sin, "torch.sin"),
    ALIKE("cos cos_", cos, "torch.cos"),
    ALIKE("tan", tan, "torch.tan"),
    ALIKE("atan arctan", atan, "torch.atan"),
    ALIKE("sinh", sinh, "torch.sinh"),
    ALIKE("cosh", cosh, "torch.cosh"),
    ALIKE("erf", erf, "torch.erf"),
    {.names = NULL},
};

static void fast_gelu_module(struct call_values *c)
{
    gelu_tanh_forward(c);
    gelu_quick_forward(c);
}

#define CLASS(words, function, from) {.names = words, .forward = function, .source = from}

const struct operator operators_activation_class[] = {
    CLASS("silu siluactivation swish", silu_forward, "torch.nn.SiLU"),
    CLASS("relu", relu_forward, "torch.nn.ReLU"),
    CLASS("relu6", relu6_forward, "torch.nn.ReLU6"),
    CLASS("sigmoid", sigmoid_forward, "torch.nn.Sigmoid"),
    CLASS("logsigmoid", logsigmoid_forward, "torch.nn.LogSigmoid"),
    CLASS("tanh", tanh_forward, "torch.nn.Tanh"),
    CLASS("gelu geluactivation gelutanh pytorchgelutanh", gelu_forward, "torch.nn.GELU"),
    CLASS("newgeluactivation", gelu_tanh_forward, "transformers.activations.NewGELUActivation"),
    CLASS("quickgeluactivation quickgelu", gelu_quick_forward, "transformers.activations.QuickGELUActivation"),
    CLASS("fastgelu fastgeluactivation", fast_gelu_module,
          "mindspore.nn.FastGelu; transformers.activations.FastGELUActivation"),
    CLASS("hardswish hswish", hardswish_forward, "torch.nn.Hardswish"),
    CLASS("hardsigmoid hsigmoid", hardsigmoid_forward, "torch.nn.Hardsigmoid"),
    CLASS("mish", mish_forward, "torch.nn.Mish"),
    CLASS("selu", selu_forward, "torch.nn.SELU"),
    CLASS("softsign", softsign_forward, "torch.nn.Softsign"),
    CLASS("leakyrelu", leaky_forward, "torch.nn.LeakyReLU"),
    {.names = NULL},
};
