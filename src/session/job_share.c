/* Of a share of a job only some ranks are read: its own, and those that show that rank meets rank and where the
 * pipeline's stages are (ranks/rank_share.h). What is over all ranks is the business of share 0. */
#include "session/job_pairs.h"

#include "ranks/rank_share.h"

/* The number of ranks of a step, if both sides have the same ones, numbered from 0; otherwise 0. */
static int common_ranks(const struct job_compare *k, int step)
{
    int n[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < k->places[s].n; i++)
            if (k->places[s].v[i].step == step && k->places[s].v[i].rank != n[s]++)
                return 0;
    return n[0] == n[1] ? n[0] : 0;
}

static void add_own_ranks(const struct job_compare *k, int ranks, rank_list *out)
{
    for (int i = 0; i < ranks; i++)
        if ((k->turn + (size_t)i) % (size_t)k->opt.workers == (size_t)k->opt.worker)
            rank_list_add(out, i);
}

static int read_some(struct job_compare *k, int step, struct joined_job *j, const rank_list *some, struct err *e)
{
    for (int s = 0; s < 2; s++)
        if (rank_set_load_some(&j->set[s], k->opt.of.of.path[s], &k->places[s], step, some, k->opt.of.workers,
                               &k->watch, e))
            return -1;
    return 0;
}

/* Both layouts are given, are equal, and place every rank. */
static bool given_alike(const struct job_compare *k, int ranks, struct layout l[2])
{
    struct err quiet;
    for (int s = 0; s < 2; s++)
        if (!k->opt.layout[s] || layout_parse(&l[s], str_of(k->opt.layout[s]), &quiet) ||
            layout_ranks(&l[s]) != ranks)
            return false;
    return layout_same(&l[0], &l[1]);
}

static bool read_given(struct job_compare *k, int step, struct joined_job *j, int ranks, rank_list *some,
                       const struct layout l[2])
{
    struct err quiet;
    bool seen[1024] = {false};
    for (int r = 0; r < ranks; r++) {
        struct rank_place at = layout_place(&l[0], r);
        size_t stage = (size_t)at.at[CUT_PP];
        if (stage < sizeof seen && !seen[stage])
            rank_list_add(some, r);
        if (stage < sizeof seen)
            seen[stage] = true;
    }
    if (l[0].size[CUT_PP] > (int)sizeof seen || read_some(k, step, j, some, &quiet))
        return false;
    for (int s = 0; s < 2; s++) {
        j->layout[s] = l[s];
        layout_infer(&j->layout[s], &j->set[s]); /* what was not given: micro-batches, virtual stages */
    }
    return layout_same(&j->layout[0], &j->layout[1]);
}

/* From the first rank on: who sends to whom. */
static bool find_share_stages(struct job_compare *k, struct joined_job *j, int ranks, int *stride, int *stages)
{
    struct err quiet;
    *stages = 1;
    *stride = ranks;
    for (int at = 0, next; (next = rank_share_next_stage(&j->set[TARGET], at)) > at && next < ranks; at = next) {
        if (*stages > 1 && next - at != *stride)
            return false;
        *stride = *stages > 1 ? *stride : next;
        for (int s = 0; s < 2; s++)
            if (rank_set_add(&j->set[s], &k->places[s], next, &quiet))
                return false;
        ++*stages;
    }
    return true;
}

static bool read_shown(struct job_compare *k, int step, struct joined_job *j, int ranks, rank_list *some)
{
    int stride, stages;
    struct err quiet;
    rank_share_witnesses(ranks, some);
    if (some->n * 2 > (size_t)ranks || read_some(k, step, j, some, &quiet) ||
        !find_share_stages(k, j, ranks, &stride, &stages) || !rank_share_alike(j->set))
        return false;
    for (int s = 0; s < 2; s++)
        if (!rank_share_layout(&j->layout[s], &j->set[s], ranks, stride, stages))
            return false;
    return true;
}

bool job_share_load(struct job_compare *k, int step, struct joined_job *j)
{
    struct layout l[2];
    rank_list some = {0};
    int ranks = k->opt.workers > 1 && k->opt.worker > 0 ? common_ranks(k, step) : 0;
    if (ranks < 2 || k->opt.settings[TARGET] || k->opt.settings[GOLDEN])
        return false;
    bool given = given_alike(k, ranks, l), none = !k->opt.layout[TARGET] && !k->opt.layout[GOLDEN], read = false;
    add_own_ranks(k, ranks, &some);
    if (given)
        read = read_given(k, step, j, ranks, &some, l);
    else if (none)
        read = read_shown(k, step, j, ranks, &some);
    for (int s = 0; s < 2 && !read; s++)
        rank_set_release(&j->set[s]);
    vec_release(&some);
    return read;
}

void job_share_leave_others(struct job_compare *k, const struct joined_job *j)
{
    for (size_t i = 0; i < j->set[TARGET].others.n; i++)
        job_leave(k, j->set[TARGET].step, j->set[TARGET].others.v[i]);
}
