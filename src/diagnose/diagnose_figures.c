/* Diagnoses from max, min, mean, norm and counts, computed or recorded. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/diagnosis_case.h"
#include "judge/lost_gradient.h"

static bool is_backward_case(const struct diagnosis_case *p)
{
    return p->r[TARGET]->io == IO_GRADIENT || p->side[TARGET]->calls.v[p->call].phase == PHASE_BACKWARD ||
           p->side[TARGET]->calls.v[p->call].gradient;
}

static const struct row_extra *extra_of(const struct diagnosis_case *p, int side)
{
    return p->r[side]->extra == NONE ? NULL : &p->side[side]->extras.v[p->r[side]->extra];
}

/* Numbers of NaN and infinite elements if counted; false if only extremes are known. */
static bool nonfinite_count(const struct diagnosis_case *p, int side, uint64_t *nan, uint64_t *inf)
{
    const struct row_extra *e = extra_of(p, side);
    if (p->f) {
        *nan = p->f->side[side].nan;
        *inf = p->f->side[side].inf;
        return true;
    }
    if (!e || !(e->counts & COUNT_NAN))
        return false;
    *nan = e->nan;
    *inf = (e->counts & COUNT_POS_INF ? e->pos_inf : 0) + (e->counts & COUNT_NEG_INF ? e->neg_inf : 0);
    return true;
}

void detect_nonfinite(struct diagnosis_case *p)
{
    uint64_t nan[2] = {0}, inf[2] = {0};
    if (p->judged->verdict != VERDICT_NONFINITE)
        return;
    bool counted[2] = {nonfinite_count(p, 0, &nan[0], &inf[0]), nonfinite_count(p, 1, &nan[1], &inf[1])};
    if (counted[0] && counted[1]) {
        uint64_t t = nan[0] + inf[0], g = nan[1] + inf[1];
        int side = t > g ? TARGET : t < g ? GOLDEN : BOTH_SIDES;
        struct buf at = {0};
        if (p->f)
            diagnosis_place_text(p, p->f->unlike_at, &at);
        case_found(p, DIAGNOSIS_NONFINITE, side, 1,
                   p->f ? _("%llu NaN and %llu infinite elements on the target, %llu and %llu on the golden side, the "
                            "first difference at %s")
                          : _("%llu NaN and %llu infinite elements on the target, %llu and %llu on the golden side%s"),
                   (unsigned long long)nan[0], (unsigned long long)inf[0], (unsigned long long)nan[1],
                   (unsigned long long)inf[1], p->f ? at.p : "");
        buf_release(&at);
        return;
    }
    bool bad[2];
    char n[4][NUM_MAX];
    for (int s = 0; s < 2; s++)
        bad[s] = !isfinite(diagnosis_case_stat(p, s, STAT_MAX)) || !isfinite(diagnosis_case_stat(p, s, STAT_MIN));
    case_found(p, DIAGNOSIS_NONFINITE, bad[0] == bad[1] ? BOTH_SIDES : bad[0] ? TARGET : GOLDEN, 1,
               _("max %s and min %s on the target, %s and %s on the golden side"),
               num_cell(n[0], diagnosis_case_stat(p, 0, STAT_MAX), 6),
               num_cell(n[1], diagnosis_case_stat(p, 0, STAT_MIN), 6),
               num_cell(n[2], diagnosis_case_stat(p, 1, STAT_MAX), 6),
               num_cell(n[3], diagnosis_case_stat(p, 1, STAT_MIN), 6));
}

static bool side_is_zero(const struct diagnosis_case *p, int side)
{
    return diagnosis_case_stat(p, side, STAT_MAX) == 0 && diagnosis_case_stat(p, side, STAT_MIN) == 0;
}

void detect_zero(struct diagnosis_case *p)
{
    bool z[2] = {side_is_zero(p, TARGET), side_is_zero(p, GOLDEN)};
    bool answer = !dtype_is_float(p->r[TARGET]->dtype) &&
                  dump_row_numel(p->side[TARGET], p->row[TARGET]) == 1; /* a scalar */
    if (z[0] == z[1] || answer || p->judged->verdict == VERDICT_NONFINITE)
        return;
    int side = z[0] ? TARGET : GOLDEN;
    char a[NUM_MAX], b[NUM_MAX];
    double max = diagnosis_case_stat(p, !side, STAT_MAX), min = diagnosis_case_stat(p, !side, STAT_MIN);
    if (isnan(max) || isnan(min))
        return;
    num_cell(a, min, 4);
    num_cell(b, max, 4);
    if (is_backward_case(p))
        case_found(p, DIAGNOSIS_ZERO_GRADIENT, side, 1, _("this gradient is zero everywhere on the %s; on the other "
                                                          "side it is between %s and %s"),
                   diagnosis_side_word(side), a, b);
    case_found(p, DIAGNOSIS_ALL_ZERO, side, 1, _("every element of the %s is 0; the other side is between %s and %s"),
               diagnosis_side_word(side), a, b);
}

void detect_lost_gradient(struct diagnosis_case *p)
{
    int side = lost_gradient_side(p->m, p->line);
    case_found(p, DIAGNOSIS_ZERO_GRADIENT, side, 1,
               _("the call hands no gradient back on the %s: its input needs none there, though the same value needs "
                 "one before (detach, stop_gradient)"),
               diagnosis_side_word(side));
}

void detect_saturated(struct diagnosis_case *p)
{
    static const enum dtype limits[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F8E4M3, DTYPE_F8E5M2};
    for (int s = 0; s < 2; s++) {
        double max = diagnosis_case_stat(p, s, STAT_MAX), min = diagnosis_case_stat(p, s, STAT_MIN);
        double other = fmax(fabs(diagnosis_case_stat(p, !s, STAT_MAX)), fabs(diagnosis_case_stat(p, !s, STAT_MIN)));
        for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
            double top = dtype_table[limits[i]].max;
            /* printed figures of the largest float32 are rounded; the bound of a float8 in a wider type is an
             * ordinary number */
            bool here = fabs(max - top) <= 1e-5 * top || fabs(min + top) <= 1e-5 * top;
            bool there = fabs(other - top) <= 1e-5 * top;
            if (!here || there || (dtype_table[limits[i]].size == 1 && p->r[s]->dtype != limits[i]))
                continue;
            if (fabs(max - top) > 1e-5 * top &&
                (limits[i] != DTYPE_F16 || max == 0)) /* the lowest number alone is a mask's fill */
                continue;
            char n[3][NUM_MAX];
            uint64_t count = p->f ? p->f->side[s].saturated : 0;
            num_cell(n[0], fabs(max - top) <= 1e-5 * top ? max : min, 6);
            num_cell(n[1], other, 6);
            if (count)
                case_found(p, DIAGNOSIS_SATURATED, s, 1, _("%llu elements of the %s are saturated at %s, the largest "
                                                           "%s value; the other side reaches %s"),
                           (unsigned long long)count, diagnosis_side_word(s), n[0], dtype_table[limits[i]].name, n[1]);
            else
                case_found(p, DIAGNOSIS_SATURATED, s, 0.95, _("the %s reaches %s, the largest %s value; the other side "
                                                              "reaches %s"),
                           diagnosis_side_word(s), n[0], dtype_table[limits[i]].name, n[1]);
            break;
        }
    }
}

/* Magnitudes that no computation of this row gives: far outside the other side's range, and no limit of a type
 * (saturation or a mask's fill). */
void detect_uninitialised(struct diagnosis_case *p)
{
    for (int s = 0; s < 2; s++) {
        double max = fabs(diagnosis_case_stat(p, s, STAT_MAX)), min = fabs(diagnosis_case_stat(p, s, STAT_MIN));
        double other = fmax(fabs(diagnosis_case_stat(p, !s, STAT_MAX)), fabs(diagnosis_case_stat(p, !s, STAT_MIN)));
        double most = fmax(max, min);
        if (!isfinite(most) || !isfinite(other) || most < 1e20 || most < 1e15 * other ||
            most > 0.99 * dtype_table[DTYPE_BF16].max)
            continue;
        char a[NUM_MAX], b[NUM_MAX];
        case_found(p, DIAGNOSIS_UNINITIALISED, s, 0.8, _("the %s reaches %s; the other side reaches %s"),
                   diagnosis_side_word(s),
                   num_cell(a, most, 4), num_cell(b, other, 4));
    }
}

/* ---- constant factor, sign and offset from recorded figures ---- */

#define SINGLE 1.05 /* a norm that is less than so many times the largest element is that element's */

/* Each recorded figure must give the same factor; the mean only if it is far enough from zero. */
void detect_scale_statistics(struct diagnosis_case *p)
{
    double k = diagnosis_case_stat(p, TARGET, STAT_NORM) / diagnosis_case_stat(p, GOLDEN, STAT_NORM), worst = 0;
    double mean_t = diagnosis_case_stat(p, TARGET, STAT_MEAN), mean_g = diagnosis_case_stat(p, GOLDEN, STAT_MEAN);
    double t[2] = {diagnosis_case_stat(p, TARGET, STAT_MAX), diagnosis_case_stat(p, TARGET, STAT_MIN)};
    double g[2] = {diagnosis_case_stat(p, GOLDEN, STAT_MAX), diagnosis_case_stat(p, GOLDEN, STAT_MIN)};
    int largest = fabs(g[1]) > fabs(g[0]);
    double range = fabs(g[largest]);
    char n[NUM_MAX];
    if (p->f || !isfinite(k) || k <= 0 || !isfinite(range) || range == 0 ||
        dump_row_numel(p->side[TARGET], p->row[TARGET]) < 4 || g[0] == g[1])
        return;
    bool telling = fabs(mean_g) > 1e-2 * range;
    bool turned = fabs(t[0] + k * g[1]) < fabs(t[0] - k * g[0]) && (!telling || mean_t * mean_g < 0);
    for (int i = 0; i < 2; i++)
        worst = fmax(worst, fabs(t[i] - (turned ? -k * g[!i] : k * g[i])) / range);
    if (telling && !isnan(mean_t))
        worst = fmax(worst, fabs(mean_t - (turned ? -k : k) * mean_g) / fabs(mean_g));
    /* an inverted sign must be visible: asymmetric extremes, or a mean of the opposite sign */
    double off = turned ? fmax(fabs(g[0] + g[1]) / range, telling ? 1 : 0) : fabs(k - 1);
    bool single = diagnosis_case_stat(p, GOLDEN, STAT_NORM) < SINGLE * range;
    double apart = fabs(t[!largest] - k * g[!largest]) / fabs(g[!largest]); /* the other extreme, by its own size */
    if (!(off > 1e-3) || !(worst <= off / 10) || worst > 0.02 || (single && !turned && apart > off / 10))
        return;
    struct buf b = {0};
    diagnosis_factor_text(turned ? -k : k, 2e-3, &b);
    num_cell(n, worst, 2);
    if (turned)
        case_found(p, DIAGNOSIS_SIGN, BOTH_SIDES, 0.7,
                   _("max, min and mean are %s times those of the golden side, within %s; the elements were not "
                     "recorded"), b.p, n);
    else
        case_found(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.8,
                   _("max, min, mean and norm are %s times those of the golden side, within %s; the elements were not "
                     "recorded"), b.p, n);
    buf_release(&b);
}

void detect_offset_statistics(struct diagnosis_case *p)
{
    double c[3], n = (double)dump_row_numel(p->side[TARGET], p->row[TARGET]);
    for (int i = 0; i < 3; i++) {
        static const int stat[] = {STAT_MAX, STAT_MIN, STAT_MEAN};
        c[i] = diagnosis_case_stat(p, TARGET, stat[i]) - diagnosis_case_stat(p, GOLDEN, stat[i]);
    }
    double mean = diagnosis_case_stat(p, GOLDEN, STAT_MEAN), norm = diagnosis_case_stat(p, GOLDEN, STAT_NORM),
           norm_t = diagnosis_case_stat(p, TARGET, STAT_NORM);
    double range = diagnosis_case_stat(p, GOLDEN, STAT_MAX) - diagnosis_case_stat(p, GOLDEN, STAT_MIN);
    if (p->f || n < 4 || !(range > 0) || !isfinite(c[0]) || c[0] == 0)
        return;
    bool without_mean = isnan(diagnosis_case_stat(p, TARGET, STAT_MEAN)); /* the golden side's and the norm decide */
    if (without_mean)
        c[2] = (c[0] + c[1]) / 2;
    bool epsilon = fabs(c[2]) <= EPSILON_MOST && patient_before_root(p);
    /* the norm must agree: Σ(g+c)² = Σg² + 2cnm + nc² */
    double expect = sqrt(fmax(0, norm * norm + 2 * c[2] * n * mean + n * c[2] * c[2]));
    if (fabs(c[0] - c[1]) > 0.02 * fabs(c[0]) || fabs(c[0] - c[2]) > 0.02 * fabs(c[0]) ||
        !(fabs(c[0]) > (epsilon ? 1e-4 : 1e-3) * range) ||
        !(fabs(expect - norm_t) <= 0.1 * fabs(norm_t - norm) + (without_mean ? 0 : 1e-5 * norm)))
        return;
    char a[NUM_MAX];
    num_cell(a, epsilon ? fabs(c[2]) : c[2], 5);
    if (!epsilon)
        case_found(p, DIAGNOSIS_OFFSET, BOTH_SIDES, 0.8,
                   _("max, min and mean all differ by %s, and the norm accordingly; the elements were not recorded"),
                   a);
    else
        case_found(p, DIAGNOSIS_EPSILON, BOTH_SIDES, 0.8,
                   c[2] > 0 ? _("before the square root, max and min differ by %s, and the norm accordingly: the "
                                "epsilon of the target is larger by this amount; the elements were not recorded")
                            : _("before the square root, max and min differ by %s, and the norm accordingly: the "
                                "epsilon of the target is smaller by this amount; the elements were not recorded"),
                   a);
}

/* ---- masks ---- */

#define MASK_FILL (-1e9) /* no score is that low; smaller fills need a name or elements */

/* Whether a tensor has two values as in a mask: 0 and 1 (booleans, or by name), or 0 and a fill. */
static bool mask_figures(const struct diagnosis_case *p, int side)
{
    double max = diagnosis_case_stat(p, side, STAT_MAX), min = diagnosis_case_stat(p, side, STAT_MIN);
    bool named = str_ihas(str_of(p->side[TARGET]->slots.v[p->r[TARGET]->slot]), "mask");
    return (max == 1 && min == 0 && (named || !dtype_is_float(p->r[side]->dtype))) ||
           (max == 0 && min <= -1e3 && dtype_is_float(p->r[side]->dtype));
}

/* A mask on one side and nothing masked on the other, or masks whose means show different numbers of masked
 * positions. */
void detect_mask_statistics(struct diagnosis_case *p)
{
    char n[2][NUM_MAX];
    if (p->f || dump_row_numel(p->side[TARGET], p->row[TARGET]) < 2)
        return;
    for (int s = 0; s < 2; s++) {
        double max = diagnosis_case_stat(p, s, STAT_MAX);
        if (mask_figures(p, !s) && max == diagnosis_case_stat(p, s, STAT_MIN) &&
            max == diagnosis_case_stat(p, !s, STAT_MAX))
            case_found(
                p, DIAGNOSIS_MASK, s, 0.9,
                _("the mask of the %s is %s everywhere; the mask of the other side also contains %s; the elements were "
                  "not recorded"),
                diagnosis_side_word(s), num_exact(n[0], max), num_exact(n[1], diagnosis_case_stat(p, !s, STAT_MIN)));
    }
    double least[2] = {diagnosis_case_stat(p, TARGET, STAT_MIN), diagnosis_case_stat(p, GOLDEN, STAT_MIN)};
    if (dtype_is_float(p->r[TARGET]->dtype) && (least[0] <= MASK_FILL) != (least[1] <= MASK_FILL))
        case_found(p, DIAGNOSIS_MASK, BOTH_SIDES, 0.8,
                   _("the minimum is %s on the target and %s on the golden side: only one side fills masked positions; "
                     "the elements were not recorded"),
                   num_cell(n[0], least[0], 4), num_cell(n[1], least[1], 4));
    double t = diagnosis_case_stat(p, TARGET, STAT_MEAN), g = diagnosis_case_stat(p, GOLDEN, STAT_MEAN);
    if (mask_figures(p, TARGET) && mask_figures(p, GOLDEN) &&
        diagnosis_case_stat(p, TARGET, STAT_MIN) == diagnosis_case_stat(p, GOLDEN, STAT_MIN) &&
        fabs(t - g) > 1e-4 * fabs(g))
        case_found(p, DIAGNOSIS_MASK, BOTH_SIDES, 0.85,
                   _("the masks have the same two values, but the means are %s on the target and %s on the golden "
                     "side: the numbers of masked positions differ; the elements were not recorded"),
                   num_cell(n[0], t, 4), num_cell(n[1], g, 4));
}

/* Whether a line before this one agrees in a forward call's result. */
static bool follows_agreement(const struct diagnosis_case *p)
{
    for (uint32_t i = p->line; i-- > 0;) {
        const struct line *l = &p->m->pairing->lines.v[i];
        const struct row *r = l->pair == NONE ? NULL : &p->side[TARGET]->rows.v[l->row[TARGET]];
        if (r && r->io == IO_OUTPUT && p->side[TARGET]->calls.v[r->call].phase == PHASE_FORWARD &&
            p->j->line[i].verdict == VERDICT_MATCH)
            return true;
    }
    return false;
}

/* The first deviation is an output of a call whose input deviates as well and comes from no recorded call: a module's
 * own additions, where only modules were recorded. */
static void say_unrecorded_input(struct diagnosis_case *p)
{
    if (p->r[TARGET]->io != IO_OUTPUT || p->side[TARGET]->calls.v[p->call].phase != PHASE_FORWARD ||
        !follows_agreement(p))
        return;
    EACH_EARLY_ROW(p->side[TARGET], p->call, r) {
        const struct row *x = &p->side[TARGET]->rows.v[r];
        uint32_t g = x->io == IO_INPUT && x->kind == ROW_TENSOR ? patient_partner(p, TARGET, r) : NONE;
        if (g == NONE || !dtype_is_float(x->dtype) || p->flow[TARGET].held[r] != NONE ||
            p->flow[GOLDEN].held[g] != NONE)
            continue;
        uint8_t verdict = patient_judged(p, TARGET, r)->verdict;
        if (verdict != VERDICT_DEVIATE && verdict != VERDICT_IN_DOUBT)
            continue;
        struct buf name = {0};
        dump_row_name(p->side[TARGET], r, &name);
        case_found(p, DIAGNOSIS_GAP, BOTH_SIDES, 0.3, _("its input %s differs already, and no recorded call of either "
                                                        "side made it: the deviation starts in code that was not "
                                                        "recorded"), name.p);
        buf_release(&name);
        return;
    }
}

void detect_gap(struct diagnosis_case *p)
{
    if (p->j->first == p->line && p->j->first_class == FIRST_OUTPUT)
        say_unrecorded_input(p);
    if (p->j->first != p->line || p->j->first_class != FIRST_GAP)
        return;
    uint32_t calls = 0, last = NONE, i = p->line;
    for (; i > 0 && p->m->pairing->lines.v[i - 1].pair == NONE; i--) {
        const struct line *l = &p->m->pairing->lines.v[i - 1];
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        uint32_t call = p->side[s]->rows.v[l->row[s]].call * 2 + (uint32_t)s;
        calls += call != last;
        last = call;
    }
    if (calls)
        case_found(p, DIAGNOSIS_GAP, BOTH_SIDES, 0.2, _("%u calls that only one side recorded are between this row "
                                                        "and the last pair before it"), calls);
}

/* ---- a module with code after its last call ---- */

/* The output of a call inside the row's module that the module returns on this side; NONE. */
static uint32_t last_inside(const struct diagnosis_case *p, int s)
{
    const struct dump *d = p->side[s];
    uint32_t row = p->flow[s].held[p->row[s]], module = p->r[s]->call;
    while (row != NONE && d->rows.v[row].io != IO_OUTPUT)
        row = p->flow[s].held[row];
    for (uint32_t c = row == NONE ? NONE : d->rows.v[row].call; c != NONE; c = d->calls.v[c].parent)
        if (d->calls.v[c].parent == module)
            return row;
    return NONE;
}

/* Whether only this side recorded the call of an output, and the call reads the value. */
static bool alone_reads(const struct diagnosis_case *p, int s, uint32_t output, uint32_t value)
{
    const struct dump *d = p->side[s];
    if (patient_partner(p, s, output) != NONE)
        return false;
    EACH_EARLY_ROW(d, d->rows.v[output].call, r)
        for (uint32_t held = d->rows.v[r].io == IO_INPUT ? p->flow[s].held[r] : NONE; held != NONE;
             held = p->flow[s].held[held])
            if (held == value)
                return true;
    return false;
}

int patient_changed_end(const struct diagnosis_case *p, uint32_t *inner)
{
    for (int s = 0; s < 2; s++) {
        const struct call *c = &p->side[s]->calls.v[p->r[s]->call];
        if (c->kind != CALL_MODULE || c->phase != PHASE_FORWARD || p->r[s]->io != IO_OUTPUT)
            return NO_SIDE;
    }
    for (int s = 0; s < 2; s++) {
        *inner = last_inside(p, s);
        uint32_t partner = *inner == NONE ? NONE : patient_partner(p, s, *inner), other = last_inside(p, !s);
        const struct line_judgement *l = *inner == NONE ? NULL : patient_judged(p, s, *inner);
        if (l && line_agrees(l) && partner != NONE && (other == NONE || alone_reads(p, !s, other, partner)))
            return !s;
    }
    return NO_SIDE;
}

void detect_changed_end(struct diagnosis_case *p)
{
    uint32_t inner;
    int side = patient_changed_end(p, &inner);
    if (side == NO_SIDE)
        return;
    struct buf name = {0};
    uint32_t changes = last_inside(p, side);
    dump_row_name(p->side[!side], inner, &name);
    if (changes == NONE)
        case_found(p, DIAGNOSIS_GAP, side, 0.8, _("%s agrees with the output of the module on the other side; the "
                                                  "operation that changes it after the last call here was not "
                                                  "recorded"), name.p);
    else
        case_found(p, DIAGNOSIS_GAP, side, 0.8, _("%s agrees with the output of the module on the other side; here %s "
                                                  "changes it, a call without a counterpart"), name.p,
                   dump_call_name(p->side[side], p->side[side]->rows.v[changes].call).p);
    buf_release(&name);
}
