/* Compares the recorded statistics of all ranks' calls of two jobs with the same layout, before tensors are read. The
 * result is not a verdict: ranks that differ are compared first. */
#include "compare/job_strip.h"

#include <math.h>
#include <stdlib.h>

static bool figures_differ(const struct row *a, const struct row *b, const struct thresholds *t)
{
    static const struct {
        uint16_t bit;
        int stat;
    } told[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_NORM, STAT_NORM}};
    double limit = thresholds_of(t, (enum dtype)a->dtype)->deviate;
    for (size_t i = 0; i < ARRAY_LEN(told); i++) {
        double x = a->stat[told[i].stat], y = b->stat[told[i].stat];
        bool same = x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= limit * fmax(fabs(x), fabs(y));
        if ((a->has & b->has & told[i].bit) && !same)
            return true;
    }
    return false;
}

/* The golden call's row of the same slot, or NULL. */
static const struct row *same_slot_row(const struct dump *t, const struct row *x, const struct dump *g, uint32_t call)
{
    uint32_t slot = map_get(&g->slot_names, str_of(t->slots.v[x->slot]));
    uint32_t at = slot == MAP_NONE ? NONE : dump_slot_row(g, call, slot);
    return at == NONE ? NULL : &g->rows.v[at];
}

static enum strip_sign sign_of_call(const struct dump *t, uint32_t call, const struct dump *g, uint32_t other,
                                    const struct thresholds *tol)
{
    enum strip_sign sign = STRIP_WAITS;
    EACH_ROW(t, call, r)
    {
        const struct row *x = &t->rows.v[r], *y = same_slot_row(t, x, g, other);
        if (!y || x->kind != ROW_TENSOR || y->kind != ROW_TENSOR)
            continue;
        if (!(x->has & y->has & HAS_NORM))
            return STRIP_WAITS;
        if (figures_differ(x, y, tol))
            return STRIP_OTHER_FIGURES;
        sign = STRIP_SAME_FIGURES;
    }
    return sign;
}

/* The part of the same rank and micro-batch: both lists are sorted by rank, then micro-batch. */
static const struct part_call *find_same_part(const struct joined_job *j, const struct part_call *p,
                                              const struct whole_call *other, size_t *at)
{
    int rank = j->set[TARGET].ranks.v[p->rank]->rank;
    for (; *at < other->parts.n; ++*at) {
        const struct part_call *q = &other->parts.v[*at];
        int its = j->set[GOLDEN].ranks.v[q->rank]->rank;
        if (its == rank && q->micro == p->micro)
            return q;
        if (its > rank || (its == rank && q->micro > p->micro))
            break;
    }
    return NULL;
}

static void put_call(struct job_strip *s, const struct joined_job *j, const struct whole_call *x,
                     struct job_strip_row *const *row, const struct thresholds *t)
{
    uint32_t column = job_strip_column(s, j->set[TARGET].step, x->order);
    size_t at = 0;
    for (size_t i = 0; i < x->parts.n && column != NONE; i++) {
        const struct part_call *p = &x->parts.v[i],
                               *q = x->partner == NONE
                                        ? NULL
                                        : find_same_part(j, p, &j->calls[GOLDEN].calls.v[x->partner], &at);
        enum strip_sign sign = !q ? STRIP_WAITS
                                  : sign_of_call(&j->set[TARGET].ranks.v[p->rank]->dump, p->call,
                                                 &j->set[GOLDEN].ranks.v[q->rank]->dump, q->call, t);
        if (row[p->rank])
            job_strip_put(row[p->rank], column, sign);
    }
}

void job_strip_figures(struct job_strip *s, const struct joined_job *j, const struct thresholds *t)
{
    const struct rank_set *set = &j->set[TARGET];
    struct job_strip_row **row = mem_zalloc((set->ranks.n + 1) * sizeof *row);
    for (size_t i = 0; i < set->ranks.n; i++) {
        row[i] = job_strip_row_of(s, set->step, set->ranks.v[i]->rank);
        if (row[i])
            memset(row[i]->cells, strip_looks[STRIP_NOTHING].letter, s->columns);
    }
    for (size_t c = 0; c < j->calls[TARGET].calls.n; c++)
        put_call(s, j, &j->calls[TARGET].calls.v[c], row, t);
    free(row);
}
