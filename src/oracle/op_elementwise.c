/* Elementwise operators of two or more operands: sums, products, powers, selections; with their gradients. */
#include <string.h>

#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

/* ---- operands ---- */

/* An operand broadcast to the result's shape. A number operand may be rounded to the tensor's type. */
struct operand {
    const struct real_tensor *own; /* as recorded, NULL for a number */
    struct real_tensor spread;
};

static bool operand_of(const struct call_values *c, int place, const char *words, struct operand *o)
{
    const struct value *v = call_value(c, place, words);
    if (!v)
        return false;
    *o = (struct operand){.own = v->kind == VALUE_TENSOR ? &v->tensor : NULL};
    return o->own || v->kind == VALUE_NUMBER || v->kind == VALUE_BOOL;
}

/* Broadcasts all operands to their common shape, which becomes `shape`. */
static bool spread_operands(struct call_values *c, struct operand *o, const double *number, int n,
                            struct real_tensor *shape)
{
    *shape = (struct real_tensor){.count = 1};
    for (int i = 0; i < n; i++) {
        struct real_tensor so_far = *shape;
        if (o[i].own && !real_broadcast_shape(&so_far, o[i].own, shape))
            return false;
    }
    if (c->results && shape->count != c->result[0].count)
        return false;
    for (int i = 0; i < n; i++) {
        struct real_tensor one = {.count = 1, .v = real_array(c, 1)};
        one.v[0] = number[i];
        o[i].spread = real_broadcast(c, o[i].own ? o[i].own : &one, shape->axes, shape->shape);
    }
    return true;
}

/* Operands by position and name; false, with the reason recorded, if one is missing or they do not fit. */
static bool operands_of(struct call_values *c, const char *const *words, int n, struct operand *o,
                        struct real_tensor *shape)
{
    double number[3] = {0};
    for (int i = 0; i < n; i++) {
        if (!operand_of(c, i, words[i], &o[i])) {
            call_unknown(c, UNKNOWN_ARGUMENT);
            return false;
        }
        if (!o[i].own)
            number[i] = call_number(c, i, words[i], 0);
    }
    if (!spread_operands(c, o, number, n, shape))
        call_unknown(c, UNKNOWN_SHAPE);
    return !c->unknown;
}

/* The incoming gradient in the result's shape. */
static bool elementwise_incoming(struct call_values *c, const struct real_tensor *shape, struct real_tensor *g)
{
    *g = gradient_as(c, shape);
    return g->v;
}

/* The gradient of one operand, summed over broadcast axes; PyTorch may leave the sum to the next node. `slope`: the
 * float32 error of the derivative, as a multiple. */
static void operand_gradient(struct call_values *c, const struct operand *o, const struct real_tensor *full,
                             double slope, const char *formula)
{
    if (!o->own)
        return;
    if (o->own->count != full->count)
        gradient_summed(c, full, o->own, formula);
    struct room r = room_for(c, ANY_OUTPUT, full, formula);
    for (int64_t i = 0; i < full->count; i++) {
        r.y[i] = full->v[i];
        r.roundings[i] = (slope > 0 ? 3 : 2) * fabs(full->v[i]);
        r.inside[i] = slope * fabs(full->v[i]);
    }
}

/* ---- two operands ---- */

struct binary {
    const char *formula, *slope_formula;
    double (*value)(double a, double b);
    void (*slopes)(double a, double b, double y, double *by_a, double *by_b);
    bool additive, exact, divides, power;
};

static const char *const two_words[] = {"input x self", "other y exponent value tensor2"};

static double add_value(double a, double b)
{
    return a + b;
}

static void add_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    (void)a, (void)b, (void)y;
    *by_a = *by_b = 1;
}

static double sub_value(double a, double b)
{
    return a - b;
}

static void sub_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    (void)a, (void)b, (void)y;
    *by_a = 1;
    *by_b = -1;
}

static double mul_value(double a, double b)
{
    return a * b;
}

static void mul_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    (void)y;
    *by_a = b;
    *by_b = a;
}

static double div_value(double a, double b)
{
    return a / b;
}

static void div_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    (void)y;
    *by_a = 1 / b;
    *by_b = -a / b / b;
}

static void pow_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    *by_a = b * pow(a, b - 1);
    *by_b = y * log(a);
}

static double larger_of(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* If both are equal, frameworks divide the gradient differently. */
static void larger_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    (void)y;
    *by_a = a == b ? NAN : a > b;
    *by_b = a == b ? NAN : b > a;
}

static double smaller_of(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static void smaller_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    (void)y;
    *by_a = a == b ? NAN : a < b;
    *by_b = a == b ? NAN : b < a;
}

static void atan2_slopes(double a, double b, double y, double *by_a, double *by_b)
{
    (void)y;
    *by_a = b / (a * a + b * b);
    *by_b = -a / (a * a + b * b);
}

static const struct binary
    add = {"a + b", "g", add_value, add_slopes, .additive = true},
    sub = {"a - b", "g, -g", sub_value, sub_slopes, .additive = true},
    mul = {.formula = "a b", .slope_formula = "g b, g a", .value = mul_value, .slopes = mul_slopes},
    divided = {"a / b", "g / b, -g a / b²", div_value, div_slopes, .divides = true},
    power = {"a^b", "g b a^(b-1), g y log a", pow, pow_slopes, .divides = true, .power = true},
    maximum = {"max(a, b)", "g where larger", larger_of, larger_slopes, .exact = true},
    minimum = {"min(a, b)", "g where smaller", smaller_of, smaller_slopes, .exact = true},
    arctan2 = {"atan2(a, b)", "g atan2'(a, b)", atan2, atan2_slopes, .divides = true};

static bool simple_power(double e)
{
    return e == 2 || e == 0.5 || e == 3 || e == -0.5 || e == 1;
}

/* The effect on the result of rounding a number operand. */
static double rounded_number(const struct binary *f, bool second, double operand, double y)
{
    if (f->additive)
        return fabs(operand);
    if (f->power && second)
        return simple_power(operand) ? fabs(y) : 2 * fabs(y * operand);
    return fabs(y);
}

static double alpha_of(const struct call_values *c, const struct binary *f)
{
    return f->additive ? call_number(c, -1, "alpha", 1) : 1;
}

static void binary_forward(struct call_values *c, const struct binary *f, bool reflected)
{
    struct operand o[2];
    struct real_tensor shape;
    if (call_text(c, -1, "rounding_mode"))
        return call_unknown(c, UNKNOWN_VARIANT);
    if (!operands_of(c, two_words, 2, o, &shape))
        return;
    double alpha = alpha_of(c, f);
    const double *x = o[reflected].spread.v, *z = o[!reflected].spread.v;
    struct room r =
        room_for(c, 0, &shape, arena_fmt(c->arena, alpha != 1 ? "%s, b times %g" : "%s", f->formula, alpha));
    for (int64_t i = 0; i < shape.count; i++) {
        double a = x[i], b = alpha * z[i], y = r.y[i] = f->value(a, b);
        r.roundings[i] = f->exact ? 0 : fabs(y);
        for (int k = 0; k < 2; k++)
            if (!o[k].own)
                r.roundings[i] += rounded_number(f, k != reflected, k != reflected ? b : a, y);
        r.inside[i] = f->divides ? 4 * fabs(y) : 0;
    }
}

static void binary_backward(struct call_values *c, const struct binary *f, bool reflected)
{
    struct operand o[2];
    struct real_tensor shape, g;
    if (!operands_of(c, two_words, 2, o, &shape) || !elementwise_incoming(c, &shape, &g))
        return;
    double alpha = alpha_of(c, f);
    struct real_tensor by_a = real_like(c, &shape), by_b = real_like(c, &shape);
    for (int64_t i = 0; i < shape.count; i++) {
        double a = o[reflected].spread.v[i], b = alpha * o[!reflected].spread.v[i];
        f->slopes(a, b, f->value(a, b), &by_a.v[i], &by_b.v[i]);
        by_a.v[i] *= g.v[i];
        by_b.v[i] *= g.v[i] * alpha;
    }
    operand_gradient(c, &o[reflected], &by_a, f->power ? 4 : 0, f->slope_formula);
    operand_gradient(c, &o[!reflected], &by_b, f->power ? 4 : 0, f->slope_formula);
}

#define BINARY(name, function, reflected)                  \
    static void name##_forward(struct call_values *c)      \
    {                                                      \
        binary_forward(c, &function, reflected);           \
    }                                                      \
    static void name##_backward(struct call_values *c)     \
    {                                                      \
        binary_backward(c, &function, reflected);          \
    }

BINARY(add, add, false)
BINARY(sub, sub, false)
BINARY(reflected_sub, sub, true)
BINARY(mul, mul, false)
BINARY(div, divided, false)
BINARY(reflected_div, divided, true)
BINARY(pow, power, false)
BINARY(reflected_pow, power, true)
BINARY(maximum, maximum, false)
BINARY(minimum, minimum, false)
BINARY(atan2, arctan2, false)

/* ---- selections ---- */

static const char *const where_words[] = {"condition", "input x", "other y"};

static void where_forward(struct call_values *c)
{
    struct operand o[3];
    struct real_tensor shape;
    if (!operands_of(c, where_words, 3, o, &shape))
        return;
    struct room r = room_for(c, 0, &shape, "a where condition, else b");
    for (int64_t i = 0; i < shape.count; i++) {
        const struct operand *chosen = &o[o[0].spread.v[i] != 0 ? 1 : 2];
        r.y[i] = chosen->spread.v[i];
        r.roundings[i] = chosen->own ? 0 : fabs(r.y[i]);
    }
}

static void where_backward(struct call_values *c)
{
    struct operand o[3];
    struct real_tensor shape, g;
    if (!operands_of(c, where_words, 3, o, &shape) || !elementwise_incoming(c, &shape, &g))
        return;
    for (int k = 1; k < 3; k++) {
        struct real_tensor part = real_like(c, &shape);
        for (int64_t i = 0; i < shape.count; i++)
            part.v[i] = (o[0].spread.v[i] != 0) == (k == 1) ? g.v[i] : 0;
        operand_gradient(c, &o[k], &part, 0, "g where chosen");
    }
}

/* PyTorch's select is a view: one element of an axis. */
static void select_forward(struct call_values *c)
{
    if (!c->mindspore)
        return operator_find(STR("select_view"))->forward(c);
    where_forward(c);
}

static void select_backward(struct call_values *c)
{
    if (!c->mindspore)
        return operator_find(STR("select_view"))->backward(c);
    where_backward(c);
}

static const char *const fill_words[] = {"input x", "mask", "value"};

static void masked_fill_forward(struct call_values *c)
{
    struct operand o[3];
    struct real_tensor shape;
    if (!operands_of(c, fill_words, 3, o, &shape))
        return;
    struct room r = room_for(c, 0, &shape, "value where masked, else x");
    for (int64_t i = 0; i < shape.count; i++) {
        const struct operand *chosen = &o[o[1].spread.v[i] != 0 ? 2 : 0];
        r.y[i] = chosen->spread.v[i];
        r.roundings[i] = chosen->own ? 0 : fabs(r.y[i]);
    }
}

static void masked_fill_backward(struct call_values *c)
{
    struct operand o[3];
    struct real_tensor shape, g;
    if (!operands_of(c, fill_words, 3, o, &shape) || !elementwise_incoming(c, &shape, &g))
        return;
    struct real_tensor part = real_like(c, &shape);
    for (int64_t i = 0; i < shape.count; i++)
        part.v[i] = o[1].spread.v[i] != 0 ? 0 : g.v[i];
    operand_gradient(c, &o[0], &part, 0, "g where not masked");
}

/* Lower and upper limits of clamp, clamp_min, clamp_max; either may be omitted. */
static bool limits_of(struct call_values *c, const struct real_tensor **x, struct operand *o, struct real_tensor *shape)
{
    bool upper_only = strcmp(c->operator, "clamp_max") == 0;
    double number[3] = {0, call_number(c, upper_only ? -1 : 1, "min clip_value_min", -INFINITY),
                        call_number(c, upper_only ? 1 : 2, "max clip_value_max", INFINITY)};
    *x = call_tensor_at(c, 0, "input x");
    o[0] = (struct operand){.own = *x};
    o[1] = (struct operand){.own = upper_only ? NULL : call_tensor_at(c, 1, "min clip_value_min")};
    o[2] = (struct operand){.own = call_tensor_at(c, upper_only ? 1 : 2, "max clip_value_max")};
    if (!*x || !spread_operands(c, o, number, 3, shape))
        call_unknown(c, *x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    return !c->unknown;
}

static void clamp_forward(struct call_values *c)
{
    const struct real_tensor *x;
    struct operand o[3];
    struct real_tensor shape;
    if (!limits_of(c, &x, o, &shape))
        return;
    struct room r = room_for(c, 0, &shape, "min(max(x, lower), upper)");
    for (int64_t i = 0; i < shape.count; i++) {
        double v = o[0].spread.v[i];
        r.y[i] = smaller_of(larger_of(v, o[1].spread.v[i]), o[2].spread.v[i]);
        r.roundings[i] = r.y[i] == v ? 0 : fabs(r.y[i]);
    }
}

static void clamp_backward(struct call_values *c)
{
    const struct real_tensor *x;
    struct operand o[3];
    struct real_tensor shape, g;
    if (!limits_of(c, &x, o, &shape) || !elementwise_incoming(c, &shape, &g))
        return;
    struct real_tensor part = real_like(c, &shape);
    for (int64_t i = 0; i < shape.count; i++) {
        double v = o[0].spread.v[i], lower = o[1].spread.v[i], upper = o[2].spread.v[i];
        part.v[i] = v > lower && v < upper ? g.v[i] : v == lower || v == upper ? NAN : 0;
    }
    operand_gradient(c, &o[0], &part, 0, "g where within the limits");
}

/* ---- three operands ---- */

static void add_scaled(struct call_values *c, bool quotient)
{
    static const char *const words[] = {"input", "tensor1", "tensor2"};
    struct operand o[3];
    struct real_tensor shape;
    double by = call_number(c, 3, "value", 1);
    if (!operands_of(c, words, 3, o, &shape))
        return;
    struct room r = room_for(c, 0, &shape, quotient ? "x + value a / b" : "x + value a b");
    for (int64_t i = 0; i < shape.count; i++) {
        double a = o[1].spread.v[i], b = o[2].spread.v[i], term = by * (quotient ? a / b : a * b);
        r.y[i] = o[0].spread.v[i] + term;
        r.roundings[i] = fabs(r.y[i]) + 3 * fabs(term);
        r.inside[i] = 4 * fabs(term);
    }
}

static void compute_addcmul(struct call_values *c)
{
    add_scaled(c, false);
}

static void compute_addcdiv(struct call_values *c)
{
    add_scaled(c, true);
}

static void compute_lerp(struct call_values *c)
{
    static const char *const words[] = {"input start", "end", "weight"};
    struct operand o[3];
    struct real_tensor shape;
    if (!operands_of(c, words, 3, o, &shape))
        return;
    struct room r = room_for(c, 0, &shape, "a + weight (b - a)");
    for (int64_t i = 0; i < shape.count; i++) {
        double a = o[0].spread.v[i], b = o[1].spread.v[i], w = o[2].spread.v[i];
        r.y[i] = a + w * (b - a);
        r.roundings[i] = fabs(r.y[i]) + 2 * fabs(w) * (fabs(a) + fabs(b)) + (o[2].own ? 0 : fabs(w * (b - a)));
        r.inside[i] = 4 * (fabs(a) + fabs(w * (b - a)));
    }
}

/* ---- a bias of the channels (axis 1) ---- */

static const struct real_tensor *biased_operand(struct call_values *c, const struct real_tensor **bias, int64_t *run)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input x input_x");
    *bias = call_tensor_at(c, 1, "bias");
    *run = 1;
    for (int i = 2; x && i < x->axes; i++)
        *run *= x->shape[i];
    if (x && *bias && x->axes > 1 && (*bias)->count == x->shape[1])
        return x;
    call_unknown(c, x && *bias ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    return NULL;
}

static void bias_add_forward(struct call_values *c)
{
    const struct real_tensor *b;
    int64_t run;
    const struct real_tensor *x = biased_operand(c, &b, &run);
    if (!x)
        return;
    struct room r = room_for(c, 0, x, "x + b");
    for (int64_t i = 0; i < x->count; i++) {
        r.y[i] = x->v[i] + b->v[i / run % b->count];
        r.roundings[i] = fabs(r.y[i]);
    }
}

static void bias_add_backward(struct call_values *c)
{
    const struct real_tensor *b;
    int64_t run;
    const struct real_tensor *x = biased_operand(c, &b, &run);
    struct real_tensor g;
    if (!x || !elementwise_incoming(c, x, &g))
        return;
    int64_t *place = arena_alloc(c->arena, (size_t)x->count * sizeof *place + 1);
    for (int64_t i = 0; i < x->count; i++)
        place[i] = i / run % b->count;
    candidate_moved(c, ANY_OUTPUT, &g, "g");
    gradient_scattered(c, &g, place, b, "sum of g");
}

/* ---- sums of a list ---- */

static void add_all(struct call_values *c)
{
    const struct real_tensor *first = call_nth_tensor(c, 0), *t;
    if (!first)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct room r = room_for(c, 0, first, "sum of the tensors");
    for (int n = 0; (t = call_nth_tensor(c, n)); n++) {
        if (t->count != first->count)
            return call_unknown(c, UNKNOWN_SHAPE);
        for (int64_t i = 0; i < t->count; i++) {
            r.y[i] += t->v[i];
            r.roundings[i] += n ? fabs(r.y[i]) : 0;
        }
    }
}

/* ---- outer product ---- */

static void compute_outer(struct call_values *c)
{
    const struct real_tensor *a = call_tensor_at(c, 0, "input"), *b = call_tensor_at(c, 1, "vec2 other");
    if (!a || !b)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (a->count * b->count != c->result[0].count)
        return call_unknown(c, UNKNOWN_SHAPE);
    struct real_tensor shape = {.axes = 2, .shape = {a->count, b->count}, .count = a->count * b->count};
    struct room r = room_for(c, 0, &shape, "a_i b_j");
    for (int64_t i = 0; i < shape.count; i++) {
        r.y[i] = a->v[i / b->count] * b->v[i % b->count];
        r.roundings[i] = fabs(r.y[i]);
    }
}

/* ---- table ---- */


#define OF_SIZES(words, name, sizes, from) \
    {.names = words, .forward = name##_forward, .backward = name##_backward, .source = from, .misfit = sizes, \
     .figures = FIGURES_POINTWISE}
#define BROADCAST(words, name, from) OF_SIZES(words, name, misfit_broadcast, from)
#define CHOICE(words, name, from) OF_SIZES(words, name, misfit_choice, from)

const struct operator operators_elementwise[] = {
    BROADCAST("add __add__ __radd__ __iadd__ add_ addext tensoradd", add, "torch.add"),
    BROADCAST("sub __sub__ __isub__ sub_ subtract subext", sub, "torch.sub"),
    BROADCAST("rsub __rsub__", reflected_sub, "torch.rsub"),
    BROADCAST("mul __mul__ __rmul__ __imul__ mul_ multiply muls mulext", mul, "torch.mul"),
    BROADCAST("div __truediv__ __itruediv__ div_ divide true_divide realdiv divext __div__", div, "torch.div"),
    BROADCAST("__rtruediv__ __rdiv__", reflected_div, "torch.div"),
    BROADCAST("pow __pow__ pow_ __ipow__ powtensorscalar", pow, "torch.pow"),
    BROADCAST("__rpow__ powscalartensor", reflected_pow, "torch.pow"),
    BROADCAST("maximum", maximum, "torch.maximum"),
    BROADCAST("minimum", minimum, "torch.minimum"),
    BROADCAST("atan2 arctan2", atan2, "torch.atan2"),
    CHOICE("where", where, "torch.where"),
    CHOICE("select", select, "mindspore.ops.select"),
    BROADCAST("masked_fill masked_fill_ maskedfill", masked_fill, "torch.Tensor.masked_fill"),
    BROADCAST("clamp clamp_ clip clamp_min clamp_max clampscalar clamptensor clip_by_value", clamp,
                     "torch.clamp"),
    {.names = "addcmul addcmul_", .forward = compute_addcmul, .source = "torch.addcmul", .misfit = misfit_broadcast},
    {.names = "addcdiv addcdiv_", .forward = compute_addcdiv, .source = "torch.addcdiv", .misfit = misfit_broadcast},
    {.names = "lerp lerpscalar", .forward = compute_lerp, .source = "torch.lerp", .misfit = misfit_broadcast},
    OPERATOR_BY_NAME("biasadd bias_add", bias_add, "mindspore.ops.bias_add"),
    {.names = "addn add_n accumulate_n", .forward = add_all, .source = "mindspore.ops.addn", .misfit = misfit_broadcast},
    {.names = "outer ger", .forward = compute_outer, .source = "torch.outer"},
    {.names = NULL},
};
