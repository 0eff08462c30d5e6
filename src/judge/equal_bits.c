/* Equality of bits, from the strongest evidence to the weakest: elements, checksums, figures. Figures that differ prove
 * that bits do; equal ones prove nothing, except of a single element. */
#include "judge/equal_bits.h"

#include <math.h>

#include "dump/checksum.h"

#define ALL_DIGITS 17

enum bits { BITS_UNKNOWN, BITS_SAME, BITS_DIFFER };

static enum bits by_elements(const struct figures *f)
{
    return f->two && !f->unlike && f->max_abs == 0 ? BITS_SAME : BITS_DIFFER;
}

static bool same_number(double a, double b)
{
    return a == b ? signbit(a) == signbit(b) : isnan(a) && isnan(b);
}

/* Figures are printed with the digits that both sides have. */
static enum bits by_figures(const struct judge_pass *p, const struct verdict_case *k)
{
    static const int stats[] = {STAT_MAX, STAT_MIN, STAT_MEAN, STAT_NORM};
    const struct row *t = k->r[TARGET], *g = k->r[GOLDEN];
    bool equal = true, same = t->has & g->has & HAS_MAX;
    for (size_t i = 0; i < ARRAY_LEN(stats); i++) {
        double a = t->stat[stats[i]], b = g->stat[stats[i]];
        if (!(t->has & g->has & HAS_MAX << stats[i]))
            continue;
        same = same && same_number(a, b);
        /* sums depend on the order in which they are added */
        double room = fmax(row_verdict_printed(p), stats[i] == STAT_MEAN || stats[i] == STAT_NORM ? 1e-6 : 0);
        equal = equal && (same_number(a, b) || a == b || fabs(a - b) <= room * fmax(fabs(a), fabs(b)) ||
                          (stats[i] == STAT_MEAN && fabs(a - b) <= 1e-6 * fabs(g->stat[STAT_MAX])));
    }
    bool whole = p->side[TARGET]->digits >= ALL_DIGITS && p->side[GOLDEN]->digits >= ALL_DIGITS;
    bool single = dump_row_numel(p->side[TARGET], k->row[TARGET]) == 1;
    return !equal ? BITS_DIFFER : same && single && whole ? BITS_SAME : BITS_UNKNOWN;
}

static enum bits bits_of(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct row *t = k->r[TARGET], *g = k->r[GOLDEN];
    if (t->dtype != g->dtype)
        return BITS_DIFFER;
    if (k->f)
        return by_elements(k->f);
    enum bits figures = by_figures(p, k);
    if (figures != BITS_UNKNOWN || !(t->has & g->has & HAS_CHECKSUM))
        return figures;
    enum checksum_answer sums = checksum_compare(t->text, g->text);
    return sums == CHECKSUM_SAME ? BITS_SAME : sums == CHECKSUM_DIFFER ? BITS_DIFFER : BITS_UNKNOWN;
}

void equal_bits_judge(const struct judge_pass *p, struct verdict_case *k)
{
    struct line_judgement *l = k->out;
    bool tensors = k->r[TARGET]->kind == ROW_TENSOR && k->r[GOLDEN]->kind == ROW_TENSOR;
    if (l->verdict == VERDICT_PENDING || l->rule == RULE_EMPTY || l->rule == RULE_UNPARSED || l->rule == RULE_ABSENT)
        return;
    if (!tensors) {
        if (!verdict_is_bad((enum verdict)l->verdict) && l->verdict != VERDICT_MATCH)
            verdict_case_give(k, VERDICT_DEVIATE, RULE_EXACT);
        return;
    }
    if (l->verdict == VERDICT_SHAPE || l->verdict == VERDICT_NONFINITE)
        return;
    bool recorded = !k->f && k->r[TARGET]->has & k->r[GOLDEN]->has & HAS_CHECKSUM;
    switch (bits_of(p, k)) {
    case BITS_SAME:
        l->flags &= (uint8_t)~(LINE_STATISTICS | LINE_UNREAD);
        verdict_case_give(k, VERDICT_MATCH, recorded ? RULE_CHECKSUM_SAME : k->f ? RULE_EQUAL : RULE_SAME_STATS);
        break;
    case BITS_DIFFER:
        verdict_case_give(k, VERDICT_DEVIATE, RULE_EXACT);
        break;
    case BITS_UNKNOWN:
        verdict_case_give(k, VERDICT_SKIP, RULE_NO_BITS);
        break;
    }
}
