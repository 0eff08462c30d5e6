/* Diagnoses from elements, place by place. */
#include <float.h>
#include <math.h>

#include "base/msg.h"
#include <stdlib.h>

#include "base/num.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "dump/family.h"
#include "pair/align_item.h"

/* Whether there are enough different elements; otherwise every explanation fits. */
static bool sample_is_telling(const struct element_sample *s)
{
    return s->finite >= 4 && s->g2 > 0 && s->t2 > 0 && s->most[GOLDEN] > s->least[GOLDEN];
}

static double share_left(const struct element_sample *s, double left2)
{
    return s->dev2 > 0 ? sqrt(left2 / s->dev2) : 1;
}

static bool remainder_explains(const struct element_sample *s, double left2)
{
    return s->dev2 > 0 && left2 <= LEFT_OVER * s->dev2;
}

#define EXACT_LEFT 0.02 /* the share of a deviation that an exact factor may leave where values are exact */

/* A factor is exact: what it leaves must be the rounding there is, and no part of the deviation. */
static bool leaves_rounding(const struct diagnosis_case *p, const struct element_sample *s, double left)
{
    return share_left(s, left) <= EXACT_LEFT || sqrt(left / s->g2) <= 4 * (double)p->judged->level;
}

#define DECAY_MOST 0.05 /* of a weight by the decay of a few steps */

/* A weight after optimizer steps that is a little smaller than the other side's in every element. */
static bool weight_decayed(const struct diagnosis_case *p, double k)
{
    bool stepped = p->side[TARGET]->step > 0 && p->side[GOLDEN]->step > 0;
    return stepped && k > 0 && fabs(1 - fmin(k, 1 / k)) <= DECAY_MOST && p->r[TARGET]->io != IO_OUTPUT &&
           p->flow[TARGET].held[p->row[TARGET]] == NONE && dtype_is_float(p->r[TARGET]->dtype);
}

static void say_decay(struct diagnosis_case *p, double k, double share)
{
    char a[NUM_MAX], b[NUM_MAX], n[DIAGNOSIS_LEFT_MAX];
    int side = k < 1 ? TARGET : GOLDEN;
    double factor = fmin(k, 1 / k);
    case_found(p, DIAGNOSIS_SCALE, side, 0.96 - share,
               side == TARGET ? _("the target is the golden side times %s, as weight decay on the target alone leaves "
                                  "it: 1 − lr·wd with lr·wd = %s; %s")
                              : _("the golden side is the target times %s, as weight decay on the golden side alone "
                                  "leaves it: 1 − lr·wd with lr·wd = %s; %s"),
               num_cell(a, factor, 6), num_cell(b, 1 - factor, 3), diagnosis_left_text(n, share));
    case_advise(p, DIAGNOSIS_SCALE, _("One side decays this weight and the other does not: compare weight_decay and "
                                      "the parameter groups (MindFormers leaves out biases and one-dimensional "
                                      "weights)."));
}

#define FEW_MOST 3          /* elements that only an exact number explains */
#define FEW_VARY 10         /* times their rounding: by what numbers differ, or are moved */
#define WHOLE_LEFT 0.01     /* a larger rounding shows no whole number */
#define FACTOR_MOST 1048576 /* 2^20: no loss scale or count is larger */

/* Whether there are too few different elements for a fit, but each can be read. */
static bool few_elements(const struct diagnosis_case *p, const struct element_sample *s)
{
    return !p->partly && s->finite && s->finite == s->n && (s->n <= FEW_MOST || s->most[GOLDEN] == s->least[GOLDEN]);
}

static double most_off(const struct diagnosis_case *p, const struct element_sample *s)
{
    double rounding = 4 * dtype_table[dtype_coarser(s->dtype[TARGET], s->dtype[GOLDEN])].epsilon;
    return fmin(5e-3, fmax(rounding, 4 * (double)p->judged->level));
}

/* Few elements, all multiplied or divided by the same whole number: a count, a power of two. */
static void detect_scale_of_few(struct diagnosis_case *p, const struct element_sample *s)
{
    double k = s->tg / s->g2, whole = nearbyint(fmax(k, 1 / k)), off = most_off(p, s);
    if (!(s->g2 > 0) || !(k > 0) || !(whole >= 2) || !(whole <= FACTOR_MOST) ||
        fabs(fmax(k, 1 / k) / whole - 1) > fmin(off, 0.01 / whole))
        return;
    for (size_t i = 0; i < s->n; i++)
        if (fabs(s->v[TARGET][i] - k * s->v[GOLDEN][i]) > off * fabs(k * s->v[GOLDEN][i]))
            return;
    struct buf b = {0};
    diagnosis_factor_text(k, off, &b);
    case_found(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.9,
               s->n == 1 ? _("the target is the golden side times %s")
                         : _("every element of the target is that of the golden side times %s"),
               b.p);
    buf_release(&b);
}

/* Few numbers, all moved by the same one: a position, a time step, a count. Different numbers show it by themselves, a
 * single one, what goes into a call, if it is moved by a whole number. */
static void detect_offset_of_few(struct diagnosis_case *p, const struct element_sample *s)
{
    double c = s->v[TARGET][0] - s->v[GOLDEN][0], size = 0;
    char n[NUM_MAX];
    if (s->n > FEW_MOST)
        return;
    bool all_whole = true;
    for (size_t i = 0; i < s->n; i++)
        for (int side = 0; side < 2; side++) {
            size = fmax(size, fabs(s->v[side][i]));
            all_whole = all_whole && s->v[side][i] == nearbyint(s->v[side][i]);
        }
    double rounding = most_off(p, s) * size;
    for (size_t i = 0; i < s->n; i++)
        if (fabs(s->v[TARGET][i] - s->v[GOLDEN][i] - c) > rounding)
            return;
    bool varies = s->most[GOLDEN] - s->least[GOLDEN] > FEW_VARY * rounding,
         whole = (all_whole || p->r[TARGET]->io == IO_INPUT) && rounding < WHOLE_LEFT &&
                 fabs(c - nearbyint(c)) <= rounding;
    if (fabs(c) > FEW_VARY * rounding && (varies || whole))
        case_found(p, DIAGNOSIS_OFFSET, BOTH_SIDES, 0.85,
                   all_whole ? c > 0 ? _("whole numbers, on the target larger by %s")
                                     : _("whole numbers, on the target smaller by %s")
                   : c > 0   ? _("few numbers, on the target larger by %s")
                             : _("few numbers, on the target smaller by %s"),
                   num_cell(n, whole ? fabs(nearbyint(c)) : fabs(c), whole ? 9 : 4));
}

void detect_scale(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    if (!sample_is_telling(s) && few_elements(p, s))
        detect_scale_of_few(p, s);
    if (!sample_is_telling(s) || s->tg <= 0)
        return;
    /* the difference of two large sums is only accurate to their rounding: masked scores hide small deviations */
    double k = s->tg / s->g2, left = fmax(8 * DBL_EPSILON * s->t2, s->t2 - s->tg * s->tg / s->g2);
    if (!remainder_explains(s, left) || k < 1e-12 || !leaves_rounding(p, s, left))
        return;
    if (weight_decayed(p, k)) {
        say_decay(p, k, share_left(s, left));
        return;
    }
    struct buf b = {0};
    char n[DIAGNOSIS_LEFT_MAX];
    diagnosis_factor_text(k, fmin(5e-3, 3 * sqrt(left / s->g2 / (double)s->finite) + 1e-5), &b);
    if (str_is(buf_view(&b), "1")) { /* no factor explains a deviation by itself being none */
        buf_release(&b);
        return;
    }
    case_found(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.95 - share_left(s, left),
               _("the target is the golden side times %s; %s"),
               b.p, diagnosis_left_text(n, share_left(s, left)));
    buf_release(&b);
}

/* ---- limits ---- */

#define LIMITED_LEAST 2 /* elements at a limit: one is simply the largest */

/* How many values of a side are at this limit, and how many of the other side are beyond it. */
static void count_limited(const struct element_sample *s, int side, double limit, bool upper, size_t *at,
                          size_t *beyond)
{
    *at = *beyond = 0;
    for (size_t i = 0; i < s->n; i++) {
        double other = s->v[!side][i];
        *at += s->v[side][i] == limit;
        *beyond += upper ? other > limit : other < limit;
    }
}

/* The largest number of a type says that values overflowed. */
static bool is_limit_of_type(double v)
{
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (fabs(fabs(v) - dtype_table[types[i]].max) <= 1e-5 * dtype_table[types[i]].max)
            return true;
    return false;
}

/* What is left if the other side's values are limited alike. Σ(t−g)². */
static double left_limited(const struct element_sample *s, int side, double low, double high)
{
    double left = 0;
    for (size_t i = 0; i < s->n; i++) {
        double e = element_sample_pair(s, i) ? s->v[side][i] - fmin(fmax(s->v[!side][i], low), high) : 0;
        left += e * e;
    }
    return left;
}

/* One side is the other with its values limited: a clamp, or one with another limit. A lower limit of zero is an
 * activation. */
void detect_limited(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    for (int side = 0; side < 2 && sample_is_telling(s); side++) {
        double limit[2] = {s->least[side], s->most[side]};
        size_t at[2], beyond[2];
        char n[NUM_MAX], left[DIAGNOSIS_LEFT_MAX];
        for (int upper = 0; upper < 2; upper++) {
            count_limited(s, side, limit[upper], upper, &at[upper], &beyond[upper]);
            bool holds = at[upper] >= LIMITED_LEAST && beyond[upper] && limit[upper] != 0 &&
                         !is_limit_of_type(limit[upper]);
            limit[upper] = holds ? limit[upper] : upper ? INFINITY : -INFINITY;
        }
        double left2 = left_limited(s, side, limit[0], limit[1]);
        bool upper = isfinite(limit[1]);
        if ((!upper && !isfinite(limit[0])) || !remainder_explains(s, left2) || !leaves_rounding(p, s, left2))
            continue;
        case_found(p, DIAGNOSIS_ARGUMENT, side, 0.97,
                   upper ? _("the %s limits its values to at most %s (%zu elements of the other side are beyond); %s")
                         : _("the %s limits its values to at least %s (%zu elements of the other side are beyond); %s"),
                   diagnosis_side_word(side), num_cell(n, limit[upper], 6), beyond[upper],
                   diagnosis_left_text(left, share_left(s, left2)));
        return;
    }
}

/* The share of the deviation (squares) left after dividing each row along the last axis by its sum, or by its norm;
 * INFINITY if a row
 * differs by more than `most` from that. */
static double left_normalised(const struct element_sample *s, int side, bool by_norm, double most)
{
    size_t width = (size_t)s->shape[s->ndim - 1];
    double left = 0;
    for (size_t from = 0; from < s->n; from += width) {
        double sum = 0;
        for (size_t i = from; i < from + width; i++)
            sum += by_norm ? s->v[!side][i] * s->v[!side][i] : s->v[!side][i];
        double by = by_norm ? sqrt(sum) : sum, own2 = 0, row2 = 0;
        for (size_t i = from; i < from + width; i++) {
            double e = s->v[side][i] - (by != 0 ? s->v[!side][i] / by : 0);
            row2 += e * e;
            own2 += s->v[side][i] * s->v[side][i];
        }
        if (row2 > most * most * own2)
            return INFINITY;
        left += row2;
    }
    return left;
}

#define ROW_LEVELS 3 /* times the noise level, which one row may differ by */

/* Each row divided by its sum or norm on one side only: routing weights, normalised features. */
void detect_scale_rows(struct diagnosis_case *p)
{
    const struct element_sample *s = p->corner;
    if (p->partly || !sample_is_telling(s) || s->finite < s->n || s->ndim < 2 || s->shape[s->ndim - 1] < 2 || s->n < 8)
        return;
    for (int side = 0; side < 2; side++)
        for (int norm = 0; norm < 2; norm++) {
            double most = fmax(LEFT_OVER, ROW_LEVELS * (double)p->judged->level),
                   left = left_normalised(s, side, norm, most);
            char n[DIAGNOSIS_LEFT_MAX];
            if (!remainder_explains(s, left))
                continue;
            diagnosis_left_text(n, share_left(s, left));
            case_found(p, DIAGNOSIS_SCALE, side, 0.96 - share_left(s, left),
                       norm ? _("each row of the %s along the last axis is the row of the other side divided by its "
                                "norm: only one side normalises; %s")
                              : _("each row of the %s along the last axis is the row of the other side divided by its "
                                  "sum: only one side normalises; %s"),
                       diagnosis_side_word(side), n);
        }
}

/* ---- added terms ---- */

/* The vector among a call's inputs or parameters that equals `v` times a sign; NONE. */
static uint32_t held_vector(const struct dump *d, uint32_t call, const double *v, size_t n)
{
    uint32_t found = NONE;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        struct element_sample s;
        if (found != NONE || x->io == IO_OUTPUT || dump_row_numel(d, r) != n || !tensor_values(d, r, &s))
            continue;
        double left[2] = {0, 0}, own = 0;
        for (size_t i = 0; i < n; i++) {
            left[0] += (v[i] - s.v[0][i]) * (v[i] - s.v[0][i]);
            left[1] += (v[i] + s.v[0][i]) * (v[i] + s.v[0][i]);
            own += s.v[0][i] * s.v[0][i];
        }
        found = fmin(left[0], left[1]) <= LEFT_OVER * own && own > 0 ? r : NONE;
        element_sample_release(&s);
    }
    return found;
}

static void say_vector(struct diagnosis_case *p, const double *v, size_t n, int axis, double left)
{
    struct buf name = {0};
    char a[DIAGNOSIS_LEFT_MAX];
    bool alone = false; /* the call of the other side has no such vector */
    diagnosis_left_text(a, left);
    for (int side = 0; side < 2 && !name.n; side++) {
        uint32_t r = held_vector(p->side[side], p->side[side]->rows.v[p->row[side]].call, v, n);
        uint32_t other = r == NONE ? NONE : patient_partner(p, side, r);
        if (r == NONE)
            continue;
        alone = other == NONE || p->side[!side]->rows.v[other].kind != ROW_TENSOR;
        dump_row_name(p->side[side], r, &name);
    }
    if (alone)
        case_found(p, DIAGNOSIS_WEIGHTS_FIRST, BOTH_SIDES, 0.97 - left,
                   _("only one side's call has the bias %s, and the difference is this vector along axis %d; %s"),
                   name.p, axis, a);
    else if (name.n)
        case_found(p, DIAGNOSIS_OFFSET, BOTH_SIDES, 0.97 - left,
                   _("the difference is one vector along axis %d, namely %s: one side does not add it, or subtracts "
                     "it; %s"),
                   axis, name.p, a);
    else
        case_found(p, DIAGNOSIS_OFFSET, BOTH_SIDES, 0.9 - left,
                   _("the target is the golden side plus one vector along axis %d, constant along all other axes (a "
                     "bias); %s"),
                   axis, a);
    buf_release(&name);
}

#define VECTOR_REPEATS 6 /* how often a vector must repeat */

/* A bias that one side omits: the difference depends only on the position along one axis. */
void detect_offset_vector(struct diagnosis_case *p)
{
    const struct element_sample *s = p->corner;
    double c = s->finite ? (s->sum[0] - s->sum[1]) / (double)s->finite : 0;
    if (remainder_explains(s, s->dev2 - (double)s->finite * c * c)) /* a single number is no vector */
        return;
    if (p->partly || !sample_is_telling(s) || s->finite < s->n ||
        (p->r[TARGET]->io != IO_OUTPUT && p->r[TARGET]->io != IO_INPUT))
        return;
    for (int a = 0; a < s->ndim; a++) {
        size_t len = (size_t)s->shape[a], inner = 1, repeats = len ? s->n / len : 0;
        for (int i = a + 1; i < s->ndim; i++)
            inner *= (size_t)s->shape[i];
        if (len < 2 || repeats < VECTOR_REPEATS)
            continue;
        double *v = mem_zalloc(len * sizeof(double)), *own = mem_zalloc(len * sizeof(double)), left = 0, varies = 0;
        for (size_t i = 0; i < s->n; i++) {
            v[i / inner % len] += (s->v[0][i] - s->v[1][i]) / (double)repeats;
            own[i / inner % len] += s->v[1][i] / (double)repeats;
        }
        for (size_t i = 0; i < s->n; i++) {
            double e = s->v[0][i] - s->v[1][i] - v[i / inner % len], g = s->v[1][i] - own[i / inner % len];
            left += e * e;
            varies += g * g;
        }
        /* constant values prove nothing: they must vary where the difference does not */
        if (remainder_explains(s, left) && varies >= LEFT_OVER * s->g2)
            say_vector(p, v, len, a, share_left(s, left));
        free(v);
        free(own);
    }
}

bool bounds_mask(const struct dump *d, uint32_t row)
{
    static const char *const comparisons[] = {"le", "lt", "ge", "gt", "less_equal", "less", "greater_equal", "greater"};
    char a[FAMILY_PLAIN], b[FAMILY_PLAIN];
    const struct row *x = &d->rows.v[row];
    struct str op = family_plain(align_item_operator(d, x->call), a);
    bool compares = false;
    for (size_t i = 0; i < ARRAY_LEN(comparisons); i++)
        compares = compares || str_eq(op, family_plain(str_of(comparisons[i]), b));
    EACH_EARLY_ROW(d, x->call, r) {
        const struct shape *s = dump_row_shape(d, r);
        if (compares && x->io == IO_INPUT && !dtype_is_float(x->dtype) && d->rows.v[r].io == IO_OUTPUT &&
            d->rows.v[r].dtype == DTYPE_BOOL && s && s->ndim >= 2)
            return s->dim[s->ndim - 1] > 1 && s->dim[s->ndim - 1] == s->dim[s->ndim - 2];
    }
    return false;
}

void detect_offset(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    if (!sample_is_telling(s) && few_elements(p, s))
        detect_offset_of_few(p, s);
    if (!sample_is_telling(s))
        return;
    if (weight_decayed(p, s->tg / s->g2)) /* of weights near 1 a factor is nearly an offset */
        return;
    double n = (double)s->finite, c = (s->sum[0] - s->sum[1]) / n, left = fmax(0, s->dev2 - n * c * c);
    char a[DIAGNOSIS_LEFT_MAX], b[DIAGNOSIS_LEFT_MAX];
    if (remainder_explains(s, left) && fabs(c) <= EPSILON_MOST && patient_before_root(p))
        case_found(p, DIAGNOSIS_EPSILON, BOTH_SIDES, 0.95 - share_left(s, left),
                   c > 0 ? _("before the square root, the target is the golden side plus %s everywhere: its epsilon is "
                             "larger by this amount; %s")
                         : _("before the square root, the target is the golden side minus %s everywhere: its epsilon "
                             "is smaller by this amount; %s"),
                   num_cell(a, fabs(c), 6), diagnosis_left_text(b, share_left(s, left)));
    else if (remainder_explains(s, left) && bounds_mask(p->side[TARGET], p->row[TARGET]))
        case_found(
            p, DIAGNOSIS_MASK, BOTH_SIDES, 0.96 - share_left(s, left),
            c > 0 ? _("the mask is built by comparison with a value that is larger by %s on the target: so many more "
                      "or fewer positions are visible")
                  : _("the mask is built by comparison with a value that is smaller by %s on the target: so many more "
                      "or fewer positions are visible"),
            num_cell(a, fabs(c), 6));
    else if (remainder_explains(s, left))
        case_found(p, DIAGNOSIS_OFFSET, BOTH_SIDES, 0.95 - share_left(s, left),
                   c > 0 ? _("the target is the golden side plus %s everywhere; %s")
                         : _("the target is the golden side minus %s everywhere; %s"),
                   num_cell(a, fabs(c), 6), diagnosis_left_text(b, share_left(s, left)));
}

/* Signs inverted, in all elements or a part: magnitudes agree and signs do not. */
void detect_sign(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    double left = 0;
    size_t turned = 0, all = 0;
    if (!sample_is_telling(s))
        return;
    for (size_t i = 0; i < s->n; i++) {
        if (!element_sample_pair(s, i))
            continue;
        double t = s->v[0][i], g = s->v[1][i], d = fabs(t) - fabs(g);
        left += d * d;
        turned += t * g < 0;
        all += g != 0;
    }
    char a[DIAGNOSIS_LEFT_MAX];
    if (turned && remainder_explains(s, left))
        case_found(p, DIAGNOSIS_SIGN, BOTH_SIDES, 0.98 - share_left(s, left),
                   _("%zu of %zu elements have the opposite sign and "
                     "the same magnitude; %s"),
                   turned, all, diagnosis_left_text(a, share_left(s, left)));
}

/* ---- precision ---- */

/* Kept bits fewer than the type's own, as left by casts and products. In order, because a bfloat16 value is also a
 * tf32 value. */
static const struct grain {
    const char *name;
    enum dtype dtype;
    int bits; /* bits kept after the leading one, if dtype is DTYPE_UNKNOWN */
} grains[] = {
    {"float8_e5m2", DTYPE_F8E5M2, 0}, {"float8_e4m3", DTYPE_F8E4M3, 0}, {"hifloat8", DTYPE_HIF8, 0},
    {"bfloat16", DTYPE_BF16, 0},      {"float16", DTYPE_F16, 0},        {"tf32", DTYPE_UNKNOWN, 10},
};

static double grain_round(const struct grain *g, double v)
{
    return g->dtype ? dtype_round(g->dtype, v) : tf32_round(v);
}

static double grain_step(const struct grain *g)
{
    return g->dtype ? dtype_table[g->dtype].epsilon : ldexp(1, -g->bits);
}

struct grain_count {
    size_t all[2], on[2]; /* nonzero elements, and those exactly representable */
    double left;          /* residual after rounding the finer side */
};

static struct grain_count count_grain(const struct element_sample *s, const struct grain *g, int side)
{
    struct grain_count c = {.all = {0}};
    for (size_t i = 0; i < s->n; i++) {
        if (!element_sample_pair(s, i))
            continue;
        double r[2];
        for (int d = 0; d < 2; d++) {
            r[d] = grain_round(g, s->v[d][i]);
            c.all[d] += s->v[d][i] != 0;
            c.on[d] += s->v[d][i] != 0 && r[d] == s->v[d][i];
        }
        double d = s->v[side][i] - r[!side];
        c.left += d * d;
    }
    return c;
}

/* Whether one side's values are all representable in a coarser type while most of the other's are not. */
void detect_rounded(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    if (!sample_is_telling(s))
        return;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < ARRAY_LEN(grains); i++) {
            const struct grain *g = &grains[i];
            if (g->dtype ? dtype_table[p->r[!side]->dtype].epsilon >= grain_step(g) : p->r[side]->dtype != DTYPE_F32)
                continue;
            struct grain_count c = count_grain(s, g, side);
            if (c.all[side] < 4 || c.on[side] < c.all[side] || c.on[!side] * 2 > c.all[!side])
                continue;
            char n[2][DIAGNOSIS_LEFT_MAX];
            double rel = sqrt(s->dev2 / s->g2);
            if (remainder_explains(s, c.left))
                case_found(p, DIAGNOSIS_ROUNDED, side, 0.99 - share_left(s, c.left),
                           _("the %s is the other side rounded to %s; %s"),
                           diagnosis_side_word(side), g->name, diagnosis_left_text(n[0], share_left(s, c.left)));
            else if (rel <= 2 * grain_step(g))
                case_found(p, DIAGNOSIS_ROUNDED, side, 0.6, _("all %zu values of the %s are exactly representable in "
                                                              "%s, %s %% on the other side; the deviation (%s) has the "
                                                              "size of this rounding"),
                           c.all[side], diagnosis_side_word(side), g->name,
                           num_cell(n[0], 100.0 * (double)c.on[!side] / (double)c.all[!side], 3),
                           num_cell(n[1], rel, 2));
            break;
        }
}

void detect_denormal(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    for (int side = 0; side < 2; side++) {
        enum dtype d = p->r[side]->dtype;
        double least = d == DTYPE_F16 ? 0x1p-14 : d == DTYPE_BF16 ||
                       d == DTYPE_F32 ? 0x1p-126 : d == DTYPE_F8E4M3 ? 0x1p-6 : d == DTYPE_F8E5M2 ? 0x1p-14 : 0;
        size_t flushed = 0, kept = 0;
        double left = 0;
        for (size_t i = 0; least > 0 && i < s->n; i++) {
            if (!element_sample_pair(s, i))
                continue;
            double own = s->v[side][i], other = s->v[!side][i];
            bool small = other != 0 && fabs(other) < least;
            flushed += small && own == 0;
            kept += own != 0 && fabs(own) < least;
            double e = own - (small ? 0 : other);
            left += e * e;
        }
        char n[NUM_MAX];
        if (flushed >= 4 && !kept && remainder_explains(s, left))
            case_found(p, DIAGNOSIS_DENORMAL, side, 0.95, _("%zu elements below %s are 0 on the %s and nonzero on the "
                                                            "other side"), flushed,
                       num_cell(n, least, 4), diagnosis_side_word(side));
    }
}

/* ---- dropout ---- */

/* Zeros where the other side has none, with the others larger by 1/(1 - share of zeros). */
void detect_dropout(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    for (int side = 0; side < 2 && p->f && s->g2 > 0; side++) {
        size_t all = 0, zero = 0, fresh = 0;
        double own2 = 0, both = 0, other2 = 0, left = 0;
        for (size_t i = 0; i < s->n; i++) {
            if (!element_sample_pair(s, i))
                continue;
            double a = s->v[side][i], b = s->v[!side][i];
            all += b != 0;
            zero += b != 0 && a == 0;
            fresh += b == 0 && a != 0;
            if (a == 0 || b == 0)
                continue;
            own2 += a * a;
            both += a * b;
            other2 += b * b;
        }
        double share = all ? (double)zero / (double)all : 0, kept = (double)(all - zero);
        if (zero < 2 || fresh || kept < 4 || share > 0.95 || other2 <= 0)
            continue;
        double k = both / other2, drop = 1 - 1 / k;
        left = own2 - both * both / other2;
        /* the share is random: four standard deviations of a binomial around the value from the factor */
        double spread = 4 * sqrt(fmax(drop * (1 - drop), 1e-9) / (double)all);
        if (k <= 1.004 || left > LEFT_OVER / 4 * own2 || fabs(share - drop) > fmax(spread, 1e-3))
            continue;
        char n[2][NUM_MAX];
        case_found(p, DIAGNOSIS_DROPOUT, side, 1, _("%zu of %zu elements of the %s are 0 (%s %%), all others are those "
                                                    "of the other side times %s, as after dropout with this "
                                                    "probability"),
                   zero, all, diagnosis_side_word(side), num_cell(n[0], share * 100, 3), num_cell(n[1], k, 5));
    }
}

/* Counts of coinciding zeros of two independent draws. */
struct draws {
    size_t all, zero[2], both; /* elements; zeros of each side; zeros of both */
    double dev2, own2, least, most; /* over elements that are zero on neither side */
};

/* The relative error of what goes into a dropout on both sides; 0: it is no dropout, or its input was not compared. */
static double error_into_dropout(const struct diagnosis_case *p)
{
    uint32_t input = call_input(p->side[TARGET], p->call, 0);
    uint32_t line = input == NONE ? NONE : p->m->pairing->line_of[TARGET][input];
    for (int s = 0; s < 2; s++)
        if (!str_ihas(align_item_operator(p->side[s], p->side[s]->rows.v[p->row[s]].call), "dropout"))
            return 0;
    bool compared = line != NONE && p->m->pairing->lines.v[line].pair != NONE && p->m->state[line] == MEASURE_DONE;
    double error = compared ? p->m->figures[line]->rel_l2 : 0;
    return isfinite(error) ? error : 0;
}

/* Whether both sides have the same share of zeros at independent places, and the same values where neither is zero, but
 * for the error of what goes in. */
static bool drawn_apart(const struct element_sample *s, double in, struct draws *x)
{
    *x = (struct draws){.least = INFINITY, .most = -INFINITY};
    for (size_t i = 0; i < s->n; i++) {
        if (!element_sample_pair(s, i))
            continue;
        double t = s->v[0][i], g = s->v[1][i];
        x->all++;
        x->zero[0] += t == 0;
        x->zero[1] += g == 0;
        x->both += t == 0 && g == 0;
        x->dev2 += t != 0 && g != 0 ? (t - g) * (t - g) : 0;
        x->own2 += t != 0 && g != 0 ? g * g : 0;
        x->least = t != 0 && g != 0 ? fmin(x->least, g) : x->least;
        x->most = t != 0 && g != 0 ? fmax(x->most, g) : x->most;
    }
    double n = (double)x->all, p = (double)(x->zero[0] + x->zero[1]) / (2 * n),
           meet = (double)x->zero[0] * (double)x->zero[1] / n;
    return x->all >= 32 && x->zero[0] >= x->both + 4 && x->zero[1] >= x->both + 4 && p < 0.9 && x->most > x->least &&
           x->dev2 <= fmin(fmax(1e-8, 4 * in * in) * x->own2, LEFT_OVER * s->dev2) &&
           fabs((double)x->zero[0] - (double)x->zero[1]) <= 4 * sqrt(2 * n * p * (1 - p)) &&
           fabs((double)x->both - meet) <= 4 * sqrt(meet + 1);
}

/* The dropout probability passed on both sides in training; NAN. */
static double shared_probability(const struct diagnosis_case *p)
{
    double v[2];
    for (int s = 0; s < 2; s++) {
        const struct dump *d = p->side[s];
        uint32_t call = d->rows.v[p->row[s]].call, prob = call_argument(d, call, "p dropout_p"),
                 training = call_argument(d, call, "training");
        enum family f = (enum family)d->calls.v[call].family;
        bool drops = (f == FAMILY_RANDOM || f == FAMILY_ATTENTION) && d->calls.v[call].phase == PHASE_FORWARD &&
                     p->r[s]->io == IO_OUTPUT;
        if (!drops || prob == NONE || (training != NONE && d->rows.v[training].stat[STAT_MAX] == 0))
            return NAN;
        v[s] = d->rows.v[prob].stat[STAT_MAX];
    }
    return v[0] == v[1] && v[0] > 0 && v[0] < 1 ? v[0] : NAN;
}

/* For a dropout with equal inputs by figures: which sides change their input (bits), or 0. */
static int sides_that_drop(const struct diagnosis_case *p)
{
    int bits = 0;
    for (int s = 0; s < 2; s++) {
        const struct dump *d = p->side[s];
        uint32_t call = d->rows.v[p->row[s]].call, input = call_input(d, call, 0);
        const struct row *in = input == NONE ? NULL : &d->rows.v[input];
        if (p->r[s]->io != IO_OUTPUT || d->calls.v[call].phase != PHASE_FORWARD ||
            !str_ihas(align_item_operator(d, call), "dropout") || !in || !(in->has & HAS_NORM) ||
            !(in->stat[STAT_NORM] > 0))
            return 0;
        bits |= fabs(diagnosis_case_stat(p, s, STAT_NORM) / in->stat[STAT_NORM] - 1) > 1e-4 ? 1 << s : 0;
    }
    return bits;
}

/* Both sides drop elements with different random numbers. */
void detect_dropout_both(struct diagnosis_case *p)
{
    struct draws x;
    char n[3][NUM_MAX];
    double given = shared_probability(p);
    double in = error_into_dropout(p);
    if (p->spread && drawn_apart(p->spread, in, &x))
        case_found(p, DIAGNOSIS_DROPOUT, BOTH_SIDES, 0.99,
                   x.dev2 <= 1e-8 * x.own2
                       ? _("both sides apply dropout: %s %% of the target elements and %s %% of the golden elements "
                           "are 0, %s %% on both sides, as with independent random numbers; all other elements agree")
                       : _("both sides apply dropout: %s %% of the target elements and %s %% of the golden elements "
                           "are 0, %s %% on both sides, as with independent random numbers; all other elements differ "
                           "by what goes in"),
                   num_cell(n[0], 100.0 * (double)x.zero[0] / (double)x.all, 3),
                   num_cell(n[1], 100.0 * (double)x.zero[1] / (double)x.all, 3),
                   num_cell(n[2], 100.0 * (double)x.both / (double)x.all, 3));
    else if (isfinite(given) && patient_inputs_agree(p))
        case_found(p, DIAGNOSIS_DROPOUT, BOTH_SIDES, 0.8,
                   _("both sides apply dropout with probability %s here, each with its own random numbers"),
                   num_cell(n[0], given, 4));
    else if (!p->f && patient_inputs_agree(p) && sides_that_drop(p) == 3)
        case_found(p, DIAGNOSIS_DROPOUT, BOTH_SIDES, 0.7,
                   _("this dropout changes the values on both sides, each with its own random numbers; the elements "
                     "were not recorded"));
    else if (!p->f && patient_inputs_agree(p) && sides_that_drop(p))
        case_found(p, DIAGNOSIS_DROPOUT, sides_that_drop(p) == 1 ? TARGET : GOLDEN, 0.7,
                   _("this dropout changes the values only on the %s; the elements were not recorded"),
                   diagnosis_side_word(sides_that_drop(p) == 1 ? TARGET : GOLDEN));
}
