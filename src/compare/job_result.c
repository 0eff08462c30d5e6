/* Finds where two jobs of several ranks first differ, and on which ranks. */
#include "compare/job_result.h"

#include <math.h>
#include <stdlib.h>

const struct joined_job *job_at(const struct job_result *r, int step)
{
    for (size_t i = 0; i < r->steps; i++)
        if (r->job[i]->set[TARGET].step == step)
            return r->job[i];
    return r->job[0];
}

static const struct whole_row *whole_row_of_line(const struct job_result *r, size_t pair, uint32_t line, int *side)
{
    const struct comparison *c = r->pairs.v[pair].c;
    const struct line *l = &c->pairing->lines.v[line];
    *side = l->row[TARGET] != NONE ? TARGET : GOLDEN;
    return joined_dump_row(&c->side[*side].dump, l->row[*side]);
}

void job_ranks_of(const struct job_result *r, size_t pair, uint32_t line, rank_list *out)
{
    int side;
    const struct job_pair *p = &r->pairs.v[pair];
    if (p->rank[TARGET] >= 0) {
        rank_list_add(out, p->rank[TARGET]);
        return;
    }
    const struct whole_row *x = whole_row_of_line(r, pair, line, &side);
    for (size_t i = 0; x && side == TARGET && i < x->parts.n; i++)
        rank_list_add(out, part_dump(joined_dump_rows(&p->c->side[TARGET].dump), &x->parts.v[i])->rank);
}

/* Parts with an error above the limit of the whole; of sums, or if there are none, the worst part or all. */
void job_bad_ranks(const struct job_result *r, size_t pair, uint32_t line, rank_list *out)
{
    int side;
    const struct job_pair *p = &r->pairs.v[pair];
    const struct line_judgement *j = &p->c->judged->line[line];
    if (p->rank[TARGET] >= 0) {
        rank_list_add(out, p->rank[TARGET]);
        return;
    }
    const struct whole_row *x = whole_row_of_line(r, pair, line, &side);
    const struct whole_rows *rows = joined_dump_rows(&p->c->side[side].dump);
    float worst = 0;
    for (size_t i = 0; x && i < x->parts.n; i++)
        worst = fmaxf(worst, x->parts.v[i].error);
    for (size_t i = 0; x && i < x->parts.n; i++) {
        float error = x->parts.v[i].error;
        if (isnan(error) || joined_part_is_bad(error, worst, j->limit) || (error == worst && !(worst > j->limit)))
            rank_list_add(out, part_dump(rows, &x->parts.v[i])->rank);
    }
}

uint32_t job_order_of(const struct job_result *r, size_t pair, uint32_t line)
{
    const struct job_pair *p = &r->pairs.v[pair];
    const struct joined_job *job = job_at(r, p->step);
    const struct line *l = &p->c->pairing->lines.v[line];
    if (p->rank[TARGET] < 0) {
        int side;
        const struct whole_row *x = whole_row_of_line(r, pair, line, &side);
        return x && side == TARGET ? job->calls[TARGET].calls.v[x->call].order : NONE;
    }
    uint32_t rank = rank_set_find(&job->set[TARGET], p->rank[TARGET]);
    if (l->row[TARGET] == NONE || rank == NONE)
        return NONE;
    uint32_t call = p->c->side[TARGET].dump.rows.v[l->row[TARGET]].call;
    uint32_t whole = job->calls[TARGET].of[rank][call];
    return whole == NONE ? NONE : job->calls[TARGET].calls.v[whole].order;
}

static bool is_before_first(const struct job_first *f, int step, uint32_t order)
{
    return !f->found || step < f->step || (step == f->step && order < f->order);
}

static void first_rows(struct job_result *r)
{
    for (size_t i = 0; i < r->pairs.n; i++) {
        const struct job_pair *p = &r->pairs.v[i];
        uint32_t line = p->c->judged->first;
        uint32_t order = line == NONE ? NONE : job_order_of(r, i, line);
        struct job_first *f = &r->first;
        if (line == NONE)
            continue;
        if (f->found && f->step == p->step && f->order == order) {
            job_bad_ranks(r, i, line, &f->ranks);
            continue;
        }
        if (!is_before_first(f, p->step, order))
            continue;
        vec_clear(&f->ranks);
        f->found = true;
        f->kind = FIRST_ROW;
        f->step = p->step;
        f->order = order;
        f->pair = i;
        f->line = line;
        job_bad_ranks(r, i, line, &f->ranks);
    }
}

static void first_beside(struct job_result *r)
{
    struct job_first *f = &r->first;
    uint32_t id = 0;
    f->collective = f->replica = NONE;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < r->collectives[s].v.n; i++, id++) {
            const struct collective *c = &r->collectives[s].v.v[i];
            if (!collective_is_bad(c) || s == GOLDEN)
                continue;
            if (f->found && f->kind == FIRST_ROW && f->step == c->step && c->order <= f->order + 1 &&
                c->order + 1 >= f->order && f->collective == NONE)
                f->collective = id;
            if (!is_before_first(f, c->step, c->order))
                continue;
            vec_clear(&f->ranks);
            for (size_t k = 0; k < c->ranks.n; k++)
                rank_list_add(&f->ranks, c->ranks.v[k]);
            for (size_t k = 0; k < c->group.n && !c->ranks.n; k++)
                rank_list_add(&f->ranks, c->group.v[k]);
            f->found = true;
            f->kind = FIRST_COLLECTIVE;
            f->step = c->step;
            f->order = c->order;
            f->collective = id;
        }
    id = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < r->replicas[s].v.n; i++, id++) {
            const struct replica_finding *x = &r->replicas[s].v.v[i];
            if (s == GOLDEN || (f->found && !is_before_first(f, x->step, x->order)))
                continue;
            vec_clear(&f->ranks);
            for (size_t k = 0; k < (x->odd.n ? x->odd.n : x->ranks.n); k++)
                rank_list_add(&f->ranks, x->odd.n ? x->odd.v[k] : x->ranks.v[k]);
            f->found = true;
            f->kind = FIRST_REPLICA;
            f->step = x->step;
            f->order = x->order;
            f->replica = id;
        }
}

void job_find_first(struct job_result *r)
{
    r->first = (struct job_first){.collective = NONE, .replica = NONE};
    first_rows(r);
    first_beside(r);
}

void job_absent(const struct job_result *r, int side, rank_list *out)
{
    rank_set_absent(&r->job[0]->set[side], layout_ranks(&r->job[0]->layout[side]), out);
}

uint64_t job_figures_only(const struct job_result *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->pairs.n; i++)
        n += r->pairs.v[i].c->judged->sum.figures_only;
    return n;
}

int job_status(const struct job_result *r)
{
    if (r->first.found)
        return 1;
    rank_list absent = {0};
    job_absent(r, TARGET, &absent);
    job_absent(r, GOLDEN, &absent);
    int status = absent.n || r->failed.n ? 5 : 0;
    for (size_t i = 0; i < r->pairs.n && !status; i++) {
        struct judge_options o = comparison_judge_options(r->pairs.v[i].c);
        if (judgement_status(r->pairs.v[i].c->judged, &o) == 5)
            status = 5;
    }
    vec_release(&absent);
    return status;
}

void job_result_release(struct job_result *r)
{
    for (size_t i = 0; i < r->pairs.n; i++)
        comparison_drop(r->pairs.v[i].c);
    vec_release(&r->pairs);
    for (int s = 0; s < 2; s++) {
        collective_list_release(&r->collectives[s]);
        replica_list_release(&r->replicas[s]);
        vec_release(&r->alone[s]);
    }
    for (size_t i = 0; i < r->steps; i++) {
        joined_job_release(r->job[i]);
        free(r->job[i]);
    }
    free(r->job);
    vec_release(&r->left);
    vec_release(&r->first.ranks);
    read_failures_release(&r->failed);
}
