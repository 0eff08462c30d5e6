/* The table of operators that amplify noise, with formulas over recorded or computed figures, and the resulting
 * bounds for a line. */
#include "judge/thresholds.h"
#include "judge/conditioning.h"

#include <math.h>

#include "base/msg.h"
#include "dump/family.h"
#include "judge/pass_rows.h"
#include "judge/routing.h"
#include "pair/align_item.h"

#define MASKED (-1e3) /* scores below this are mask fills */
#define INPUTS 4
#define NEAR 256 /* calls around a record of gradients in which its module's backward call is searched */

/* The figures of one tensor; `rms` is NaN if unknown. */
struct facts {
    double n, max, min, mean, rms;
};

/* The golden side of a call: its inputs in order, and the output considered. */
struct scene {
    struct facts x[INPUTS], y;
    int inputs;
    double power;      /* of xᵖ, NaN if unknown */
    double width, top; /* number of values sorted, and number of values picked; NaN if unknown */
    double terms2;     /* Σ‖xᵢ‖² over the inputs of the output's size */
};

static const struct side_figures *figures_of(const struct measure *m, const uint8_t *state, uint32_t line, int side)
{
    bool measured = line != NONE && m->figures && state[line] == MEASURE_DONE && m->figures[line];
    return measured ? &m->figures[line]->side[side] : NULL;
}

/* The computed figures of a side's row; NULL if there are none. */
static const struct side_figures *measured_figures(const struct measure *m, const uint8_t *state, int side,
                                                   uint32_t row)
{
    return figures_of(m, state, m->pairing->line_of[side][row], side);
}

static struct facts facts_of(const struct measure *m, const uint8_t *state, uint32_t row)
{
    const struct row *r = &m->side[GOLDEN]->rows.v[row];
    const double *s = r->stat;
    double n = (double)dump_row_numel(m->side[GOLDEN], row);
    int all = HAS_MAX | HAS_MIN | HAS_NORM;
    if ((r->has & all) == all && isfinite(s[STAT_NORM]))
        return (struct facts){n, s[STAT_MAX], s[STAT_MIN], r->has & HAS_MEAN ? s[STAT_MEAN] : NAN,
                              s[STAT_NORM] / sqrt(n)};
    const struct side_figures *f = measured_figures(m, state, GOLDEN, row);
    if (f)
        return (struct facts){n, f->max, f->min, f->mean, f->norm / sqrt(n)};
    return (struct facts){n, NAN, NAN, NAN, NAN};
}

/* A scalar has one value; NaN: the shape was not recorded. */
static double last_dim(const struct measure *m, uint32_t row)
{
    const struct shape *s = dump_row_shape(m->side[GOLDEN], row);
    return !s ? NAN : s->ndim ? (double)s->dim[s->ndim - 1] : 1;
}

/* The first number that goes into a call, or the last one; NaN: none. */
static double number_given(const struct dump *d, uint32_t call, bool last)
{
    double number = NAN;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && (d->rows.v[r].kind == ROW_INT || d->rows.v[r].kind == ROW_FLOAT)) {
            number = d->rows.v[r].stat[STAT_MAX];
            if (!last)
                break;
        }
    return number;
}

static void scene_of(struct scene *s, const struct measure *m, const uint8_t *state, uint32_t row)
{
    const struct dump *d = m->side[GOLDEN];
    *s = (struct scene){
        .y = facts_of(m, state, row), .power = number_given(d, d->rows.v[row].call, false), .width = NAN, .top = NAN};
    EACH_EARLY_ROW(d, d->rows.v[row].call, r) {
        const struct row *x = &d->rows.v[r];
        if (s->inputs == INPUTS)
            break;
        if (x->io != IO_INPUT || x->kind != ROW_TENSOR || !dtype_is_float((enum dtype)x->dtype))
            continue;
        struct facts f = facts_of(m, state, r);
        if (f.n == s->y.n && f.rms > 0)
            s->terms2 += f.rms * f.rms * f.n;
        if (!s->inputs) {
            s->width = last_dim(m, r);
            s->top = s->y.n < f.n ? s->y.n / (f.n / s->width) : s->width;
        }
        s->x[s->inputs++] = f;
    }
}

/* ---- the formulas of conditioning.h; NaN: unknown ---- */

static double of_sum(const struct scene *s, bool own)
{
    (void)own;
    return sqrt(s->terms2) / (s->y.rms * sqrt(s->y.n));
}

static double of_centred(const struct scene *s, bool own)
{
    const struct facts *x = &s->x[0];
    double variance = x->rms * x->rms - x->mean * x->mean;
    (void)own;
    if (isnan(variance)) /* fmax would ignore NaN */
        return NAN;
    /* recorded means have seven digits: smaller variances cannot be distinguished from zero */
    return x->rms / sqrt(fmax(variance, 1e-7 * x->rms * x->rms));
}

/* The size of the scores that carry noise. */
static double score_size(const struct facts *x, bool own)
{
    return own && x->min < MASKED ? fabs(x->max) : x->rms;
}

/* Each row of probabilities sums to 1, so their mean gives the number of rows, over any axis. */
static double of_softmax(const struct scene *s, bool own)
{
    double held = s->y.rms * s->y.rms / s->y.mean;
    return score_size(&s->x[0], own) * sqrt(fmax(0, 1 - held));
}

static double of_log_softmax(const struct scene *s, bool own)
{
    double rows = s->x[0].n / s->width / s->y.n;
    return isnan(rows) ? NAN : 2 * score_size(&s->x[0], own) / (s->y.rms * sqrt(fmax(1, rows)));
}

static double typical_magnitude(const struct facts *y)
{
    return sqrt(y->rms * fmax(fabs(y->max), fabs(y->min)));
}

static double of_quotient(const struct scene *s, bool own)
{
    (void)own;
    if (s->inputs < 2) { /* division by a number, or of a number: only in the latter can the denominator be small */
        bool by = fabs(s->y.rms * fabs(s->power) - s->x[0].rms) <= 1e-3 * s->x[0].rms;
        return by ? 1 : typical_magnitude(&s->y) * s->x[0].rms / fabs(s->power);
    }
    return s->x[1].rms * typical_magnitude(&s->y) / s->x[0].rms;
}

static double of_power(const struct scene *s, bool own)
{
    (void)own;
    return s->power < 0 ? -s->power * s->x[0].rms * pow(typical_magnitude(&s->y), -1 / s->power) : fabs(s->power);
}

static double of_log(const struct scene *s, bool own)
{
    (void)own;
    return 1 / s->y.rms;
}

static double of_exp(const struct scene *s, bool own)
{
    return score_size(&s->x[0], own);
}

static double of_trig(const struct scene *s, bool own)
{
    (void)own;
    return s->x[0].rms / s->y.rms;
}

static double of_order(const struct scene *s, bool own)
{
    double spread = fmin(s->width, 4 * fmax(1, s->top) * log(fmax(s->width, 2)));
    (void)own;
    return isnan(s->width) || isnan(s->top) ? NAN : 2 * s->x[0].rms * spread / (s->x[0].max - s->x[0].min);
}

static double of_compare(const struct scene *s, bool own)
{
    (void)own;
    return 2 * s->x[0].rms / (s->x[0].max - s->x[0].min);
}

static const struct {
    double (*kappa)(const struct scene *s, bool own);
    bool discrete;
    const char *text;
} kinds[CONDITION_COUNT] = {
    [CONDITION_SUM] = {of_sum, false, N_("cancellation: the terms nearly cancel")},
    [CONDITION_CENTRED] = {of_centred, false, N_("a subtracted mean far larger than the remainder")},
    [CONDITION_SOFTMAX] = {of_softmax, false, N_("a softmax of large scores")},
    [CONDITION_LOG_SOFTMAX] = {of_log_softmax, false, N_("logarithms of probabilities, small compared with their "
                                                         "scores")},
    [CONDITION_QUOTIENT] = {of_quotient, false, N_("a division by values near zero")},
    [CONDITION_POWER] = {of_power, false, N_("an inverse power of values near zero, or a high power")},
    [CONDITION_LOG] = {of_log, false, N_("a logarithm of values near 1")},
    [CONDITION_EXP] = {of_exp, false, N_("an exponential of large values")},
    [CONDITION_TRIG] = {of_trig, false, N_("a sine or cosine of large angles")},
    [CONDITION_ORDER] = {of_order, true, N_("the order of nearly tied values")},
    [CONDITION_STEP] = {NULL, true, N_("rounding to whole numbers")},
    [CONDITION_COMPARE] = {of_compare, true, N_("a comparison of nearly tied values")},
    [CONDITION_ZERO_GRADIENT] = {NULL, false, N_("a gradient that is zero up to rounding, compared with the other "
                                                 "gradients of its module")},
    [CONDITION_KINK] = {NULL, false, N_("an activation whose inputs are close to its kink")},
    [CONDITION_OTHER_ORDER] = {NULL, false, ""}, /* has its own sentence (verdict_text.c) */
    [CONDITION_POOL_TIE] = {NULL, false, ""},
    [CONDITION_OPTIMIZER] = {NULL, false, ""},
    [CONDITION_WEIGHTED] = {NULL, false, N_("weights that cancel most of the incoming gradient")},
    [CONDITION_GRADIENT_SUM] = {NULL, false, N_("a sum of a gradient over many positions")},
};

/* ---- which operator is which ---- */

/* The first match counts. `part`: the name only has to contain it ("MixedFusedLayerNorm"). */
static const struct {
    enum family family;
    const char *name; /* as by family_plain; NULL: any of the family */
    bool part;
    enum condition_kind kind;
    double power;
} operators[] = {
    {FAMILY_ADD, NULL, false, CONDITION_SUM, 0},
    {FAMILY_NORM, "layernorm", true, CONDITION_CENTRED, 0},
    {FAMILY_NORM, "batchnorm", true, CONDITION_CENTRED, 0},
    {FAMILY_NORM, "groupnorm", true, CONDITION_CENTRED, 0},
    {FAMILY_NORM, "instancenorm", true, CONDITION_CENTRED, 0},
    {FAMILY_REDUCE, "var", true, CONDITION_CENTRED, 0},
    {FAMILY_REDUCE, "std", true, CONDITION_CENTRED, 0},
    {FAMILY_SOFTMAX, "log", true, CONDITION_LOG_SOFTMAX, 0},
    {FAMILY_SOFTMAX, "gumbel", true, CONDITION_NONE, 0},
    {FAMILY_SOFTMAX, NULL, false, CONDITION_SOFTMAX, 0},
    {FAMILY_REDUCE, "logsumexp", false, CONDITION_LOG_SOFTMAX, 0},
    {FAMILY_LOSS, "crossentropy", true, CONDITION_LOG_SOFTMAX, 0},
    {FAMILY_MUL, "div", true, CONDITION_QUOTIENT, 0},
    {FAMILY_ELEMENTWISE, "reciprocal", false, CONDITION_POWER, -1},
    {FAMILY_ELEMENTWISE, "rsqrt", false, CONDITION_POWER, -0.5},
    {FAMILY_ELEMENTWISE, "pow", false, CONDITION_POWER, NAN},
    {FAMILY_ELEMENTWISE, "log1p", false, CONDITION_NONE, 0},
    {FAMILY_ELEMENTWISE, "log", false, CONDITION_LOG, 0},
    {FAMILY_ELEMENTWISE, "log2", false, CONDITION_LOG, 0},
    {FAMILY_ELEMENTWISE, "log10", false, CONDITION_LOG, 0},
    {FAMILY_ELEMENTWISE, "exp", false, CONDITION_EXP, 0},
    {FAMILY_ELEMENTWISE, "sin", false, CONDITION_TRIG, 0},
    {FAMILY_ELEMENTWISE, "cos", false, CONDITION_TRIG, 0},
    {FAMILY_ELEMENTWISE, "tan", false, CONDITION_TRIG, 0},
    {FAMILY_REDUCE, "arg", true, CONDITION_ORDER, 0},
    {FAMILY_REDUCE, "topk", false, CONDITION_ORDER, 0},
    {FAMILY_REDUCE, "sort", false, CONDITION_ORDER, 0},
    {FAMILY_REDUCE, "max", false, CONDITION_ORDER, 0},
    {FAMILY_REDUCE, "min", false, CONDITION_ORDER, 0},
    {FAMILY_REDUCE, "median", false, CONDITION_ORDER, 0},
    {FAMILY_ELEMENTWISE, "lt", false, CONDITION_COMPARE, 0},
    {FAMILY_ELEMENTWISE, "le", false, CONDITION_COMPARE, 0},
    {FAMILY_ELEMENTWISE, "gt", false, CONDITION_COMPARE, 0},
    {FAMILY_ELEMENTWISE, "ge", false, CONDITION_COMPARE, 0},
    {FAMILY_ELEMENTWISE, "less", true, CONDITION_COMPARE, 0},
    {FAMILY_ELEMENTWISE, "greater", true, CONDITION_COMPARE, 0},
};

static enum condition_kind kind_of_amplifier(const struct dump *d, uint32_t row, double *power)
{
    const struct row *r = &d->rows.v[row];
    enum family family = (enum family)d->calls.v[r->call].family;
    bool whole = dtype_table[r->dtype].klass == CLASS_INT || dtype_table[r->dtype].klass == CLASS_BOOL;
    char plain[FAMILY_PLAIN];
    struct str op = {0};
    for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
        const char *name = operators[i].name;
        if (operators[i].family != family)
            continue;
        if (name && !op.p) /* checked only if needed: this is called for every deviating row */
            op = family_plain(align_item_operator(d, r->call), plain);
        if (name && !(operators[i].part ? str_has(op, name) : str_is(op, name)))
            continue;
        enum condition_kind k = operators[i].kind;
        bool turns = k == CONDITION_ORDER || k == CONDITION_COMPARE;
        *power = operators[i].power;
        /* sorted values change by no more than their noise */
        return (turns && !whole) || (whole && !kinds[k].discrete) ? CONDITION_NONE : k;
    }
    return CONDITION_NONE;
}

/* The scores from which a module that also outputs integers has picked (a router), or NONE. */
static uint32_t scores_beside(const struct measure *m, const uint8_t *state, uint32_t row)
{
    const struct dump *d = m->side[GOLDEN];
    bool module = d->calls.v[d->rows.v[row].call].kind == CALL_MODULE;
    uint32_t scores = module ? routing_scores(d, row) : NONE;
    struct facts picked = facts_of(m, state, row);
    return scores != NONE && picked.min >= 0 && picked.max < last_dim(m, scores) ? scores : NONE;
}

/* The condition of a router's picks, as for the sorting call inside it. */
static struct condition condition_of_router(const struct measure *m, const uint8_t *state, uint32_t row)
{
    uint32_t scores = scores_beside(m, state, row);
    if (scores == NONE)
        return CONDITION_PLAIN;
    struct scene s = {
        .x = {facts_of(m, state, scores)}, .inputs = 1, .width = last_dim(m, scores), .top = last_dim(m, row)};
    double kappa = fmax(of_order(&s, false), 1);
    return isfinite(kappa) ? (struct condition){.kind = CONDITION_ORDER, .kappa = kappa, .own = kappa}
           : CONDITION_PLAIN;
}

/* The first floating-point input or output of a call with this element count. */
static uint32_t float_row(const struct dump *d, uint32_t call, enum row_io io, double n)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR &&
            dtype_is_float((enum dtype)d->rows.v[r].dtype) && (double)dump_row_numel(d, r) == n)
            return r;
    return NONE;
}

/* For the gradient from the backward call of a negative power, p xᵖ⁻¹ dy: the smallest inputs have nearly all of it,
 * and with them the error |p − 1| δx / x. */
static struct condition condition_of_power_gradient(const struct measure *m, const uint8_t *state, uint32_t row,
                                                    double power)
{
    const struct dump *d = m->side[GOLDEN];
    uint32_t in = float_row(d, d->calls.v[d->rows.v[row].call].twin, IO_INPUT, facts_of(m, state, row).n);
    if (in == NONE || !(power < 0))
        return CONDITION_PLAIN;
    struct facts x = facts_of(m, state, in);
    double kappa = (1 - power) * x.rms / (x.min > 0 ? x.min : x.max < 0 ? -x.max : NAN);
    return isfinite(kappa) ? (struct condition){CONDITION_POWER, fmax(kappa, 1), fmax(kappa, 1), 0} : CONDITION_PLAIN;
}

/* What a normalisation that subtracts leaves of the incoming gradient: of that times its scale, over the size of what
 * went in. */
static double left_by_norm(const struct facts *g, const struct facts *x, const struct facts *y, const struct facts *dx)
{
    return g->rms * sqrt(y->rms * y->rms - y->mean * y->mean) / (x->rms * dx->rms);
}

static double largest_in(const struct facts *x)
{
    return fmax(fabs(x->max), fabs(x->min));
}

/* A group of values that hardly differ is divided by its small σ, and what went in has the noise of the others: the
 * largest gradient left tells that σ. */
static double left_by_smallest_group(const struct facts *g, const struct facts *x, const struct facts *y,
                                     const struct facts *dx)
{
    return x->rms * largest_in(dx) / (largest_in(g) * sqrt(y->rms * y->rms - y->mean * y->mean));
}

/* The same of few values a channel, whose variance differs by chance: of the smallest of them, by the foot of its
 * distribution, χ² of a value less than there are. 1: other calls. */
static double left_by_norm_of_few(const struct dump *d, uint32_t forward, const struct facts *g, const struct facts *x,
                                  const struct facts *y, const struct facts *dx)
{
    uint32_t in = float_row(d, forward, IO_INPUT, x->n);
    const struct shape *s = in == NONE ? NULL : dump_row_shape(d, in);
    double channels = s && s->ndim > 1 ? (double)s->dim[1] : 0, freedom = x->n / channels - 1;
    if (!(channels > 1) || !(freedom > 1) || !align_item_does(d, forward, STR("batch_norm")))
        return 1;
    double smallest = 2 / freedom * pow(tgamma(freedom / 2 + 1) / channels, 2 / freedom);
    double variance = (x->rms * x->rms - x->mean * x->mean) * fmin(smallest, 1);
    return left_by_norm(g, x, y, dx) * x->rms * x->rms / (variance * sqrt(channels));
}

/* The same of a batch of two values a channel: all but ε/σ² of their gradients cancels, so that the largest one left
 * has σ = ∛(ε g / dx), and three times the error of σ. 1: other calls. */
static double left_by_norm_of_two(const struct dump *d, uint32_t forward, const struct facts *g, const struct facts *x,
                                  const struct facts *dx)
{
    uint32_t in = float_row(d, forward, IO_INPUT, x->n), scale = float_row(d, forward, IO_INPUT, x->n / 2);
    const struct shape *s = in == NONE ? NULL : dump_row_shape(d, in);
    bool two = scale != NONE && s && s->ndim > 1 && (double)s->dim[1] == x->n / 2 &&
               align_item_does(d, forward, STR("batch_norm"));
    double sigma = two ? cbrt(number_given(d, forward, true) * largest_in(g) / largest_in(dx)) : 0;
    return sigma > 0 ? 3 * x->rms * sqrt(x->n) / sigma : 1;
}

/* How a relative error of an activation's inputs changes its derivative where that falls off exponentially: by so many
 * times the inputs' size; 0: other calls. */
static double falls_off(const struct dump *d, uint32_t forward)
{
    return align_item_does(d, forward, STR("tanh")) ? 2 : align_item_does(d, forward, STR("sigmoid")) ? 1 : 0;
}

/* For the gradient from the backward call of an exponential, a softmax or a normalisation: the incoming gradient
 * multiplied by the call's outputs; or of an activation. */
static struct condition condition_of_weighted_gradient(const struct measure *m, const uint8_t *state, uint32_t row)
{
    const struct dump *d = m->side[GOLDEN];
    uint32_t call = d->rows.v[row].call, forward = d->calls.v[call].twin;
    struct facts dx = facts_of(m, state, row);
    uint32_t y = forward == NONE ? NONE : float_row(d, forward, IO_OUTPUT, dx.n);
    uint32_t g = y == NONE ? NONE : float_row(d, call, IO_INPUT, dx.n);
    uint32_t x = y == NONE ? NONE : float_row(d, forward, IO_INPUT, dx.n);
    double power = 0, kappa = NAN;
    enum condition_kind k = g == NONE ? CONDITION_NONE : kind_of_amplifier(d, y, &power);
    bool alone = !measured_figures(m, state, GOLDEN, row); /* elements are recomputed */
    if (g == NONE || x == NONE)
        return CONDITION_PLAIN;
    if (k == CONDITION_POWER && isnan(power) && alone)
        power = number_given(d, forward, false);
    if (k == CONDITION_POWER)
        return condition_of_power_gradient(m, state, row, power);
    struct facts from = facts_of(m, state, g), out = facts_of(m, state, y), in = facts_of(m, state, x);
    if (k == CONDITION_EXP || k == CONDITION_SOFTMAX)
        kappa = from.rms * out.rms / dx.rms;
    else if (k == CONDITION_CENTRED && alone)
        kappa = fmax(left_by_smallest_group(&from, &in, &out, &dx),
                     fmax(fmax(left_by_norm(&from, &in, &out, &dx), left_by_norm_of_two(d, forward, &from, &in, &dx)),
                          left_by_norm_of_few(d, forward, &from, &in, &out, &dx)));
    else if (alone)
        kappa = falls_off(d, forward) * in.rms;
    return isfinite(kappa) ? (struct condition){CONDITION_WEIGHTED, fmax(kappa, 1), fmax(kappa, 1), 0}
           : CONDITION_PLAIN;
}

struct condition condition_of(const struct measure *m, const uint8_t *state, uint32_t row)
{
    const struct dump *d = m->side[GOLDEN];
    double power = 0;
    if (d->rows.v[row].io == IO_OUTPUT && d->calls.v[d->rows.v[row].call].phase == PHASE_BACKWARD)
        return condition_of_weighted_gradient(m, state, row);
    if (d->rows.v[row].io != IO_OUTPUT || d->calls.v[d->rows.v[row].call].phase != PHASE_FORWARD ||
        d->rows.v[row].kind != ROW_TENSOR)
        return CONDITION_PLAIN;
    enum condition_kind k = kind_of_amplifier(d, row, &power);
    if (k == CONDITION_NONE)
        return condition_of_router(m, state, row);
    struct scene s;
    scene_of(&s, m, state, row);
    if (power < 0 || power > 0)
        s.power = power;
    if (!s.inputs)
        return CONDITION_PLAIN;
    double kappa = kinds[k].kappa(&s, false), own = kinds[k].kappa(&s, true);
    if (!isfinite(kappa) || !isfinite(own))
        return CONDITION_PLAIN;
    return (struct condition){.kind = k, .kappa = fmax(kappa, 1), .own = fmax(own, 1)};
}

struct condition condition_of_product(const struct measure *m, const uint8_t *state, uint32_t row)
{
    const struct dump *d = m->side[GOLDEN];
    uint32_t call = d->rows.v[row].call, x[2] = {NONE, NONE};
    int inputs = 0;
    if (d->rows.v[row].io != IO_OUTPUT || d->calls.v[call].phase != PHASE_FORWARD ||
        d->calls.v[call].kind == CALL_MODULE)
        return CONDITION_PLAIN;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR &&
            dtype_is_float((enum dtype)d->rows.v[r].dtype) && inputs < 2)
            x[inputs++] = r;
    if (inputs < 2)
        return CONDITION_PLAIN;
    double terms = last_dim(m, x[0]), rows = (double)dump_row_numel(d, x[0]) / terms;
    double columns = (double)dump_row_numel(d, row) / rows;
    bool fits = columns == floor(columns) && fmod((double)dump_row_numel(d, x[1]), terms * columns) == 0;
    double kappa =
        sqrt(terms) * facts_of(m, state, x[0]).rms * facts_of(m, state, x[1]).rms / facts_of(m, state, row).rms;
    return fits && isfinite(kappa) ? (struct condition){CONDITION_SUM, fmax(kappa, 1), fmax(kappa, 1), 0}
           : CONDITION_PLAIN;
}

double condition_kink_share(const struct measure *m, const uint8_t *state, uint32_t row)
{
    return of_compare(&(struct scene){.x = {facts_of(m, state, row)}, .inputs = 1}, false);
}

bool condition_size_of(const struct measure *m, const uint8_t *state, int side, uint32_t row,
                       struct condition_size *out)
{
    const struct row *r = &m->side[side]->rows.v[row];
    const struct side_figures *f = measured_figures(m, state, side, row);
    int all = HAS_MAX | HAS_MIN | HAS_NORM;
    double n = (double)dump_row_numel(m->side[side], row);
    if ((r->has & all) == all)
        *out = (struct condition_size){
            .n = n, .norm = r->stat[STAT_NORM], .max = r->stat[STAT_MAX], .min = r->stat[STAT_MIN]};
    else if (f)
        *out = (struct condition_size){.n = n, .norm = f->norm, .max = f->max, .min = f->min};
    else
        return false;
    out->largest = fmax(fabs(out->max), fabs(out->min));
    return isfinite(out->norm) && isfinite(out->largest);
}

double condition_rms_of(const struct measure *m, const uint8_t *state, int side, uint32_t row)
{
    struct condition_size x;
    bool known = row != NONE && condition_size_of(m, state, side, row, &x) && x.n > 0;
    return known ? x.norm / sqrt(x.n) : NAN;
}

/* ---- gradients ---- */

/* The line with these two rows, one of which may be in several lines. */
static uint32_t line_between(const struct measure *m, const uint32_t row[2])
{
    const struct pairing *p = m->pairing;
    for (int s = 0; s < 2; s++) {
        uint32_t line = p->line_of[s][row[s]];
        if (line != NONE && p->lines.v[line].row[!s] == row[!s])
            return line;
    }
    return NONE;
}

static double norm_of(const struct measure *m, const uint8_t *state, int side, uint32_t row)
{
    const struct row *r = &m->side[side]->rows.v[row];
    if (r->kind != ROW_TENSOR)
        return NAN;
    if (r->has & HAS_NORM)
        return r->stat[STAT_NORM];
    const struct side_figures *f = measured_figures(m, state, side, row);
    return f ? f->norm : NAN;
}

static bool is_vector(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    int axes = 0;
    for (int i = 0; s && i < s->ndim; i++)
        axes += s->dim[i] != 1;
    return s && axes <= 1;
}

/* The first backward call of a record's module that is not before this one; NONE: there is none nearby. */
static uint32_t module_backward_from(const struct dump *d, uint32_t gradient, uint32_t first)
{
    const struct call *g = &d->calls.v[gradient];
    uint32_t near = gradient > NEAR ? gradient - NEAR : 0, from = first > near ? first : near,
             to = gradient + NEAR < d->calls.n ? gradient + NEAR : (uint32_t)d->calls.n;
    for (uint32_t c = from; c < to && g->scope != NONE; c++) {
        const struct call *x = &d->calls.v[c];
        if (x->kind == CALL_MODULE && x->phase == PHASE_BACKWARD && !x->gradient && x->scope == g->scope)
            return c;
    }
    return NONE;
}

uint32_t condition_module_backward(const struct dump *d, uint32_t gradient)
{
    return module_backward_from(d, gradient, 0);
}

/* What a gradient is computed from: the norm of its terms (NAN: unknown), how many of them each element sums, the least
 * cancellation that counts (INFINITY: only that which leaves nothing), and the least norm that these terms can have
 * together, by their recorded mean with its sign (NAN: unknown). */
struct terms {
    double norm, n, least, sum;
};

/* The first incoming gradient of a backward call that is larger than this result; NONE. */
static uint32_t incoming_row(const struct dump *d, uint32_t call, uint32_t row)
{
    EACH_EARLY_ROW(d, call, x)
        if (d->rows.v[x].io == IO_INPUT && d->rows.v[x].kind == ROW_TENSOR &&
            dump_row_numel(d, x) > dump_row_numel(d, row))
            return x;
    return NONE;
}

/* For a result that sums its call's incoming gradient over all axes but one: that gradient, and those of all uses of a
 * parameter's module; n = 0: it is none, or they are unknown. */
static struct terms incoming_terms(const struct measure *m, const uint8_t *state, int side, uint32_t row)
{
    const struct dump *d = m->side[side];
    const struct row *r = &d->rows.v[row];
    enum family f = (enum family)d->calls.v[r->call].family;
    bool parameter = r->io == IO_GRADIENT;
    struct terms all = {0, 0, 0, NAN};
    if (!is_vector(d, row) || (f != FAMILY_NORM && f != FAMILY_LINEAR && f != FAMILY_CONV))
        return all;
    for (uint32_t c = parameter ? module_backward_from(d, r->call, 0) : r->call; c != NONE;
         c = parameter ? module_backward_from(d, r->call, c + 1) : NONE) {
        uint32_t came = incoming_row(d, c, row);
        all.norm = hypot(all.norm, came == NONE ? 0 : norm_of(m, state, side, came));
        all.n += came == NONE ? 0 : (double)dump_row_numel(d, came) / (double)dump_row_numel(d, row);
    }
    return all;
}

/* The backward call that computes a weight's gradient: that of the module whose record it is in, or its own; NONE. */
static uint32_t backward_of_weight(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    uint32_t forward = d->calls.v[r->call].twin;
    if (r->io == IO_GRADIENT)
        return condition_module_backward(d, r->call);
    if (r->io == IO_OUTPUT && d->calls.v[r->call].phase == PHASE_BACKWARD && forward != NONE)
        EACH_EARLY_ROW(d, forward, x)
            if (d->rows.v[x].io == IO_INPUT && d->rows.v[x].shape == r->shape &&
                x != pass_first_float(d, forward, IO_INPUT))
                return r->call;
    return NONE;
}

/* Those of the gradient of a linear layer's or a convolution's weight, Σ dyᵢ xᵢᵀ over positions, as for a sum of random
 * signs: √positions rms(dy) rms(x); NAN: it is no such gradient, or they are unknown. */
static double weight_terms(const struct measure *m, const uint8_t *state, int side, uint32_t row)
{
    const struct dump *d = m->side[side];
    const struct shape *s = dump_row_shape(d, row);
    uint32_t back = s && s->ndim > 1 ? backward_of_weight(d, row) : NONE;
    uint32_t forward = back == NONE ? NONE : d->calls.v[back].twin;
    enum family f = back == NONE ? FAMILY_OTHER : (enum family)d->calls.v[back].family;
    if (forward == NONE || !(f == FAMILY_LINEAR ? s->ndim == 2 : f == FAMILY_CONV && s->ndim > 2))
        return NAN;
    uint32_t dy = pass_first_float(d, back, IO_INPUT), x = pass_first_float(d, forward, IO_INPUT);
    if (dy == NONE || x == NONE)
        return NAN;
    double n = (double)dump_row_numel(d, dy), of_x = (double)dump_row_numel(d, x), places = n / (double)s->dim[0];
    if (f == FAMILY_LINEAR && places * (double)s->dim[1] != of_x)
        return NAN;
    return sqrt(places / n / of_x * (double)s->numel) * norm_of(m, state, side, dy) * norm_of(m, state, side, x);
}

/* Whether a forward call is an exponential or a softmax. */
static bool is_exponential(const struct dump *d, uint32_t call)
{
    double power = 0;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_OUTPUT) {
            enum condition_kind k = kind_of_amplifier(d, r, &power);
            return k == CONDITION_EXP || k == CONDITION_SOFTMAX;
        }
    return false;
}

static double mean_of(const struct dump *d, uint32_t row)
{
    return d->rows.v[row].has & HAS_MEAN ? d->rows.v[row].stat[STAT_MEAN] : NAN;
}

/* For the gradient of a factor, divisor or term that was broadcast: the incoming gradient (times the other factor, or
 * the quotient over the divisor), summed over the positions. Also for a vector that a norm, a linear layer or a
 * convolution sums, and for what a softmax or an exponential leaves of the incoming gradient times its own values. */
static struct terms terms_of(const struct measure *m, const uint8_t *state, int side, uint32_t row)
{
    const struct dump *d = m->side[side];
    const struct row *r = &d->rows.v[row];
    double own = (double)dump_row_numel(d, row);
    uint32_t came, twin = d->calls.v[r->call].twin;
    struct terms unknown = {NAN, 1, 0, NAN}, sum = incoming_terms(m, state, side, row);
    double least = rule_limit(RULE_LIMIT_ILL_CONDITIONED), weight = weight_terms(m, state, side, row);
    char plain[FAMILY_PLAIN];
    if (isfinite(weight))
        return (struct terms){weight, 1, least, NAN};
    if (sum.n > 0)
        return sum;
    if (r->io != IO_OUTPUT || d->calls.v[r->call].phase != PHASE_BACKWARD || twin == NONE ||
        (came = pass_first_float(d, r->call, IO_INPUT)) == NONE)
        return unknown;
    double n = (double)dump_row_numel(d, came), norm = norm_of(m, state, side, came);
    enum family f = (enum family)d->calls.v[twin].family;
    if (f == FAMILY_ADD && n > own)
        return (struct terms){norm, n / own, least, mean_of(d, came) * n / sqrt(own)};
    struct str op = f == FAMILY_MUL && n > own ? family_plain(align_item_operator(d, twin), plain) : (struct str){0};
    bool product = str_has(op, "mul");
    bool quotient = str_has(op, "div") && !measured_figures(m, state, side, row); /* elements are recomputed */
    uint32_t divisor = quotient ? float_row(d, twin, IO_INPUT, own) : NONE;
    bool of_result = divisor != NONE || (n == own && is_exponential(d, twin));
    uint32_t other = product || of_result ? float_row(d, twin, product ? IO_INPUT : IO_OUTPUT, n) : NONE;
    norm = other == NONE ? NAN : norm * norm_of(m, state, side, other) / sqrt(n);
    if (divisor != NONE)
        norm /= norm_of(m, state, side, divisor) / sqrt(own);
    return (struct terms){norm, n / own, product || divisor != NONE ? least : INFINITY, NAN};
}

/* Whether a row is a parameter's gradient: recorded as one, or a vector output of a backward call. */
static bool is_gradient(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    const struct call *c = &d->calls.v[r->call];
    bool result = r->io == IO_OUTPUT && c->phase == PHASE_BACKWARD && c->kind == CALL_API && is_vector(d, row);
    return (r->io == IO_GRADIENT || result) && dtype_is_float((enum dtype)r->dtype);
}

/* The module that contains a call or its forward call; "" if unknown. */
static struct str scope_of(const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    uint32_t scope = c->scope != NONE || c->twin == NONE ? c->scope : d->calls.v[c->twin].scope;
    return str_of(scope == NONE ? "" : d->scopes.v[scope]);
}

/* Whether the modules of two calls have the same parent: "layers.0.attn.q" and "layers.0.attn.v". */
static bool modules_are_siblings(const struct dump *d, uint32_t x, uint32_t y)
{
    struct str a = scope_of(d, x), b = scope_of(d, y);
    ptrdiff_t i = str_rfind(a, '.'), k = str_rfind(b, '.');
    return i > 0 && i == k && str_eq(str_n(a.p, (size_t)i), str_n(b.p, (size_t)k));
}

/* Whether a row is an input or output of a backward call. */
static bool flows_back(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    return r->kind == ROW_TENSOR && r->io != IO_GRADIENT && d->calls.v[r->call].phase == PHASE_BACKWARD &&
           dtype_is_float((enum dtype)r->dtype);
}

/* The largest gradient of its kind in the same call and in sibling modules. A call's output for a parameter is also
 * in the parameter's record, and is compared with the same. */
static double largest_beside(const struct measure *m, const uint8_t *state, int side, uint32_t row)
{
    const struct dump *d = m->side[side];
    double most = norm_of(m, state, side, row);
    uint32_t own = d->rows.v[row].call, from = own > NEAR ? own - NEAR : 0;
    bool record = d->rows.v[row].io == IO_GRADIENT, parameter = is_gradient(d, row);
    for (uint32_t c = from; c < d->calls.n && c < own + NEAR; c++)
        if (c == own || ((d->calls.v[c].gradient ? parameter : !record) &&
                         d->calls.v[c].phase == PHASE_BACKWARD && modules_are_siblings(d, c, own)))
            EACH_EARLY_ROW(d, c, r)
                if (d->rows.v[r].io == IO_GRADIENT ? parameter : !record && flows_back(d, r))
                    most = fmax(most, norm_of(m, state, side, r));
    return most;
}

/* The coarsest floating type of its backward call's inputs and outputs: with autocast a float32 parameter gradient is
 * computed in 16 bits. */
static enum dtype arithmetic_of(const struct dump *d, uint32_t row)
{
    enum dtype type = (enum dtype)d->rows.v[row].dtype;
    uint32_t own = d->rows.v[row].call;
    uint32_t call = d->rows.v[row].io == IO_GRADIENT ? condition_module_backward(d, own) : own;
    if (call != NONE)
        EACH_EARLY_ROW(d, call, r)
            if (dtype_is_float((enum dtype)d->rows.v[r].dtype))
                type = dtype_coarser(type, (enum dtype)d->rows.v[r].dtype);
    return type;
}

/* One side of a gradient: its norm, those of gradients beside it, of the incoming one and of its sum (NaN: unknown),
 * and the type of its arithmetic. */
struct gradient_side {
    double own, beside, incoming, sum;
    enum dtype type;
};

static double whole_of(const struct gradient_side *g)
{
    return fmax(g->beside, g->incoming);
}

static bool is_coarse(enum dtype type)
{
    return dtype_table[type].epsilon > dtype_table[DTYPE_F32].epsilon;
}

/* Whether it is only rounding, by its size relative to its terms. For a 16-bit type a comparison with other gradients
 * is too coarse, so the sum's own terms are used. */
static bool is_rounding(const struct gradient_side *g)
{
    double unit = dtype_table[g->type].epsilon / 2;
    if (is_coarse(g->type))
        return g->own <= rule_limit(RULE_LIMIT_GRADIENT_ROUNDING_COARSE) * unit * g->incoming;
    return g->own <= rule_limit(RULE_LIMIT_GRADIENT_ROUNDING) * unit * whole_of(g);
}

/* Whether a zero gradient is within the other side's arithmetic: roundings of its type, and noise of the incoming
 * gradient. */
static bool is_left_over(const struct gradient_side *g, double noise)
{
    double rounding = rule_limit(RULE_LIMIT_GRADIENT_ROUNDING_COARSE) * dtype_table[g->type].epsilon / 2 * whole_of(g);
    return (is_coarse(g->type) && g->own <= rounding) || g->own <= noise * g->incoming;
}

/* Whether noise of the terms leaves nothing of a gradient: the golden one is smaller than it, the other one too. */
static bool is_lost(const struct gradient_side g[2], double level, double factor)
{
    double apart = fabs(g[TARGET].sum - g[GOLDEN].sum);
    return g[GOLDEN].own <= fmax(level * g[GOLDEN].incoming, apart) &&
           g[TARGET].own <= fmax(factor * level * g[TARGET].incoming, apart);
}

struct condition condition_of_gradient(const struct measure *m, const uint8_t *state, const uint32_t row[2],
                                       double level, double factor)
{
    struct gradient_side g[2];
    struct terms terms[2];
    uint32_t line = line_between(m, row);
    for (int s = 0; s < 2; s++) {
        /* for a part of a fused tensor, the selection by its view */
        const struct side_figures *f = figures_of(m, state, line, s);
        terms[s] = terms_of(m, state, s, row[s]);
        g[s].own = f ? f->norm : norm_of(m, state, s, row[s]);
        if ((!is_gradient(m->side[s], row[s]) && !flows_back(m->side[s], row[s])) || !isfinite(g[s].own))
            return CONDITION_PLAIN;
        g[s].beside = largest_beside(m, state, s, row[s]);
        g[s].incoming = terms[s].norm;
        g[s].sum = terms[s].sum;
        g[s].type = arithmetic_of(m->side[s], row[s]);
    }
    for (int s = 0; s < 2; s++) /* the part omitted by one side has about the other side's size */
        g[s].incoming = isfinite(g[s].incoming) ? g[s].incoming : g[!s].incoming;
    const struct gradient_side *golden = &g[GOLDEN];
    /* recorded figures do not show whether the noise of the terms adds up */
    double adds = figures_of(m, state, line, GOLDEN) ? 1 : sqrt(terms[GOLDEN].n);
    double whole = whole_of(golden), own = golden->own > 0 ? golden->own : g[TARGET].own;
    double noise = factor * level;
    bool rounding[2] = {is_rounding(&g[0]), is_rounding(&g[1])};
    bool zero = (rounding[0] && (rounding[1] || is_left_over(&g[1], noise))) ||
                (rounding[1] && is_left_over(&g[0], noise)) || is_lost(g, level, factor);
    if (zero && whole > 0)
        return (struct condition){.kind = CONDITION_ZERO_GRADIENT, .kappa = whole / own, .own = whole / own};
    double kappa = golden->incoming / golden->own;
    if (!(g[TARGET].own > 0) || !isfinite(kappa) || kappa * adds < terms[GOLDEN].least)
        return CONDITION_PLAIN;
    return (struct condition){CONDITION_GRADIENT_SUM, fmax(kappa, 1), fmax(kappa, 1), terms[GOLDEN].n};
}

double condition_bound(const struct condition *c, double seen, double unseen)
{
    return fmax(c->kappa * seen, c->own * unseen);
}

double condition_turned(const struct figures *f)
{
    return 1 - f->one_thousandth;
}

double condition_picked(double share)
{
    return sqrt(2 * share);
}

bool condition_is_discrete(enum condition_kind k)
{
    return kinds[k].discrete;
}

const char *condition_text(enum condition_kind k)
{
    return k == CONDITION_NONE || !*kinds[k].text ? "" : _(kinds[k].text);
}
