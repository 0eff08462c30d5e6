/* See recorded_verdict.h. */
#include "judge/recorded_verdict.h"

#include <math.h>
#include <string.h>

#include "dump/checksum.h"
#include "dump/recorded_figures.h"
#include "judge/element_order.h"
#include "judge/recorded_mask.h"
#include "judge/table_verdicts.h"
#include "num/masked.h"
#include "num/sketch.h"

bool recorded_figures_equal(const struct judge_pass *p, const struct verdict_case *k)
{
    double tol = fmax(1e-6, row_verdict_printed(p));
    static const struct {
        int bit, stat;
    } figure[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_MEAN, STAT_MEAN}, {HAS_NORM, STAT_NORM}};
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        double a = k->r[TARGET]->stat[figure[i].stat], b = k->r[GOLDEN]->stat[figure[i].stat];
        if (verdict_case_has(k, figure[i].bit) && a != b && !(isnan(a) && isnan(b)) && fabs(a - b) > tol * fabs(b))
            return false;
    }
    return true;
}

/* Whether the numbers of NaN or infinite elements differ, if both sides counted them alike. */
static bool counts_differ(const struct judge_pass *p, const struct verdict_case *k)
{
    uint64_t nan[2], inf[2];
    int t = recorded_counts(p->side[TARGET], k->r[TARGET], &nan[0], &inf[0]);
    int g = recorded_counts(p->side[GOLDEN], k->r[GOLDEN], &nan[1], &inf[1]);
    return t == g && (nan[0] != nan[1] || inf[0] != inf[1]);
}

#define FILL_APART 10 /* times the largest element by which a fill is away from zero */

/* Whether both sides' lowest element is a mask fill, possibly different ones: −inf, the type's lowest number, −10000;
 * not one of values of that size. */
static bool both_masked(const struct judge_pass *p, const struct verdict_case *k)
{
    const double *t = k->r[TARGET]->stat, *g = k->r[GOLDEN]->stat;
    uint64_t nan[2] = {0, 0}, inf;
    if (!(t[STAT_MIN] <= MASK_FILL) || !(g[STAT_MIN] <= MASK_FILL) || !verdict_case_has(k, HAS_MAX) ||
        !verdict_case_has(k, HAS_MIN))
        return false;
    recorded_counts(p->side[TARGET], k->r[TARGET], &nan[0], &inf);
    recorded_counts(p->side[GOLDEN], k->r[GOLDEN], &nan[1], &inf);
    bool floats = dtype_is_float(k->r[TARGET]->dtype) && dtype_is_float(k->r[GOLDEN]->dtype);
    bool apart = FILL_APART * fabs(t[STAT_MAX]) < -t[STAT_MIN] && FILL_APART * fabs(g[STAT_MAX]) < -g[STAT_MIN];
    return floats && apart && isfinite(t[STAT_MAX]) && isfinite(g[STAT_MAX]) && !nan[0] && !nan[1];
}

double sketches_apart(const struct judge_pass *p, const uint32_t row[2])
{
    const double *x = p->side[TARGET]->sketch, *y = p->side[GOLDEN]->sketch;
    if (!x || !y)
        return NAN;
    const struct shape *a = dump_row_shape(p->side[TARGET], row[TARGET]),
                       *b = dump_row_shape(p->side[GOLDEN], row[GOLDEN]);
    if (!shape_same(a, b))
        return NAN;
    return sketch_distance(x + (size_t)row[TARGET] * SKETCH_NUMBERS, y + (size_t)row[GOLDEN] * SKETCH_NUMBERS);
}

/* Elements left out of the sketches as mask fills may be others, so the figures are checked too. */
static double sketched_error(const struct judge_pass *p, const struct verdict_case *k)
{
    double e = sketches_apart(p, k->row);
    bool filled = !isnan(e) && p->side[TARGET]->sketch[(size_t)k->row[TARGET] * SKETCH_NUMBERS + SKETCH_FILLS] > 0;
    bool other_fills = k->r[TARGET]->stat[STAT_MIN] != k->r[GOLDEN]->stat[STAT_MIN] && both_masked(p, k);
    double whole = filled && !other_fills ? recorded_error(k->r[TARGET], k->r[GOLDEN]) : NAN;
    return whole > e ? whole : e;
}

/* The error by the figures of a result table's pair. The figures of the two sides count where they contradict it: norms
 * of equal tensors differ by the order of summation. *exact as table_verdicts_error(). */
static double tabled_error(const struct judge_pass *p, const struct verdict_case *k, bool *exact)
{
    double e = table_verdicts_error(p->m, k->i, exact);
    double sides = isnan(e) ? e : recorded_error(k->r[TARGET], k->r[GOLDEN]);
    return sides > 1e-5 ? fmax(e, sides) : e;
}

#define SUMMED 0.01 /* by which sums over equal elements may differ, in another order or type */

/* Whether figures of elements whose checksums are the same differ. */
static bool figures_deny(const struct judge_pass *p, const struct verdict_case *k)
{
    static const int stats[] = {STAT_MAX, STAT_MIN, STAT_NORM, STAT_MEAN};
    const double *t = k->r[TARGET]->stat, *g = k->r[GOLDEN]->stat;
    for (size_t i = 0; i < ARRAY_LEN(stats); i++) {
        double a = t[stats[i]], b = g[stats[i]], size = fmax(fabs(a), fabs(b));
        bool sum = stats[i] == STAT_NORM || stats[i] == STAT_MEAN;
        if (stats[i] == STAT_MEAN) /* of the elements */
            size = verdict_case_has(k, HAS_MAX | HAS_MIN) ? fmax(fabs(g[STAT_MAX]), fabs(g[STAT_MIN])) : INFINITY;
        double room = sum ? SUMMED : fmax(1e-6, row_verdict_printed(p));
        if (verdict_case_has(k, HAS_MAX << stats[i]) && isfinite(a) && isfinite(b) && fabs(a - b) > room * size)
            return true;
    }
    return false;
}

/* TorchTitan's hash is a norm: its equality says no more than that of the figures. */
static bool give_same_checksum(struct judge_pass *p, struct verdict_case *k)
{
    if (!verdict_case_has(k, HAS_CHECKSUM) || !checksum_is_one(str_of(k->r[TARGET]->text)) ||
        checksum_compare(k->r[TARGET]->text, k->r[GOLDEN]->text) != CHECKSUM_SAME ||
        k->r[TARGET]->dtype != k->r[GOLDEN]->dtype)
        return false;
    k->out->error = 0;
    verdict_case_give(k, VERDICT_MATCH, RULE_CHECKSUM_SAME);
    if (figures_deny(p, k)) { /* one of them is not what was recorded */
        k->out->error = NAN;
        k->out->flags |= LINE_UNREAD;
        verdict_case_give(k, VERDICT_SKIP, RULE_UNPARSED);
    }
    return true;
}

/* Fills: how many there are is compared, and the maximum, which is all that is known of the other elements. Where they
 * cannot be counted, an equal maximum says nothing of the mask. Of equal fills that can be, the figures tell. */
static bool give_fills(struct judge_pass *p, struct verdict_case *k)
{
    if (p->o->exact || !both_masked(p, k) || !isnan(sketched_error(p, k)))
        return false;
    double a = k->r[TARGET]->stat[STAT_MAX], b = k->r[GOLDEN]->stat[STAT_MAX], low = k->r[TARGET]->stat[STAT_MIN],
           other = k->r[GOLDEN]->stat[STAT_MIN], largest = fmax(fabs(a), fabs(b));
    double t = recorded_fills(p->side[TARGET], k->row[TARGET]), g = recorded_fills(p->side[GOLDEN], k->row[GOLDEN]);
    bool counted = !isnan(t) && !isnan(g);
    if (counted && low == other)
        return false;
    k->out->flags |= LINE_MASKED;
    if (counted && !recorded_fills_agree(t, g, largest / fmin(fabs(low), fabs(other)))) {
        verdict_case_give(k, VERDICT_DEVIATE, RULE_MASK_COUNTS);
        return true;
    }
    row_verdict_weigh(p, k, largest > 0 ? fabs(a - b) / (b != 0 ? fabs(b) : largest) : 0, true);
    if (!counted && verdict_is_accepted((enum verdict)k->out->verdict))
        verdict_case_give(k, VERDICT_SKIP, RULE_MASK_UNCOUNTED);
    return true;
}

static bool give_nonfinite(struct judge_pass *p, struct verdict_case *k)
{
    if (recorded_special(p->side[TARGET], k->r[TARGET]) == recorded_special(p->side[GOLDEN], k->r[GOLDEN]) &&
        !counts_differ(p, k))
        return false;
    verdict_case_give(k, VERDICT_NONFINITE, RULE_NONFINITE);
    return true;
}

static bool give_integers(struct judge_pass *p, struct verdict_case *k)
{
    bool exact;
    if (!verdict_case_both_whole(k) || !verdict_case_has(k, HAS_MAX))
        return false;
    double off = sketched_error(p, k), tabled = table_verdicts_error(p->m, k->i, &exact);
    bool same = recorded_figures_equal(p, k) && (isnan(off) || off == 0) && !(tabled > 0);
    verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SAME_STATS : RULE_INTEGERS_DIFFER);
    return true;
}

/* By sketches, otherwise another tool's table, otherwise figures. */
static bool give_by_error(struct judge_pass *p, struct verdict_case *k)
{
    double n = (double)dump_row_numel(p->side[GOLDEN], k->row[GOLDEN]), whole = sketched_error(p, k);
    bool of_elements = !isnan(whole), of_table = !of_elements;
    if (of_table)
        whole = tabled_error(p, k, &of_elements);
    double e = isnan(whole) ? recorded_error_of(k->r[TARGET], k->r[GOLDEN], n) : whole;
    if (of_elements) /* not an estimate by figures */
        k->out->flags &= (uint8_t)~LINE_STATISTICS;
    if (isnan(e))
        return false;
    row_verdict_weigh(p, k, e, !of_elements);
    /* sketches depend on the order of elements, as a transposed operand of a product has another */
    if (of_elements && !of_table && verdict_case_has(k, HAS_MAX | HAS_MIN | HAS_NORM) &&
        figures_are_reordered(p, k, k->r[TARGET]->stat, k->r[GOLDEN]->stat)) {
        k->out->rule = RULE_REORDERED;
        k->out->flags |= LINE_DOUBTFUL | LINE_STATISTICS;
    }
    if (k->out->rule == RULE_EQUAL && of_table) /* as far as it prints them */
        k->out->rule = RULE_SAME_STATS;
    return true;
}

/* Neither side has a finite figure. */
static bool give_nonfinite_alike(struct judge_pass *p, struct verdict_case *k)
{
    if (!recorded_special(p->side[TARGET], k->r[TARGET]))
        return false;
    verdict_case_give(k, VERDICT_MATCH, RULE_NONFINITE_ALIKE);
    return true;
}

static bool give_other_checksum(struct judge_pass *p, struct verdict_case *k)
{
    if (!verdict_case_has(k, HAS_CHECKSUM))
        return false;
    bool weight = k->r[TARGET]->io != IO_OUTPUT &&
                  (row_verdict_is_parameter(p, k) || p->flow[TARGET].held[k->row[TARGET]] == NONE);
    bool same_type = k->r[TARGET]->dtype == k->r[GOLDEN]->dtype;
    if (checksum_compare(k->r[TARGET]->text, k->r[GOLDEN]->text) == CHECKSUM_OTHER)
        verdict_case_give(k, VERDICT_SKIP, RULE_CHECKSUM_OTHER);
    else if (same_type && (dumps_of_one_framework(p->side[TARGET], p->side[GOLDEN]) || weight))
        verdict_case_give(k, VERDICT_DEVIATE, RULE_CHECKSUM_DIFFERS);
    else
        verdict_case_give(k, VERDICT_SKIP, RULE_CHECKSUM_SAYS_NOTHING);
    if (k->out->verdict == VERDICT_SKIP &&
        (!same_type || !str_ieq(str_of(k->r[TARGET]->text), str_of(k->r[GOLDEN]->text))))
        k->out->flags |= LINE_DOUBTFUL; /* else zeros that say nothing */
    return true;
}

/* Whether nothing of a tensor but its type and shape was recorded. */
static bool only_types(const struct row *r)
{
    return r->dtype != DTYPE_UNKNOWN && !(r->has & (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM | HAS_FILE | HAS_CHECKSUM));
}

static bool give_other_type(struct judge_pass *p, struct verdict_case *k)
{
    if (!dumps_of_one_framework(p->side[TARGET], p->side[GOLDEN]) || !only_types(k->r[TARGET]) ||
        !only_types(k->r[GOLDEN]) || k->r[TARGET]->dtype == k->r[GOLDEN]->dtype)
        return false;
    verdict_case_give_kinds(k, false);
    return true;
}

void recorded_verdict_give(struct judge_pass *p, struct verdict_case *k)
{
    /* the first that applies */
    static bool (*const give[])(struct judge_pass *, struct verdict_case *) = {
        give_same_checksum, give_fills,     give_nonfinite,      give_integers,
        give_by_error,      give_nonfinite_alike, give_other_checksum, give_other_type};
    k->out->flags |= LINE_STATISTICS;
    for (size_t i = 0; i < ARRAY_LEN(give); i++)
        if (give[i](p, k))
            return;
    verdict_case_give(k, VERDICT_SKIP, RULE_NO_FIGURES);
}
