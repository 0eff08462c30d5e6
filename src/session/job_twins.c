/* Pairs of recordings compared one after the other, each by itself: of each step and rank that both sides have, or of
 * different ones that were given. */
#include "session/job_pairs.h"

#include <stdlib.h>

static bool number_fits(int have, int want, bool all)
{
    return all || want < 0 || have == want;
}

static int compare_places(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    return a->step != b->step ? (a->step < b->step ? -1 : 1) : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Of a list sorted by step and rank. */
static bool has_place(const place_list *l, const struct place *p)
{
    return l->n && bsearch(p, l->v, l->n, sizeof *l->v, compare_places);
}

/* The number on the other side: the same one, or the one given with T:G. */
static int twin_number(const int want[2], int side, int have, bool all)
{
    return !all && want[TARGET] >= 0 && want[GOLDEN] >= 0 ? want[!side] : have;
}

/* Whether the place of a side is compared, and with which one of the other side. */
static bool choose_twin(const struct job_compare_options *o, int side, const struct place *p, struct place *other)
{
    const int *step = o->of.of.step, *rank = o->of.of.rank;
    int of_step = step[GOLDEN] >= 0 ? side : TARGET, of_rank = rank[GOLDEN] >= 0 ? side : TARGET;
    *other = job_place(twin_number(step, side, p->step, o->all_steps),
                       twin_number(rank, side, p->rank, o->all_ranks));
    return number_fits(p->step, step[of_step], o->all_steps) && number_fits(p->rank, rank[of_rank], o->all_ranks);
}

static void add_place_alone(struct job_compare *k, int side, const struct place *p)
{
    struct place alone = job_place(p->step, p->rank);
    if (!k->result.alone[side].n || compare_places(vec_last(&k->result.alone[side]), p) != 0)
        vec_push(&k->result.alone[side], alone);
}

void job_twins_find(struct job_compare *k)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < k->places[side].n; i++) {
            const struct place *p = &k->places[side].v[i];
            struct place other;
            if (!choose_twin(&k->opt, side, p, &other))
                continue;
            struct twin x = {{p->step, other.step}, {p->rank, other.rank}};
            if (!has_place(&k->places[!side], &other))
                add_place_alone(k, side, p);
            else if (side == TARGET)
                vec_push(&k->twins, x);
        }
}

int job_compare_twins(struct job_compare *k, struct err *e)
{
    int rc = 0;
    if (!k->twins.n)
        return k->result.failed.n ? read_failures_error(&k->result.failed, e) : job_no_common(k, e);
    job_change(k);
    k->progress.ranks = k->twins.n;
    job_changed(k);
    for (size_t i = 0; i < k->twins.n && rc == 0; i++)
        rc = job_compare_twin(k, &k->twins.v[i], i == 0, e);
    return rc;
}
