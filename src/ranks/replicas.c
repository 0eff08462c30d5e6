/* Compares values that several ranks hold in common: weights, the step's inputs, dropout masks. */
#include "ranks/replicas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/part_values.h"

struct finding_replicas {
    struct replica_list *l;
    const struct whole_calls *w, *other;
    int side, step;
};

/* One row per rank, of the first micro-batch. */
struct held_row {
    uint32_t rank, row; /* rank: index in the set */
    struct rank_place at;
};
typedef VEC(struct held_row) held_rows;

static const struct row *held_row_of(const struct whole_calls *w, const struct held_row *h)
{
    return &rank_dump_of(w, h->rank)->rows.v[h->row];
}

static uint32_t call_row_of_slot(const struct dump *d, uint32_t call, const char *slot)
{
    uint32_t s = map_get(&d->slot_names, str_of(slot));
    return s == MAP_NONE ? NONE : dump_slot_row(d, call, s);
}

static void gather_held_rows(const struct whole_calls *w, const struct whole_call *c, const char *slot, held_rows *out)
{
    vec_clear(out);
    for (size_t i = 0; i < c->parts.n; i++) {
        const struct part_call *p = &c->parts.v[i];
        if (out->n && vec_last(out)->rank == p->rank)
            continue;
        uint32_t row = call_row_of_slot(rank_dump_of(w, p->rank), p->call, slot);
        struct held_row h = {p->rank, row, layout_place(w->layout, w->set->ranks.v[p->rank]->rank)};
        if (row != NONE)
            vec_push(out, h);
    }
}

/* Moves those that differ from the first of a list only in these dimensions to `out`. */
static void take_group(held_rows *from, unsigned cuts, held_rows *out)
{
    size_t n = 0;
    vec_clear(out);
    for (size_t i = 0; i < from->n; i++) {
        bool same = true;
        for (int c = 0; c < CUT_RANKS && i; c++)
            same &= cuts >> c & 1 || from->v[i].at.at[c] == out->v[0].at.at[c];
        if (same)
            vec_push(out, from->v[i]);
        else
            from->v[n++] = from->v[i];
    }
    from->n = n;
}

/* Whether two rows are equal by figures; integers, which have few figures, by their elements if readable. */
static bool replica_rows_equal(const struct dump *a, uint32_t x, const struct dump *b, uint32_t y)
{
    if (dump_row_numel(a, x) != dump_row_numel(b, y) || !part_same_figures(&a->rows.v[x], &b->rows.v[y]))
        return false;
    if (dtype_is_float((enum dtype)a->rows.v[x].dtype))
        return true;
    double off = part_rows_distance(a, x, b, y);
    return isnan(off) || off == 0;
}

static bool equal_rows(const struct whole_calls *w, const struct held_row *a, const struct held_row *b)
{
    return replica_rows_equal(rank_dump_of(w, a->rank), a->row, rank_dump_of(w, b->rank), b->row);
}

static bool all_equal(const struct whole_calls *w, const held_rows *g)
{
    for (size_t i = 1; i < g->n; i++)
        if (!equal_rows(w, &g->v[0], &g->v[i]))
            return false;
    return true;
}

/* Relative difference of two recorded norms, or of their tensors. */
static double replica_difference(const struct whole_calls *w, const struct held_row *a, const struct held_row *b)
{
    const struct row *p = held_row_of(w, a), *q = held_row_of(w, b);
    double size = part_rows_distance(rank_dump_of(w, a->rank), a->row, rank_dump_of(w, b->rank), b->row);
    if (isnan(size) && q->stat[STAT_NORM] != 0)
        size = fabs(p->stat[STAT_NORM] / q->stat[STAT_NORM] - 1);
    return size;
}

/* The largest difference of one of them from the first. */
static double replica_spread(const struct whole_calls *w, const held_rows *g)
{
    double most = 0;
    for (size_t i = 1; i < g->n; i++) {
        double size = replica_difference(w, &g->v[i], &g->v[0]);
        most = size > most || isnan(size) ? size : most;
    }
    return most;
}

/* The other side's row for the same slot, if it has the same size. */
static uint32_t other_row(const struct finding_replicas *x, const struct whole_call *c, const char *slot,
                          const struct held_row *like, const struct dump **of)
{
    if (!x->other || c->partner == NONE)
        return NONE;
    const struct whole_call *o = &x->other->calls.v[c->partner];
    const struct part_call *p = NULL;
    for (size_t i = 0; i < o->parts.n; i++) /* the same rank, where the sides are cut alike */
        if (!p || x->other->set->ranks.v[o->parts.v[i].rank]->rank == x->w->set->ranks.v[like->rank]->rank)
            p = &o->parts.v[i];
    const struct dump *d = p ? rank_dump_of(x->other, p->rank) : NULL;
    uint32_t row = d ? call_row_of_slot(d, p->call, slot) : NONE;
    *of = d;
    const struct dump *mine = rank_dump_of(x->w, like->rank);
    return row != NONE && dump_row_numel(d, row) == dump_row_numel(mine, like->row) ? row : NONE;
}

/* The minority; with equal numbers, those that differ from the other side. */
static void find_odd(const struct finding_replicas *x, const struct whole_call *c, const char *slot, const held_rows *g,
                     rank_list *odd)
{
    size_t best = 0, most = 0;
    bool tie = false;
    for (size_t i = 0; i < g->n; i++) {
        size_t same = 0;
        for (size_t k = 0; k < g->n; k++)
            same += equal_rows(x->w, &g->v[i], &g->v[k]);
        tie = same == most ? tie || !equal_rows(x->w, &g->v[i], &g->v[best]) : same > most ? false : tie;
        if (same > most) {
            most = same;
            best = i;
        }
    }
    for (size_t i = 0; i < g->n; i++) {
        const struct dump *of = NULL;
        uint32_t o = tie ? other_row(x, c, slot, &g->v[i], &of) : NONE;
        bool wrong = tie ? o != NONE && !replica_rows_equal(of, o, rank_dump_of(x->w, g->v[i].rank), g->v[i].row)
                         : !equal_rows(x->w, &g->v[i], &g->v[best]);
        if (wrong)
            vec_push(odd, x->w->set->ranks.v[g->v[i].rank]->rank);
    }
    if (odd->n == g->n)
        vec_clear(odd);
}

static const char *cuts_name(const struct finding_replicas *x, unsigned cuts)
{
    if (cuts & 1u << CUT_TP)
        return "tp";
    return x->w->layout->size[CUT_DP] > 1 ? "dp" : "cp";
}

static struct replica_finding *add_replica_finding(struct finding_replicas *x, const struct whole_call *c,
                                                   const char *what, unsigned cuts, const held_rows *g)
{
    struct replica_finding f = {.side = x->side,
                                .step = x->step,
                                .what = what,
                                .kind = cuts_name(x, cuts),
                                .order = c->order,
                                .rows = 1,
                                .size = NAN,
                                .rank = g->v[0].rank,
                                .row = g->v[0].row};
    for (size_t i = 0; i < g->n; i++)
        vec_push(&f.ranks, x->w->set->ranks.v[g->v[i].rank]->rank);
    vec_push(&x->l->v, f);
    return vec_last(&x->l->v);
}

/* ---- weights ---- */

/* Whether tensor-parallel ranks hold a weight completely: it is equal in another layer, and the difference here is
 * small. */
static bool whole_elsewhere(const struct finding_replicas *x, const struct whole_call *c, const char *slot,
                            unsigned cuts, const held_rows *g)
{
    held_rows all = {0}, other = {0};
    bool equal = false;
    for (uint32_t i = x->w->first_alike.v[c->alike]; i != NONE && !equal; i = x->w->calls.v[i].next_alike) {
        const struct whole_call *k = &x->w->calls.v[i];
        if (k == c)
            continue;
        gather_held_rows(x->w, k, slot, &all);
        while (all.n && !equal) {
            take_group(&all, cuts, &other);
            equal = other.n > 1 && all_equal(x->w, &other);
        }
    }
    vec_release(&all);
    vec_release(&other);
    double a = held_row_of(x->w, &g->v[0])->stat[STAT_NORM], b = held_row_of(x->w, &g->v[g->n - 1])->stat[STAT_NORM];
    return equal && fabs(a - b) <= 0.1 * fmax(fabs(a), fabs(b));
}

static void weight_groups(struct finding_replicas *x, const struct whole_call *c, const char *slot, unsigned cuts)
{
    held_rows all = {0}, g = {0};
    gather_held_rows(x->w, c, slot, &all);
    while (all.n) {
        take_group(&all, cuts, &g);
        if (g.n < 2 || all_equal(x->w, &g) || (cuts & 1u << CUT_TP && !whole_elsewhere(x, c, slot, cuts, &g)))
            continue;
        struct replica_finding *f = add_replica_finding(x, c, "weight", cuts, &g);
        find_odd(x, c, slot, &g, &f->odd);
        f->size = replica_spread(x->w, &g);
        f->diagnosis = "drifted-replica";
        snprintf(f->evidence, sizeof f->evidence, _("the weight must be equal on %zu ranks, but differs by %.2g"),
                 g.n, f->size);
    }
    vec_release(&all);
    vec_release(&g);
}

static bool is_call_of_expert(const struct finding_replicas *x, const struct whole_call *c)
{
    return x->w->layout->size[CUT_EP] > 1 && str_ihas(str_of(c->key), "expert");
}

/* Calls f for each slot of one kind in the call's first part. */
static void each_slot(struct finding_replicas *x, const struct whole_call *c, enum row_io io,
                      void (*look)(struct finding_replicas *x, const struct whole_call *c, const char *slot,
                                   unsigned cuts),
                      unsigned cuts)
{
    const struct part_call *p = &c->parts.v[0];
    const struct dump *d = rank_dump_of(x->w, p->rank);
    EACH_EARLY_ROW(d, p->call, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR)
            look(x, c, d->slots.v[d->rows.v[r].slot], cuts);
}

static void find_replica_weights(struct finding_replicas *x)
{
    for (size_t i = 0; i < x->w->order.n; i++) {
        const struct whole_call *c = &x->w->calls.v[x->w->order.v[i]];
        if (c->kind != CALL_MODULE || c->phase != PHASE_FORWARD || c->gradient)
            continue;
        if (!is_call_of_expert(x, c))
            each_slot(x, c, IO_PARAMETER, weight_groups, 1u << CUT_DP | 1u << CUT_CP);
        each_slot(x, c, IO_PARAMETER, weight_groups, 1u << CUT_TP);
    }
}

/* ---- the step's inputs ---- */

/* Whether numbers count up or are all equal, like positions. */
static bool counts_up(const double *x, uint64_t n)
{
    bool up = true, same = true;
    for (uint64_t i = 1; i < n; i++) {
        up &= x[i] == x[i - 1] + 1 || x[i] == x[0];
        same &= x[i] == x[0];
    }
    return up || same;
}

static bool is_batch(const struct finding_replicas *x, const struct held_row *h)
{
    const struct row *r = held_row_of(x->w, h);
    uint64_t n;
    if (r->kind != ROW_TENSOR || dtype_table[r->dtype].klass != CLASS_INT ||
        dump_row_numel(rank_dump_of(x->w, h->rank), h->row) < 4)
        return false;
    double *v = part_values(rank_dump_of(x->w, h->rank), h->row, &n);
    bool batch = v ? !counts_up(v, n) : r->stat[STAT_MIN] != 0 || r->stat[STAT_MAX] != r->stat[STAT_MIN];
    free(v);
    return batch;
}

/* Element by element if the files are readable. */
static bool replica_elements_equal(const struct whole_calls *w, const struct held_row *a, const struct held_row *b)
{
    double off = part_rows_distance(rank_dump_of(w, a->rank), a->row, rank_dump_of(w, b->rank), b->row);
    return isnan(off) ? equal_rows(w, a, b) : off == 0;
}

static void batch_groups(struct finding_replicas *x, const struct whole_call *c, const char *slot, unsigned cuts)
{
    held_rows all = {0}, g = {0};
    bool differ = !(cuts & 1u << CUT_TP);
    gather_held_rows(x->w, c, slot, &all);
    while (all.n) {
        take_group(&all, cuts, &g);
        if (g.n < 2 || !is_batch(x, &g.v[0])) /* hidden states may be divided along the sequence */
            continue;
        bool same = true, some = false;
        for (size_t i = 1; i < g.n; i++) {
            bool equal = replica_elements_equal(x->w, &g.v[0], &g.v[i]);
            same &= equal;
            some |= equal;
        }
        if (differ ? !some : same)
            continue;
        for (size_t i = 0; i < x->l->v.n; i++) /* labels are shifted tokens: the same cause */
            if (x->l->v.v[i].order == c->order && strcmp(x->l->v.v[i].what, differ ? "batch" : "input") == 0) {
                x->l->v.v[i].rows++;
                goto next;
            }
        struct replica_finding *f = add_replica_finding(x, c, differ ? "batch" : "input", cuts, &g);
        f->differ = differ;
        f->diagnosis = differ ? "duplicate-batch" : "different-input";
        if (!differ) {
            find_odd(x, c, slot, &g, &f->odd);
            f->size = replica_spread(x->w, &g);
        }
        snprintf(f->evidence, sizeof f->evidence, differ ? _("%zu data-parallel ranks read the same batch") :
                 _("the step input must be equal on %zu tensor-parallel ranks, but differs"), g.n);
    next:;
    }
    vec_release(&all);
    vec_release(&g);
}

static void find_batches(struct finding_replicas *x)
{
    for (size_t i = 0; i < x->w->order.n; i++) {
        const struct whole_call *c = &x->w->calls.v[x->w->order.v[i]];
        if (c->kind != CALL_MODULE || c->phase != PHASE_FORWARD || c->gradient || c->parent != NONE)
            continue;
        each_slot(x, c, IO_INPUT, batch_groups, 1u << CUT_DP);
        each_slot(x, c, IO_INPUT, batch_groups, 1u << CUT_TP);
    }
}

/* ---- dropout ---- */

/* Which elements are dropped (1); NULL if none are, or unknown. */
static char *dropped_elements(const struct dump *d, uint32_t call, uint64_t *n)
{
    uint32_t in = call_first_tensor(d, call, IO_INPUT), out = call_first_tensor(d, call, IO_OUTPUT);
    uint64_t a = 0, b = 0, zeros = 0;
    double *x = in == NONE ? NULL : part_values(d, in, &a), *y = out == NONE ? NULL : part_values(d, out, &b);
    char *mask = x && y && a == b ? mem_zalloc((size_t)a + 1) : NULL;
    for (uint64_t i = 0; mask && i < a; i++)
        zeros += mask[i] = x[i] != 0 && y[i] == 0;
    free(x);
    free(y);
    *n = a;
    if (zeros)
        return mask;
    free(mask);
    return NULL;
}

static bool same_drops(const struct whole_calls *w, const struct held_row *a, const struct held_row *b)
{
    const struct dump *d = rank_dump_of(w, a->rank), *q = rank_dump_of(w, b->rank);
    uint64_t n = 0, m = 0;
    char *x = dropped_elements(d, d->rows.v[a->row].call, &n), *y = dropped_elements(q, q->rows.v[b->row].call, &m);
    bool same = x && y && n == m && memcmp(x, y, (size_t)n) == 0;
    free(x);
    free(y);
    return same;
}

static void find_seeds(struct finding_replicas *x)
{
    struct replica_finding *first = NULL;
    held_rows all = {0}, g = {0};
    for (size_t i = 0; i < x->w->order.n; i++) {
        const struct whole_call *c = &x->w->calls.v[x->w->order.v[i]];
        if (c->kind == CALL_MODULE || c->phase != PHASE_FORWARD || c->region != IN_FORWARD ||
            !str_ihas(str_of(c->bare), "dropout"))
            continue;
        gather_held_rows(x->w, c, "output.0", &all);
        if (!all.n)
            gather_held_rows(x->w, c, "output", &all);
        while (all.n) {
            take_group(&all, 1u << CUT_DP, &g);
            bool same = false;
            for (size_t k = 1; k < g.n && !same; k++)
                same = same_drops(x->w, &g.v[0], &g.v[k]);
            if (!same)
                continue;
            if (first) {
                first->rows++;
                continue;
            }
            first = add_replica_finding(x, c, "seed", 1u << CUT_DP, &g);
            first->differ = true;
            first->diagnosis = "same-seed";
            snprintf(first->evidence, sizeof first->evidence,
                     _("dropout sets the same elements to zero on %zu data-parallel ranks: they use the same "
                       "seed"), g.n);
        }
    }
    vec_release(&all);
    vec_release(&g);
}

static int by_finding_order(const void *a, const void *b)
{
    const struct replica_finding *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static int common_rank(const rank_list *a, const rank_list *b)
{
    int common = -1;
    for (size_t i = 0; i < a->n; i++)
        if (rank_list_has(b, a->v[i]))
            common = common < 0 ? a->v[i] : -2;
    return common;
}

/* Of two ranks nobody tells the odd one. Where a weight is held by tensor- and data-parallel ranks alike and differs in
 * one pair of each, it is the rank they have in common: its other pairs would differ otherwise. */
static void find_odd_of_pairs(struct finding_replicas *x)
{
    const struct replica_list *l = x->l;
    for (size_t i = 0; i < l->v.n; i++)
        for (size_t k = i + 1; k < l->v.n && l->v.v[k].order <= l->v.v[i].order; k++) {
            struct replica_finding *a = &l->v.v[i], *b = &l->v.v[k];
            const struct dump *d = rank_dump_of(x->w, a->rank), *q = rank_dump_of(x->w, b->rank);
            int common = a->order == b->order ? common_rank(&a->ranks, &b->ranks) : -1;
            if (common < 0 || a->odd.n || b->odd.n || a->ranks.n != 2 || b->ranks.n != 2 || a->differ || b->differ ||
                strcmp(a->kind, b->kind) == 0 || strcmp(a->what, b->what) != 0 ||
                strcmp(d->slots.v[d->rows.v[a->row].slot], q->slots.v[q->rows.v[b->row].slot]) != 0)
                continue;
            rank_list_add(&a->odd, common);
            rank_list_add(&b->odd, common);
        }
}

void replicas_find(struct replica_list *l, const struct whole_calls *w, const struct whole_calls *other, int side,
                   int step)
{
    struct finding_replicas x = {.l = l, .w = w, .other = other, .side = side, .step = step};
    if (w->set->ranks.n < 2)
        return;
    find_replica_weights(&x);
    find_batches(&x);
    if (w->layout->size[CUT_DP] > 1)
        find_seeds(&x);
    vec_sort(&l->v, by_finding_order);
    find_odd_of_pairs(&x);
}

void replica_list_release(struct replica_list *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        vec_release(&l->v.v[i].ranks);
        vec_release(&l->v.v[i].odd);
    }
    vec_release(&l->v);
}
