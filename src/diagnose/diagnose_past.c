/* Values of an earlier step: a buffer that was not updated, a batch that was not fetched. */
#include <math.h>

#include "base/msg.h"
#include "diagnose/diagnosis_case.h"
#include "dump/checksum.h"
#include "dump/step_before.h"

#define PAST_LEAST 8 /* fewer elements may be equal by chance */

static bool figures_equal(const struct row *a, const struct row *b)
{
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    double scale = fabs(a->stat[STAT_NORM]);
    int all = HAS_MAX | HAS_MIN | HAS_NORM;
    enum checksum_answer sums = a->has & b->has & HAS_CHECKSUM ? checksum_compare(a->text, b->text) : CHECKSUM_OTHER;
    if (sums != CHECKSUM_OTHER)
        return sums == CHECKSUM_SAME;
    if ((a->has & b->has & all) != all)
        return false;
    for (int i = 0; i < STAT_COUNT; i++)
        if (a->has & b->has & bit[i] &&
            !(fabs(a->stat[i] - b->stat[i]) <= 1e-6 * (i == STAT_NORM || i == STAT_MEAN ? scale : fabs(a->stat[i]))))
            return false;
    return true;
}

enum sameness { NOT_SAME, SAME_FIGURES, SAME_WITHIN, SAME_BITS };

/* Compares two rows by elements if both are readable and small enough, otherwise by figures. */
static enum sameness same_value(const struct dump *a, uint32_t ra, const struct dump *b, uint32_t rb)
{
    const struct row *x = &a->rows.v[ra], *y = &b->rows.v[rb];
    uint64_t n = dump_row_numel(a, ra);
    struct element_sample s[2];
    struct err e;
    if (y->kind != ROW_TENSOR || x->dtype != y->dtype || n != dump_row_numel(b, rb))
        return NOT_SAME;
    enum sameness figures = figures_equal(x, y) ? SAME_FIGURES : NOT_SAME;
    bool recorded = (x->has & y->has & (HAS_MAX | HAS_NORM)) == (HAS_MAX | HAS_NORM);
    if ((recorded && !figures) || n > ELEMENT_SAMPLE_MOST || !dump_row_readable(a, ra) || !dump_row_readable(b, rb) ||
        element_sample_row(&s[0], a, ra, n, &e))
        return figures;
    if (element_sample_row(&s[1], b, rb, n, &e)) {
        element_sample_release(&s[0]);
        return figures;
    }
    double dev = 0, sum = 0;
    size_t unlike = s[0].n != s[1].n;
    for (size_t i = 0; i < s[0].n && i < s[1].n; i++) {
        double p = s[0].v[0][i], q = s[1].v[0][i];
        unlike += p != q && !(isnan(p) && isnan(q));
        dev += (p - q) * (p - q);
        sum += q * q;
    }
    element_sample_release(&s[0]);
    element_sample_release(&s[1]);
    return !unlike ? SAME_BITS : dev <= 1e-12 * sum ? SAME_WITHIN : NOT_SAME;
}

/* The row of that name in the previous step, if recorded. */
static uint32_t row_before(const struct dump *now, uint32_t row, const struct dump *before)
{
    struct buf name = {0};
    dump_row_name(now, row, &name);
    uint32_t r = dump_find_row(before, buf_view(&name));
    buf_release(&name);
    return r;
}

static bool side_varies(const struct diagnosis_case *p, int side)
{
    return dump_row_numel(p->side[side], p->row[side]) >= PAST_LEAST &&
           diagnosis_case_stat(p, side, STAT_MAX) > diagnosis_case_stat(p, side, STAT_MIN);
}

/* Whether the value of `side` equals that of the previous step on side `from`; its step in *step. Values that do not
 * change between steps on either side (a table, a mask) do not count. */
static enum sameness held_before(const struct diagnosis_case *p, int side, int from, int *step)
{
    const struct dump *d = p->side[from], *other = p->side[!side];
    const struct dump *before = d->past ? step_before_dump(d->past) : NULL;
    uint32_t r = before ? row_before(d, p->row[from], before) : NONE;
    /* a user's choice of steps is not a fault */
    if (r == NONE || (from != side && step_before_number(d->past) == p->side[side]->step))
        return NOT_SAME;
    enum sameness same = same_value(p->side[side], p->row[side], before, r);
    if (same && from == side) {
        const struct dump *then = other->past ? step_before_dump(other->past) : NULL;
        uint32_t q = then ? row_before(other, p->row[!side], then) : NONE;
        if (q == NONE || same_value(other, p->row[!side], then, q))
            return NOT_SAME;
    }
    *step = step_before_number(d->past);
    return same;
}

void detect_past(struct diagnosis_case *p)
{
    static const float score[] = {[SAME_FIGURES] = 0.85F, [SAME_WITHIN] = 0.96F, [SAME_BITS] = 0.99F};
    if (p->judged->verdict == VERDICT_DRIFT || p->side[TARGET]->rows.n > STEP_BEFORE_ROWS ||
        p->side[GOLDEN]->rows.n > STEP_BEFORE_ROWS)
        return;
    for (int side = 0; side < 2; side++)
        for (int other = 0; other < 2; other++) { /* its own side first */
            int step, from = other ? !side : side;
            enum sameness same = side_varies(p, side) ? held_before(p, side, from, &step) : NOT_SAME;
            if (!same)
                continue;
            const char *how = same == SAME_BITS ? _("bitwise") : same == SAME_WITHIN
                                  ? _("within rounding")
                                  : _("by its statistics; the elements were not compared");
            if (from == side)
                case_found(p, DIAGNOSIS_STALE, side, (double)score[same],
                           _("the %s still has its own value of step %d (%s); the value of the other side has changed "
                             "since then"),
                           diagnosis_side_word(side), step, how);
            else
                case_found(p, DIAGNOSIS_STALE, side, (double)score[same],
                           _("the %s has the value of the other side from step %d (%s)"), diagnosis_side_word(side),
                           step, how);
            case_advise(p, DIAGNOSIS_STALE, _("The value is that of an earlier step: the buffer was read before it "
                                              "was written, or the batch was not fetched."));
        }
}
