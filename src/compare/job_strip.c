/* The strip: one character a rank and call, the worst verdict of its rows. */
#include "compare/job_result.h"

#include <stdlib.h>

/* From good to bad. */
static const char worse[] = " ?=~#!n";

static char letter(const struct line_judgement *j)
{
    switch ((enum verdict)j->verdict) {
    case VERDICT_MATCH: return '=';
    case VERDICT_DRIFT: return '~';
    case VERDICT_DEVIATE: return j->flags & LINE_DOUBTFUL ? '~' : '!';
    case VERDICT_NONFINITE: return 'n';
    case VERDICT_SHAPE: case VERDICT_DTYPE: return '#';
    default: return '?';
    }
}

static void put(char *cell, char c)
{
    if (strchr(worse, c) > strchr(worse, *cell))
        *cell = c;
}

static struct job_strip_row *row_of(struct job_strip *s, int step, int rank)
{
    for (size_t i = 0; i < s->rows; i++)
        if (s->row[i].step == step && s->row[i].rank == rank)
            return &s->row[i];
    return NULL;
}

/* A line's verdict on every rank that holds a part of it: bad only where its own part is. */
static void add_line(struct job_strip *s, const struct job_result *r, size_t pair, uint32_t line, const uint32_t *column)
{
    const struct job_pair *p = &r->pairs.v[pair];
    const struct line_judgement *j = &p->c->judged->line[line];
    uint32_t order = job_order_of(r, pair, line);
    rank_list holds = {0}, bad = {0};
    if (order == NONE)
        return;
    char c = letter(j);
    job_ranks_of(r, pair, line, &holds);
    bool wrong = strchr("!n#", c) != NULL;
    if (wrong)
        job_bad_ranks(r, pair, line, &bad);
    for (size_t i = 0; i < holds.n; i++) {
        struct job_strip_row *row = row_of(s, p->step, holds.v[i]);
        if (row)
            put(&row->cells[column[order]], wrong && !rank_list_has(&bad, holds.v[i]) ? '=' : c);
    }
    vec_release(&holds);
    vec_release(&bad);
}

/* Calls with rows have columns, whatever share of them is compared; above JOB_COLUMNS neighbours share one. */
static uint32_t *lay_columns(struct job_strip *s, const struct job_result *r)
{
    const struct whole_calls *w = &r->job[0]->calls[TARGET];
    size_t n = w->order.n;
    uint32_t *column = mem_zalloc((n + 1) * sizeof *column), used = 0;
    bool *has = mem_zalloc(n + 1);
    const struct whole_rows *rows = &r->job[0]->rows[TARGET];
    for (size_t i = 0; i < rows->rows.n; i++)
        has[w->calls.v[rows->rows.v[i].call].order] = true;
    for (size_t i = 0; i < n; i++)
        used += has[i];
    uint32_t columns = used < JOB_COLUMNS ? used : JOB_COLUMNS;
    s->column = mem_zalloc(((size_t)columns + 1) * sizeof *s->column);
    s->columns = columns;
    for (size_t i = 0, k = 0; i < n; i++) {
        uint32_t at = used ? (uint32_t)(k * columns / used) : 0;
        column[i] = at < columns ? at : columns ? columns - 1 : 0;
        if (!has[i])
            continue;
        struct job_column *c = &s->column[column[i]];
        if (!c->calls++) {
            const struct part_call *p = &w->calls.v[w->order.v[i]].parts.v[0];
            c->order = (uint32_t)i;
            c->call = arena_cstr(&s->arena, dump_call_name(&w->set->ranks.v[p->rank]->dump, p->call));
        }
        k++;
    }
    free(has);
    return column;
}

static void add_strip_row(struct job_strip *s, int step, int rank)
{
    struct job_strip_row *row = &s->row[s->rows++];
    row->step = step;
    row->rank = rank;
    row->cells = mem_alloc(s->columns + 1);
    memset(row->cells, ' ', s->columns);
    row->cells[s->columns] = 0;
}

/* Of a share: the ranks it is of. */
static void add_pair_rows(struct job_strip *s, const struct job_result *r, const struct job_pair *p)
{
    if (p->rank[TARGET] >= 0)
        add_strip_row(s, p->step, p->rank[TARGET]);
    for (size_t k = 0; k < r->steps && p->rank[TARGET] < 0; k++)
        for (size_t i = 0; r->job[k]->set[TARGET].step == p->step && i < r->job[k]->set[TARGET].ranks.n; i++)
            add_strip_row(s, p->step, r->job[k]->set[TARGET].ranks.v[i]->rank);
}

void job_strip_build(struct job_strip *s, const struct job_result *r)
{
    *s = (struct job_strip){.first = NONE};
    uint32_t *column = lay_columns(s, r);
    size_t most = 1;
    for (size_t k = 0; k < r->steps; k++)
        most += r->job[k]->set[TARGET].ranks.n;
    s->row = mem_zalloc(most * sizeof *s->row);
    for (size_t k = 0; k < r->steps; k++)
        for (size_t i = 0; !r->workers && i < r->job[k]->set[TARGET].ranks.n; i++)
            add_strip_row(s, r->job[k]->set[TARGET].step, r->job[k]->set[TARGET].ranks.v[i]->rank);
    for (size_t i = 0; i < r->pairs.n && r->workers; i++)
        add_pair_rows(s, r, &r->pairs.v[i]);
    for (size_t i = 0; i < r->pairs.n; i++)
        for (uint32_t l = 0; l < r->pairs.v[i].c->judged->lines; l++)
            add_line(s, r, i, l, column);
    if (r->first.found && r->first.order != NONE)
        s->first = column[r->first.order];
    free(column);
}

void job_strip_release(struct job_strip *s)
{
    for (size_t i = 0; i < s->rows; i++)
        free(s->row[i].cells);
    free(s->row);
    free(s->column);
    arena_release(&s->arena);
}
