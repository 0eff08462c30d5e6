/* Lays out the strip, and fills it from the judgements. */
#include "compare/job_strip.h"

#include <stdlib.h>

#include "base/msg.h"

const struct strip_look strip_looks[STRIP_SIGNS] = {
    [STRIP_NOTHING] = {' ', ' ', " ", ""},
    [STRIP_NO_PARTNER] = {'?', '?', "-", N_("no rows to judge")},
    [STRIP_MATCH] = {'=', '=', "=", N_("match")},
    [STRIP_SAME_FIGURES] = {':', '?', "≈", N_("statistics agree, tensors not compared yet")},
    [STRIP_WAITS] = {'.', '?', "░", N_("not compared yet")},
    [STRIP_UNREAD] = {'u', '?', "?", N_("unread")},
    [STRIP_DRIFT] = {'~', '~', "!", N_("drift")},
    [STRIP_OTHER_FIGURES] = {';', '?', "≠", N_("statistics differ, tensors not compared yet")},
    [STRIP_INHERITED] = {'i', '!', "↓", N_("inherits a deviation")}, /* in files it deviates */
    [STRIP_BESIDE] = {'c', '?', "◆", N_("a collective or replica is wrong")},
    [STRIP_SHAPE] = {'#', '#', "#", N_("shape or type")},
    [STRIP_DEVIATE] = {'!', '!', "✗", N_("deviate")},
    [STRIP_NONFINITE] = {'n', 'n', "∞", N_("non-finite")},
};

enum strip_sign strip_sign_of(char letter)
{
    static const uint8_t sign[128] = {
        ['?'] = STRIP_NO_PARTNER, ['='] = STRIP_MATCH,   [':'] = STRIP_SAME_FIGURES,  ['.'] = STRIP_WAITS,
        ['u'] = STRIP_UNREAD,     ['~'] = STRIP_DRIFT,   [';'] = STRIP_OTHER_FIGURES, ['c'] = STRIP_BESIDE,
        ['i'] = STRIP_INHERITED,
        ['#'] = STRIP_SHAPE,      ['!'] = STRIP_DEVIATE, ['n'] = STRIP_NONFINITE};
    return (enum strip_sign)sign[letter & 127];
}

static enum strip_sign judgement_sign(const struct line_judgement *j)
{
    if (j->flags & LINE_UNREAD)
        return STRIP_UNREAD;
    switch ((enum verdict)j->verdict) {
    case VERDICT_MATCH: return STRIP_MATCH;
    case VERDICT_DRIFT: return STRIP_DRIFT;
    case VERDICT_INHERITED: return j->flags & LINE_DOUBTFUL ? STRIP_DRIFT : STRIP_INHERITED;
    case VERDICT_IN_DOUBT: return STRIP_DRIFT;
    case VERDICT_DEVIATE: return j->flags & LINE_DOUBTFUL ? STRIP_DRIFT : STRIP_DEVIATE;
    case VERDICT_NONFINITE: return STRIP_NONFINITE;
    case VERDICT_SHAPE:
    case VERDICT_DTYPE: return STRIP_SHAPE;
    case VERDICT_PENDING: return STRIP_WAITS;
    default: return STRIP_NO_PARTNER;
    }
}

void job_strip_put(struct job_strip_row *row, uint32_t column, enum strip_sign sign)
{
    if (sign > strip_sign_of(row->cells[column]))
        row->cells[column] = strip_looks[sign].letter;
}

enum strip_sign job_strip_worst(const struct job_strip *s, size_t row, size_t rows, size_t column, size_t columns)
{
    enum strip_sign worst = STRIP_NOTHING;
    for (size_t y = row; y < row + rows && y < s->row.n; y++)
        for (size_t x = column; x < column + columns && x < s->columns; x++) {
            enum strip_sign here = strip_sign_of(s->row.v[y].cells[x]);
            worst = here > worst ? here : worst;
        }
    return worst;
}

struct job_strip_row *job_strip_row_of(const struct job_strip *s, int step, int rank)
{
    const struct job_strip_row *x = s->row.v;
    size_t at;
    lower_bound(at, s->row.n, x[at].step < step || (x[at].step == step && x[at].rank < rank));
    return at < s->row.n && x[at].step == step && x[at].rank == rank ? &s->row.v[at] : NULL;
}

static const struct strip_step *strip_step_numbered(const struct job_strip *s, int step)
{
    for (size_t i = 0; i < s->steps.n; i++)
        if (s->steps.v[i].step == step)
            return &s->steps.v[i];
    return NULL;
}

uint32_t job_strip_column(const struct job_strip *s, int step, uint32_t order)
{
    const struct strip_step *x = strip_step_numbered(s, step);
    return x && order < x->n ? x->column[order] : NONE;
}

/* ---- columns ---- */

/* For each position in the order of calls: whether the call has rows. Freed by the caller. */
static bool *with_rows(const struct joined_job *j)
{
    const struct whole_calls *w = &j->calls[TARGET];
    bool *has = mem_zalloc(w->order.n + 1);
    for (size_t i = 0; i < w->order.n; i++) {
        const struct whole_call *c = &w->calls.v[w->order.v[i]];
        for (size_t k = 0; k < c->parts.n && !has[i]; k++)
            has[i] = w->set->ranks.v[c->parts.v[k].rank]->dump.calls.v[c->parts.v[k].call].first_row != NONE;
    }
    return has;
}

/* Calls with rows have columns, also if only a share is compared; if there are more calls than columns, neighbours
 * share one. */
static void lay_first(struct job_strip *s, const struct joined_job *j, uint32_t most)
{
    const struct whole_calls *w = &j->calls[TARGET];
    size_t n = w->order.n, used = 0;
    bool *has = with_rows(j);
    struct strip_step x = {.step = j->set[TARGET].step, .column = mem_alloc((n + 1) * sizeof *x.column), .n = n};
    for (size_t i = 0; i < n; i++)
        used += has[i];
    s->columns = used < most ? used : most;
    s->column = mem_zalloc((s->columns + 1) * sizeof *s->column);
    for (size_t i = 0, k = 0; i < n; i++) {
        x.column[i] = has[i] ? (uint32_t)(k++ * s->columns / used) : NONE;
        if (!has[i])
            continue;
        struct job_column *c = &s->column[x.column[i]];
        if (!c->calls++) {
            const struct part_call *p = &w->calls.v[w->order.v[i]].parts.v[0];
            c->order = (uint32_t)i;
            c->call = arena_cstr(&s->arena, dump_call_name(&w->set->ranks.v[p->rank]->dump, p->call));
        }
    }
    vec_push(&s->steps, x);
    free(has);
}

/* For another step: a call is in the column of the same call of the first step, a new call in the column of the call
 * before it. */
static void lay_like_first(struct job_strip *s, const struct joined_job *j, const struct joined_job *first)
{
    const struct whole_calls *w = &j->calls[TARGET], *of = &first->calls[TARGET];
    struct strip_step x = {
        .step = j->set[TARGET].step, .column = mem_alloc((w->order.n + 1) * sizeof *x.column), .n = w->order.n};
    bool *has = with_rows(j);
    uint32_t last = 0;
    for (size_t i = 0; i < w->order.n; i++) {
        uint32_t like = map_get(&of->keys, str_of(w->calls.v[w->order.v[i]].key));
        uint32_t at = like == MAP_NONE ? NONE : s->steps.v[0].column[of->calls.v[like].order];
        last = at != NONE ? at : last;
        x.column[i] = has[i] && s->columns ? last : NONE;
    }
    vec_push(&s->steps, x);
    free(has);
}

void job_strip_lay(struct job_strip *s, const struct job_result *r, uint32_t columns)
{
    *s = (struct job_strip){.first = NONE};
    lay_first(s, r->job[0], columns);
}

/* ---- rows ---- */

static struct job_strip_row *add_strip_row(struct job_strip *s, int step, int rank)
{
    size_t at = s->row.n;
    struct job_strip_row x = {.step = step, .rank = rank, .cells = mem_alloc(s->columns + 1)};
    memset(x.cells, ' ', s->columns);
    x.cells[s->columns] = 0;
    vec_push(&s->row, x);
    for (; at && (s->row.v[at - 1].step > step || (s->row.v[at - 1].step == step && s->row.v[at - 1].rank > rank));
         at--)
        s->row.v[at] = s->row.v[at - 1];
    s->row.v[at] = x;
    return &s->row.v[at];
}

/* The calls a rank made, with a sign each. */
static void put_calls(struct job_strip *s, const struct joined_job *j, uint32_t rank, struct job_strip_row *row,
                      enum strip_sign sign)
{
    const struct whole_calls *w = &j->calls[TARGET];
    for (size_t c = 0; c < w->set->ranks.v[rank]->dump.calls.n; c++) {
        uint32_t whole = w->of[rank][c];
        uint32_t column = whole == NONE ? NONE : job_strip_column(s, row->step, w->calls.v[whole].order);
        if (column != NONE)
            job_strip_put(row, column, sign);
    }
}

void job_strip_add_step(struct job_strip *s, const struct job_result *r, size_t k, bool absent)
{
    const struct joined_job *j = r->job[k];
    int step = j->set[TARGET].step;
    if (!strip_step_numbered(s, step))
        lay_like_first(s, j, r->job[0]);
    for (size_t i = 0; i < j->set[TARGET].ranks.n; i++)
        put_calls(s, j, (uint32_t)i, add_strip_row(s, step, j->set[TARGET].ranks.v[i]->rank), STRIP_WAITS);
    rank_list gone = {0};
    if (absent)
        rank_set_absent(&j->set[TARGET], layout_ranks(&j->layout[TARGET]), &gone);
    for (size_t i = 0; i < gone.n; i++)
        job_strip_unread(s, step, gone.v[i]);
    vec_release(&gone);
}

void job_strip_add_cells(struct job_strip *s, int step, int rank, const char *cells)
{
    struct job_strip_row *row = add_strip_row(s, step, rank);
    for (size_t i = 0; i < s->columns && cells[i]; i++)
        row->cells[i] = strip_looks[strip_sign_of(cells[i])].letter;
}

void job_strip_unread(struct job_strip *s, int step, int rank)
{
    struct job_strip_row *row = job_strip_row_of(s, step, rank);
    bool read = row != NULL;
    if (!read)
        row = add_strip_row(s, step, rank);
    for (size_t i = 0; i < s->columns; i++)
        if (!read || row->cells[i] != ' ')
            row->cells[i] = strip_looks[STRIP_UNREAD].letter;
}

/* ---- verdicts ---- */

/* A line's verdict on every rank that holds a part of it: bad only if the rank's own part is. */
static void add_line_to_strip(struct job_strip *s, const struct job_result *r, size_t pair, uint32_t line,
                              struct job_strip_row *own)
{
    const struct job_pair *p = &r->pairs.v[pair];
    uint32_t order = job_order_of(r, pair, line), column = order == NONE ? NONE : job_strip_column(s, p->step, order);
    enum strip_sign sign = judgement_sign(&p->c->judged->line[line]);
    rank_list holds = {0}, bad = {0};
    if (column == NONE)
        return;
    if (own) {
        job_strip_put(own, column, sign);
        return;
    }
    job_ranks_of(r, pair, line, &holds);
    if (strip_is_bad(sign))
        job_bad_ranks(r, pair, line, &bad);
    for (size_t i = 0; i < holds.n; i++) {
        struct job_strip_row *row = job_strip_row_of(s, p->step, holds.v[i]);
        if (row)
            job_strip_put(row, column, strip_is_bad(sign) && !rank_list_has(&bad, holds.v[i]) ? STRIP_MATCH : sign);
    }
    vec_release(&holds);
    vec_release(&bad);
}

void job_strip_add_pair(struct job_strip *s, const struct job_result *r, size_t pair)
{
    const struct job_pair *p = &r->pairs.v[pair];
    struct job_strip_row *own = p->rank[TARGET] >= 0 ? job_strip_row_of(s, p->step, p->rank[TARGET]) : NULL;
    if (!p->c->judged || (p->rank[TARGET] >= 0 && !own))
        return;
    struct job_strip_row *from = own ? own : s->row.v, *end = own ? own + 1 : s->row.v + s->row.n;
    for (struct job_strip_row *row = from; row < end; row++)
        if (row->step == p->step && !memchr(row->cells, strip_looks[STRIP_UNREAD].letter, s->columns))
            memset(row->cells, ' ', s->columns);
    for (uint32_t l = 0; l < p->c->judged->lines; l++)
        add_line_to_strip(s, r, pair, l, own);
}

static void put_beside(struct job_strip *s, int step, uint32_t order, const rank_list *ranks)
{
    uint32_t column = job_strip_column(s, step, order);
    for (size_t i = 0; i < ranks->n && column != NONE; i++) {
        struct job_strip_row *row = job_strip_row_of(s, step, ranks->v[i]);
        if (row)
            job_strip_put(row, column, STRIP_BESIDE);
    }
}

void job_strip_add_beside(struct job_strip *s, const struct job_result *r)
{
    for (size_t i = 0; i < r->collectives[TARGET].v.n; i++) {
        const struct collective *c = &r->collectives[TARGET].v.v[i];
        if (collective_is_bad(c))
            put_beside(s, c->step, c->order, c->ranks.n ? &c->ranks : &c->group);
    }
    for (size_t i = 0; i < r->replicas[TARGET].v.n; i++) {
        const struct replica_finding *x = &r->replicas[TARGET].v.v[i];
        put_beside(s, x->step, x->order, x->odd.n ? &x->odd : &x->ranks);
    }
}

void job_strip_mark_first(struct job_strip *s, const struct job_result *r)
{
    s->first = r->first.found && r->first.order != NONE ? job_strip_column(s, r->first.step, r->first.order) : NONE;
}

/* Of a share: the ranks it is of. */
static void drop_other_shares(struct job_strip *s, const struct job_result *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->row.n; i++) {
        bool own = false;
        for (size_t k = 0; k < r->pairs.n; k++)
            own = own || (r->pairs.v[k].step == s->row.v[i].step &&
                          (r->pairs.v[k].rank[TARGET] < 0 || r->pairs.v[k].rank[TARGET] == s->row.v[i].rank));
        if (own)
            s->row.v[kept++] = s->row.v[i];
        else
            free(s->row.v[i].cells);
    }
    s->row.n = kept;
}

void job_strip_build(struct job_strip *s, const struct job_result *r)
{
    job_strip_lay(s, r, JOB_COLUMNS);
    for (size_t k = 0; k < r->steps; k++)
        job_strip_add_step(s, r, k, false);
    for (size_t i = 0; i < s->row.n; i++) /* what has no verdict is not there */
        memset(s->row.v[i].cells, ' ', s->columns);
    if (r->workers)
        drop_other_shares(s, r);
    for (size_t i = 0; i < r->pairs.n; i++)
        job_strip_add_pair(s, r, i);
    job_strip_mark_first(s, r);
}

void job_strip_release(struct job_strip *s)
{
    for (size_t i = 0; i < s->row.n; i++)
        free(s->row.v[i].cells);
    for (size_t i = 0; i < s->steps.n; i++)
        free(s->steps.v[i].column);
    vec_release(&s->row);
    vec_release(&s->steps);
    free(s->column);
    arena_release(&s->arena);
    *s = (struct job_strip){.first = NONE};
}
