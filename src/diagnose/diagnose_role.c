/* Masks, probabilities of scaled scores, the epsilon inside a norm. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/diagnosis_case.h"
#include "dump/family.h"
#include "pair/call_arguments.h"

static const struct call *call_of(const struct diagnosis_case *p)
{
    return &p->side[TARGET]->calls.v[p->call];
}

/* ---- masks ---- */

/* A mask has two values, open and shut. Returns 0 for open, 1 for shut, -1 for neither. */
struct mask {
    double open, shut;
    bool is;
    bool flat; /* a single value, `open` */
};

static struct mask mask_of(const struct element_sample *s, int side)
{
    struct mask m = {NAN, NAN, false, false};
    double value[2] = {0};
    int n = 0;
    for (size_t i = 0; i < s->n; i++) {
        double v = s->v[side][i];
        if (isnan(v))
            return m;
        if ((n > 0 && v == value[0]) || (n > 1 && v == value[1]))
            continue;
        if (n == 2)
            return m;
        value[n++] = v;
    }
    if (n == 1)
        m = (struct mask){value[0], NAN, false, true};
    if (n != 2)
        return m;
    double high = fmax(value[0], value[1]), low = fmin(value[0], value[1]);
    m.is = (high == 1 && low == 0) || (high == 0 && low <= -1e3) || (high == 1 && low <= -1e3);
    m.open = high;
    m.shut = low;
    return m;
}

static bool sample_is_square(const struct element_sample *s)
{
    return s->ndim >= 2 && s->shape[s->ndim - 1] > 1 && s->shape[s->ndim - 1] == s->shape[s->ndim - 2];
}

static void compare_masks(struct diagnosis_case *p, const struct mask m[2])
{
    const struct element_sample *s = p->spread;
    size_t only[2] = {0}, at = SIZE_MAX;
    for (size_t i = 0; i < s->n; i++) {
        bool shut[2] = {s->v[0][i] == m[0].shut, s->v[1][i] == m[1].shut};
        if (shut[0] == shut[1])
            continue;
        only[shut[0] ? 0 : 1]++;
        at = at == SIZE_MAX ? i : at;
    }
    char a[NUM_MAX], b[NUM_MAX];
    if (at == SIZE_MAX) {
        case_found(p, DIAGNOSIS_MASK, BOTH_SIDES, 1,
                   _("a mask with the same pattern, filled with %s on the target and %s on the golden side"),
                   num_exact(a, m[0].shut), num_exact(b, m[1].shut));
        return;
    }
    struct buf where = {0};
    diagnosis_place_text(p, s->at ? s->at[at] : at, &where);
    case_found(p, DIAGNOSIS_MASK, BOTH_SIDES, 1, _("a mask with a different pattern: %zu positions have the lower "
                                                   "value only on the target, %zu only on the golden side, the first "
                                                   "at %s"),
               only[0], only[1], where.p);
    buf_release(&where);
}

/* Whether one side has a mask and the other masks nothing: all open, or, if its name says that it is a mask, all
 * shut. */
static bool all_open(const struct diagnosis_case *p, const struct mask m[2], int flat)
{
    bool named = str_ihas(str_of(p->side[TARGET]->slots.v[p->r[TARGET]->slot]), "mask");
    return m[flat].flat && m[!flat].is && (m[flat].open == m[!flat].open || (named && m[flat].open == m[!flat].shut));
}

static void say_all_open(struct diagnosis_case *p, const struct mask m[2], int flat)
{
    const struct element_sample *s = p->spread;
    size_t shut = 0;
    char n[2][NUM_MAX];
    for (size_t i = 0; i < s->n; i++)
        shut += s->v[!flat][i] != m[flat].open;
    case_found(p, DIAGNOSIS_MASK, flat, 1,
               _("the mask of the %s is %s everywhere; the mask of the other side is %s at %zu of %zu positions"),
               diagnosis_side_word(flat), num_exact(n[0], m[flat].open),
               num_exact(n[1], m[flat].open == m[!flat].open ? m[!flat].shut : m[!flat].open), shut, s->n);
}

#define FILL (-9e3) /* lower scores are masked */

/* Masked scores: filled at places where the other side's are not, and equal where neither is. */
static void compare_scores(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    size_t only[2] = {0}, both = 0, at = SIZE_MAX;
    double dev2 = 0, own2 = 0;
    for (size_t i = 0; i < s->n; i++) {
        bool shut[2] = {s->v[0][i] <= FILL, s->v[1][i] <= FILL};
        if (isnan(s->v[0][i]) || isnan(s->v[1][i]))
            return;
        both += shut[0] && shut[1];
        only[0] += shut[0] && !shut[1];
        only[1] += shut[1] && !shut[0];
        at = at == SIZE_MAX && shut[0] != shut[1] ? i : at;
        dev2 += shut[0] || shut[1] ? 0 : (s->v[0][i] - s->v[1][i]) * (s->v[0][i] - s->v[1][i]);
        own2 += shut[0] || shut[1] ? 0 : s->v[1][i] * s->v[1][i];
    }
    if (at == SIZE_MAX || !own2 || dev2 > 1e-4 * own2 || only[0] + only[1] + both == s->n)
        return;
    struct buf where = {0};
    diagnosis_place_text(p, s->at ? s->at[at] : at, &where);
    case_found(p, DIAGNOSIS_MASK, BOTH_SIDES, 0.97,
               _("%zu scores are masked only on the target and %zu only on the golden side (%zu on both), the first "
                 "at %s; the others agree"),
               only[0], only[1], both, where.p);
    buf_release(&where);
}

/* Attention probabilities: a masked position is exactly (or almost) zero, the same one in every head. */
static void compare_probabilities(struct diagnosis_case *p)
{
    const struct element_sample *s = p->corner;
    size_t face = (size_t)(s->shape[s->ndim - 1] * s->shape[s->ndim - 2]), faces = s->n / face, only[2] = {0},
           broken = 0, first = SIZE_MAX;
    for (size_t i = 0; i < face; i++)
        for (int d = 0; d < 2; d++) {
            size_t shut = 0;
            for (size_t k = 0; k < faces; k++)
                shut += s->v[d][k * face + i] == 0 && s->v[!d][k * face + i] > 1e-6;
            only[d] += shut == faces;
            broken += shut && shut < faces;
            first = shut == faces && first == SIZE_MAX ? i : first;
        }
    if (first == SIZE_MAX || broken * 10 > only[0] + only[1])
        return;
    case_found(p, DIAGNOSIS_MASK, BOTH_SIDES, 0.9, _("in every head, %zu positions are 0 only on the target and %zu "
                                                     "only on the golden side, the first at query %zu, key %zu"),
               only[0], only[1], first / (size_t)s->shape[s->ndim - 1], first % (size_t)s->shape[s->ndim - 1]);
}

void detect_mask(struct diagnosis_case *p)
{
    struct mask m[2] = {mask_of(p->spread, 0), mask_of(p->spread, 1)};
    if (m[0].is && m[1].is)
        compare_masks(p, m);
    else if (all_open(p, m, TARGET))
        say_all_open(p, m, TARGET);
    else if (all_open(p, m, GOLDEN))
        say_all_open(p, m, GOLDEN);
    else if (fmin(p->spread->least[0], p->spread->least[1]) <= FILL)
        compare_scores(p);
    else if (call_of(p)->family == FAMILY_SOFTMAX && p->r[TARGET]->io == IO_OUTPUT &&
             call_of(p)->phase == PHASE_FORWARD &&
             p->corner && !p->corner->at && sample_is_square(p->corner) &&
             p->corner->n > (size_t)(p->corner->shape[p->corner->ndim - 1] * p->corner->shape[p->corner->ndim - 2]))
        compare_probabilities(p);
}

/* Whether a tensor that goes into a call, or a parameter of it, differs. */
static bool goes_in_otherwise(const struct diagnosis_case *p, uint32_t row)
{
    const struct row *x = &p->side[TARGET]->rows.v[row];
    bool in = (x->io == IO_INPUT || x->io == IO_PARAMETER) && x->kind == ROW_TENSOR;
    const struct line_judgement *l = in ? patient_judged(p, TARGET, row) : NULL;
    return l && (verdict_is_bad((enum verdict)l->verdict) || l->verdict == VERDICT_INHERITED);
}

/* What goes into a module otherwise: a mask, a parameter; NONE. */
struct going_in {
    uint32_t mask, parameter;
    bool other; /* or anything else */
};

static struct going_in going_in(const struct diagnosis_case *p, uint32_t call)
{
    const struct dump *d = p->side[TARGET];
    struct going_in x = {NONE, NONE, false};
    EACH_ROW(d, call, r)
        if (goes_in_otherwise(p, r)) {
            bool parameter = d->rows.v[r].io == IO_PARAMETER, mask = str_ihas(argument_name(d, r), "mask");
            x.parameter = parameter ? r : x.parameter;
            x.mask = !parameter && mask ? r : x.mask;
            x.other = x.other || (!parameter && !mask);
        }
    return x;
}

#define MODULES_AROUND 2 /* the module of the attention, from one inside of it */

/* A deviation that starts behind steps inside a module which nobody recorded, where a mask that goes into the module,
 * or a parameter of it, differs, and nothing else that goes in does. */
void detect_module_around(struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    bool inside = p->r[TARGET]->io == IO_INPUT && call_of(p)->phase == PHASE_FORWARD &&
                  p->judged->rule != RULE_PARAMETER; /* the parameter itself */
    uint32_t up = inside ? call_of(p)->parent : NONE;
    for (int i = 0; i < MODULES_AROUND && up != NONE; i++, up = d->calls.v[up].parent) {
        struct going_in x = going_in(p, up);
        if (x.other || (x.mask == NONE) == (x.parameter == NONE))
            continue;
        struct buf name = {0};
        dump_row_name(d, x.mask == NONE ? x.parameter : x.mask, &name);
        case_found(p, x.mask == NONE ? DIAGNOSIS_WEIGHTS_FIRST : DIAGNOSIS_MASK, BOTH_SIDES, 0.9,
                   x.mask == NONE
                       ? _("%s, a parameter of the module around this call, differs, and nothing that goes in does")
                       : _("%s, which goes into the module around this call, differs, and nothing else that goes in "
                           "does"),
                   name.p);
        buf_release(&name);
        return;
    }
}

/* ---- probabilities of scaled scores ---- */

/* Whether each row along an axis is a probability distribution. */
static bool rows_are_distributions(const struct element_sample *s, int side, int axis)
{
    size_t width = (size_t)s->shape[axis], step = 1;
    for (int i = axis + 1; i < s->ndim; i++)
        step *= (size_t)s->shape[i];
    for (size_t from = 0; from < s->n; from += from % step == step - 1 ? (width - 1) * step + 1 : 1) {
        double sum = 0;
        for (size_t i = 0; i < width; i++) {
            double v = s->v[side][from + i * step];
            if (v < 0)
                return false;
            sum += v;
        }
        if (fabs(sum - 1) > 0.02)
            return false;
    }
    return true;
}

/* The only axis along which all rows of a side are probabilities; -1. */
static int distributed_axis(const struct element_sample *s, int side)
{
    int found = -1;
    for (int i = 0; i < s->ndim; i++)
        if (s->shape[i] > 1 && rows_are_distributions(s, side, i)) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

/* A softmax along another axis, whatever the recorded argument says. */
void detect_softmax_axis(struct diagnosis_case *p)
{
    const struct element_sample *s = p->corner;
    if (call_of(p)->family != FAMILY_SOFTMAX || p->r[TARGET]->io != IO_OUTPUT || p->partly || s->finite < s->n)
        return;
    int axis[2] = {distributed_axis(s, TARGET), distributed_axis(s, GOLDEN)};
    if (axis[TARGET] >= 0 && axis[GOLDEN] >= 0 && axis[TARGET] != axis[GOLDEN])
        case_found(p, DIAGNOSIS_ARGUMENT, BOTH_SIDES, 0.98,
                   _("the probabilities sum to 1 along axis %d on the target and along axis %d on the golden side"),
                   axis[TARGET], axis[GOLDEN]);
}

/* log g of a row, centred by its mean with weights g; 0 if g is only rounding. */
static void centred_logs(const double *v, const double *weight, size_t n, double *out)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = v[i] > 1e-12 && weight[i] > 1e-12 ? log(v[i]) : 0;
        all += out[i] != 0 ? weight[i] : 0;
        sum += weight[i] * out[i];
    }
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] != 0 && all > 0 ? out[i] - sum / all : 0;
}

/* Whether nearly all of the deviation is in one row: where all others are certain, a factor fits whatever that one
 * is. */
static bool in_one_row(const struct element_sample *s, size_t width)
{
    double most = 0;
    for (size_t from = 0; from < s->n; from += width) {
        double row = 0;
        for (size_t i = from; i < from + width; i++)
            row += (s->v[TARGET][i] - s->v[GOLDEN][i]) * (s->v[TARGET][i] - s->v[GOLDEN][i]);
        most = fmax(most, row);
    }
    return s->n > width && most > 0.9 * s->dev2;
}

/* softmax(k x) and softmax(x): the logarithms, row by row, differ by the factor k. */
void detect_temperature(struct diagnosis_case *p)
{
    const struct element_sample *s = p->corner;
    size_t width = s->ndim ? (size_t)s->shape[s->ndim - 1] : 0;
    if (width < 3 || p->partly || s->finite < s->n || !(s->dev2 > 0) || !rows_are_distributions(s, 0, s->ndim - 1) ||
        !rows_are_distributions(s, 1, s->ndim - 1) || in_one_row(s, width))
        return;
    double *log_of[2] = {mem_alloc(width * sizeof(double)), mem_alloc(width * sizeof(double))}, tg = 0, g2 = 0,
           left = 0;
    for (size_t from = 0; from < s->n; from += width) {
        for (int d = 0; d < 2; d++)
            centred_logs(s->v[d] + from, s->v[GOLDEN] + from, width, log_of[d]);
        for (size_t i = 0; i < width; i++) {
            tg += s->v[GOLDEN][from + i] * log_of[0][i] * log_of[1][i];
            g2 += s->v[GOLDEN][from + i] * log_of[1][i] * log_of[1][i];
        }
    }
    double k = g2 > 0 ? tg / g2 : 1;
    for (size_t from = 0; from < s->n; from += width) {
        double sum = 0;
        for (size_t i = from; i < from + width; i++)
            sum += s->v[GOLDEN][i] > 0 ? pow(s->v[GOLDEN][i], k) : 0;
        for (size_t i = from; i < from + width; i++) {
            double e = s->v[TARGET][i] - (s->v[GOLDEN][i] > 0 ? pow(s->v[GOLDEN][i], k) / sum : 0);
            left += e * e;
        }
    }
    free(log_of[0]);
    free(log_of[1]);
    if (!(k > 0) || left > LEFT_OVER * s->dev2)
        return;
    struct buf b = {0};
    char n[DIAGNOSIS_LEFT_MAX];
    diagnosis_factor_text(k, 2e-3, &b);
    case_found(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.97 - sqrt(left / s->dev2),
               _("equal to the probabilities of the golden scores multiplied by %s; %s"), b.p,
               diagnosis_left_text(n, sqrt(left / s->dev2)));
    buf_release(&b);
}

/* ---- the epsilon inside a norm ---- */

/* y = x / √(v + ε) per token, with v the token's mean square (or variance). With k the ratio of both sides' tokens:
 * k² (v + ε_t) = v + ε_g, a straight line in v with two unknowns. */
struct tokens {
    size_t n, width;
    double *v, *k;     /* per token: mean square, ratio */
    double left2;      /* residual after applying the ratios */
};

static bool fit_epsilons(const struct tokens *x, const struct element_sample *s, struct epsilons *out)
{
    double a11 = 0, a12 = 0, a22 = 0, b1 = 0, b2 = 0;
    for (size_t i = 0; i < x->n; i++) { /* (k²−1) v = ε_g − k² ε_t */
        double k2 = x->k[i] * x->k[i], w = 1 / (x->v[i] * x->v[i] + 1e-300), y = (k2 - 1) * x->v[i];
        a11 += w;
        a12 -= w * k2;
        a22 += w * k2 * k2;
        b1 += w * y;
        b2 -= w * k2 * y;
    }
    double det = a11 * a22 - a12 * a12;
    if (!(fabs(det) > 1e-12 * a11 * a22))
        return false;
    out->g = (b1 * a22 - b2 * a12) / det;
    out->t = (a11 * b2 - a12 * b1) / det;
    out->left2 = x->left2;
    for (size_t i = 0; i < x->n; i++) {
        double k = sqrt(fmax(0, (x->v[i] + out->g) / (x->v[i] + out->t))), own2 = 0;
        for (size_t c = 0; c < x->width; c++)
            own2 += s->v[1][i * x->width + c] * s->v[1][i * x->width + c];
        out->left2 += (k - x->k[i]) * (k - x->k[i]) * own2;
    }
    return true;
}

/* The call's first tensor input if it has one value for each output value. */
static uint32_t norm_input(const struct diagnosis_case *p)
{
    EACH_ROW(p->side[TARGET], p->call, r) {
        const struct row *x = &p->side[TARGET]->rows.v[r];
        if (x->io == IO_INPUT && x->kind == ROW_TENSOR && x->has & HAS_FILE)
            return dump_row_numel(p->side[TARGET], r) == p->corner->n ? r : NONE;
    }
    return NONE;
}

static void token_ratios(struct tokens *x, const struct element_sample *s, const double *in, bool centred)
{
    x->left2 = 0;
    for (size_t i = 0; i < x->n; i++) {
        double tg = 0, g2 = 0, t2 = 0, sum = 0, sum2 = 0;
        for (size_t c = 0; c < x->width; c++) {
            size_t at = i * x->width + c;
            tg += s->v[0][at] * s->v[1][at];
            g2 += s->v[1][at] * s->v[1][at];
            t2 += s->v[0][at] * s->v[0][at];
            sum += in[at];
            sum2 += in[at] * in[at];
        }
        double mean = centred ? sum / (double)x->width : 0;
        x->k[i] = g2 > 0 ? tg / g2 : 1;
        x->v[i] = sum2 / (double)x->width - mean * mean;
        x->left2 += g2 > 0 ? t2 - tg * tg / g2 : t2;
    }
}

bool diagnosis_epsilons(const struct element_sample *s, const double *in, struct epsilons *out)
{
    struct tokens x = {.width = (size_t)s->shape[s->ndim - 1]};
    bool found = false;
    x.n = s->n / x.width;
    x.v = mem_alloc((x.n + 1) * sizeof(double));
    x.k = mem_alloc((x.n + 1) * sizeof(double));
    for (int centred = 0; centred < 2 && x.n >= 4; centred++) {
        struct epsilons f;
        token_ratios(&x, s, in, centred);
        if (!fit_epsilons(&x, s, &f) || f.left2 > LEFT_OVER * s->dev2 || f.t < -1e-7 || f.g < -1e-7 || f.t > 0.1 ||
            f.g > 0.1)
            continue;
        if (!found || f.left2 < out->left2)
            *out = f;
        found = true;
    }
    free(x.v);
    free(x.k);
    return found;
}

void detect_epsilon(struct diagnosis_case *p)
{
    const struct element_sample *s = p->corner;
    struct element_sample in;
    struct epsilons f;
    struct err e;
    if (call_of(p)->family != FAMILY_NORM || call_of(p)->phase != PHASE_FORWARD || p->r[TARGET]->io != IO_OUTPUT ||
        p->partly ||
        !s->ndim || s->shape[s->ndim - 1] < 2 || s->finite < s->n || !(s->dev2 > 0))
        return;
    uint32_t input = norm_input(p);
    if (input == NONE || element_sample_row(&in, p->side[TARGET], input, s->n, &e))
        return;
    if (diagnosis_epsilons(s, in.v[0], &f)) {
        char n[3][DIAGNOSIS_LEFT_MAX];
        case_found(p, DIAGNOSIS_EPSILON, BOTH_SIDES, 0.98 - sqrt(f.left2 / s->dev2),
                   _("an epsilon of about %s on the target and %s on "
                     "the golden side explains every token; %s"),
                   num_cell(n[0], fmax(0, f.t), 2), num_cell(n[1], fmax(0, f.g), 2),
                   diagnosis_left_text(n[2], sqrt(f.left2 / s->dev2)));
    }
    element_sample_release(&in);
}
