/* Finds rows without a counterpart: numbers that depend on a rank's own shard, and values computed from them. */
#include "ranks/join_trial.h"

#include <math.h>
#include <stdlib.h>

#include "ranks/part_values.h"

/* Whether each part is a permutation of its rows: indices 0 … n-1, each once. */
static bool is_order(const struct whole_rows *r, const struct whole_row *x)
{
    bool all = x->kind == ROW_TENSOR && dtype_table[x->dtype].klass == CLASS_INT && x->parts.n > 1;
    for (size_t i = 0; i < x->parts.n && all; i++) {
        uint64_t n = 0;
        double *v = part_values(&part_dump(r, &x->parts.v[i])->dump, x->parts.v[i].row, &n);
        bool *seen = mem_zalloc((size_t)n + 1);
        all = v && n > 1;
        for (uint64_t k = 0; all && k < n; k++) {
            all = v[k] >= 0 && v[k] < (double)n && !seen[(size_t)v[k]];
            if (all)
                seen[(size_t)v[k]] = true;
        }
        free(v);
        free(seen);
    }
    return all;
}

/* Finds numbers about a rank's own tokens: how they are sorted, how many go where. Other layouts do not have them. */
void rank_bookkeeping_find(struct deciding *d)
{
    for (size_t i = 0; i < d->trials.n; i++) {
        struct trial *t = &d->trials.v[i];
        struct whole_row *a = &d->side[0]->rows.v[t->row[0]], *b = &d->side[1]->rows.v[t->row[1]];
        bool whole_numbers = dtype_table[a->dtype].klass == CLASS_INT;
        bool fit = false;
        for (size_t p = 0; p < t->pairs && !fit; p++)
            fit = isnan(t->error[p]) || trial_fits(d, t, p);
        if (!whole_numbers || fit || (t->pairs && !is_order(d->side[0], a) && !is_order(d->side[1], b)))
            continue;
        a->local = b->local = true;
    }
}

/* Whether integer arguments of a call differ between ranks of a tensor-parallel group, such as the first index of a
 * rank's vocabulary shard. Their results exist on that rank only. */
static bool do_numbers_differ(const struct whole_rows *r, const struct whole_row *x)
{
    if (x->kind != ROW_INT && x->kind != ROW_FLOAT)
        return false;
    for (size_t i = 1; i < x->parts.n; i++) {
        const struct row *a = &part_dump(r, &x->parts.v[0])->dump.rows.v[x->parts.v[0].row];
        const struct row *b = &part_dump(r, &x->parts.v[i])->dump.rows.v[x->parts.v[i].row];
        if (x->parts.v[i].micro == x->parts.v[0].micro && a->stat[0] != b->stat[0])
            return true;
    }
    return false;
}

static bool has_cut(const struct whole_row *x, enum cut c)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].by == c)
            return true;
    return false;
}

static const struct trial *trial_of(const struct deciding *d, const uint32_t *at, uint32_t row)
{
    return at[row] == NONE ? NULL : &d->trials.v[at[row]];
}

static bool fits_at_all(const struct deciding *d, const struct trial *t)
{
    for (size_t i = 0; t && i < t->pairs; i++)
        if (isnan(t->error[i]) || trial_fits(d, t, i))
            return true;
    return false;
}

/* Integers with the same extremes as values computed by a single rank, on every rank. */
static bool same_extremes(const struct whole_rows *r, const struct whole_row *a, const struct whole_row *b)
{
    if (a->parts.n != b->parts.n)
        return false;
    for (size_t i = 0; i < a->parts.n; i++) {
        const struct dump *d = &part_dump(r, &a->parts.v[i])->dump, *q = &part_dump(r, &b->parts.v[i])->dump;
        const struct row *x = &d->rows.v[a->parts.v[i].row], *y = &q->rows.v[b->parts.v[i].row];
        if (dump_row_numel(d, a->parts.v[i].row) != dump_row_numel(q, b->parts.v[i].row) ||
            x->stat[STAT_MAX] != y->stat[STAT_MAX] || x->stat[STAT_MIN] != y->stat[STAT_MIN])
            return false;
    }
    return true;
}

typedef VEC(uint32_t) row_list;

/* made: outputs of rank-local calls so far. */
static bool made_by_rank_alone(const struct whole_rows *r, const row_list *made, const struct whole_row *x)
{
    for (size_t i = made->n; i-- > 0; ) /* producers are mostly recent */
        if (same_extremes(r, x, &r->rows.v[made->v[i]]))
            return true;
    return false;
}

/* Whether the rows from..to are of a rank-local call: such a number is among its inputs (*begins), or it follows such
 * a call in the same module (`inside`) with integers that fit nowhere. */
static bool is_rank_local_call(struct deciding *d, const struct whole_rows *r, const uint32_t *trial,
                               const row_list *made, uint32_t from, uint32_t to, bool inside, bool *begins)
{
    bool takes = false, fed = false;
    *begins = false;
    for (uint32_t i = from; i < to; i++) {
        const struct whole_row *x = &r->rows.v[i];
        bool whole_numbers = x->kind == ROW_TENSOR && !dtype_is_float((enum dtype)x->dtype);
        *begins |= x->io == IO_INPUT && has_cut(x, CUT_TP) && do_numbers_differ(r, x);
        bool alone = x->io == IO_INPUT && whole_numbers && has_cut(x, CUT_TP) && !fits_at_all(d, trial_of(d, trial, i));
        takes |= alone;
        fed |= alone && made_by_rank_alone(r, made, x);
    }
    return *begins || fed || (takes && inside);
}

/* The results of a rank-local call are rank-local if they fit nowhere. */
void rank_local_find(struct deciding *d)
{
    struct whole_rows *r = d->side[0]->calls->layout->size[CUT_TP] > 1 ? d->side[0] : d->side[1];
    int side = r == d->side[1];
    if (r->calls->layout->size[CUT_TP] == 1)
        return;
    uint32_t *trial = mem_nones(r->rows.n);
    for (uint32_t i = 0; i < d->trials.n; i++)
        trial[d->trials.v[i].row[side]] = i;
    row_list made = {0};
    const char *inside = NULL; /* the group of the last such call */
    for (size_t o = 0; o < r->calls->order.n; o++) {
        uint32_t call = r->calls->order.v[o];
        const struct whole_call *w = &r->calls->calls.v[call];
        uint32_t from = r->first_of[call], to = from;
        while (to < r->rows.n && r->rows.v[to].call == call)
            to++;
        bool begins, follows = inside && strcmp(inside, w->group) == 0;
        bool local = is_rank_local_call(d, r, trial, &made, from, to, follows, &begins);
        if (begins)
            inside = w->group;
        for (uint32_t i = from; local && i < to; i++) {
            struct whole_row *x = &r->rows.v[i];
            bool number = x->kind == ROW_INT || x->kind == ROW_FLOAT;
            bool own = number || ((x->io == IO_OUTPUT || !begins) && x->kind == ROW_TENSOR && has_cut(x, CUT_TP) &&
                                  !fits_at_all(d, trial_of(d, trial, i)));
            if (!own)
                continue;
            x->local = true;
            if (x->io == IO_OUTPUT && x->kind == ROW_TENSOR)
                vec_push(&made, i);
            if (x->partner != NONE)
                d->side[!side]->rows.v[x->partner].local = true;
        }
    }
    free(trial);
    vec_release(&made);
}

/* Whether the row goes into a reduction over several pipeline stages: both hold the weight, and each gradient is a
 * summand. */
static bool is_summed_over_stages(const struct whole_rows *r, const struct whole_row *x)
{
    const struct part_row *p = &x->parts.v[0];
    const struct dump *d = &part_dump(r, p)->dump;
    const struct layout *l = r->calls->layout;
    int stage = layout_place(l, part_dump(r, p)->rank).at[CUT_PP];
    for (size_t g = 0; g < d->groups.n; g++) {
        bool other = false;
        for (const char *at = d->groups.v[g].ranks; *at && !other; ) {
            char *end;
            long rank = strtol(at, &end, 10);
            other = end != at && rank >= 0 && rank < layout_ranks(l) && layout_place(l, (int)rank).at[CUT_PP] != stage;
            at = end == at ? at + 1 : end;
        }
        if (!other || r->calls->places[p->rank].call[d->groups.v[g].call].region != IN_TAIL)
            continue;
        EACH_EARLY_ROW(d, d->groups.v[g].call, in)
            if (d->rows.v[in].io == IO_INPUT && d->rows.v[in].kind == ROW_TENSOR &&
                d->rows.v[in].shape == d->rows.v[p->row].shape && d->rows.v[in].has & HAS_NORM &&
                part_same_figures(&d->rows.v[in], &d->rows.v[p->row]))
                return true;
    }
    return false;
}

void stage_sums_find(struct deciding *d)
{
    for (size_t i = 0; i < d->trials.n; i++) {
        struct whole_row *x[2];
        bool stages[2], part = false;
        for (int s = 0; s < 2; s++) {
            x[s] = &d->side[s]->rows.v[d->trials.v[i].row[s]];
            stages[s] = d->side[s]->calls->layout->size[CUT_PP] > 1;
            part |= stages[s] && d->side[s]->calls->calls.v[x[s]->call].gradient &&
                    is_summed_over_stages(d->side[s], x[s]);
        }
        if (part && stages[0] != stages[1])
            x[0]->local = x[1]->local = true;
    }
}
