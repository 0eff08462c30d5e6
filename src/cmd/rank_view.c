/* Moving in the strip, the content of a cell, and the pair of ranks of a cell. */
#include "cmd/rank_view.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "compare/job_text.h"
#include "compare/start_text.h"
#include "judge/verdict_text.h"
#include "ranks/join_text.h"

static void items_clear(struct rank_view *v)
{
    for (size_t i = 0; i < v->items.n; i++)
        job_found_release(&v->items.v[i]);
    vec_clear(&v->items);
}

void rank_view_release(struct rank_view *v)
{
    items_clear(v);
    vec_release(&v->items);
}

bool rank_pair_is_open(const struct comparison *c, const struct rank_pair *p)
{
    const struct dump *t = &c->side[TARGET].dump, *g = &c->side[GOLDEN].dump;
    return c->paired && t->step == p->step && t->rank == p->rank && g->step == p->step && g->rank == p->rank;
}

/* ---- what is listed ---- */

static char *take_item_text(struct buf *b)
{
    char *text = mem_strdup(b->p ? b->p : "");
    buf_clear(b);
    return text;
}

static void add_rank_item(struct rank_view *v, struct job_found x, struct buf *text)
{
    x.text = take_item_text(text);
    vec_push(&v->items, x);
}

#define DIAGNOSED_MOST 8 /* entries diagnosed while the list is made */

/* "rank 3: NAME  deviates 0.12", and what a list of starts says of it. */
static void add_start(struct rank_view *v, size_t pair, const struct start_group *g, struct buf *b)
{
    const struct job_result *r = &v->job->result;
    const struct job_pair *p = &r->pairs.v[pair];
    const struct line_judgement *x = &p->c->judged->line[g->line];
    struct job_found item = {.kind = JOB_FOUND_ROW,
                             .step = p->step,
                             .rank = p->rank[TARGET],
                             .order = job_order_of(r, pair, g->line)};
    struct diagnoses found = {.n = 0};
    rank_list bad = {0};
    char n[NUM_MAX];
    if (v->job->settled && v->items.n < DIAGNOSED_MOST)
        diagnose_line(&found, p->c->judged, &p->c->measure, p->c->flow, g->line);
    job_bad_ranks(r, pair, g->line, &bad);
    item.rank = bad.n ? bad.v[0] : item.rank;
    start_sentence(p->c, g->line, &found, b);
    item.sentence = take_item_text(b);
    if (start_place_text(&p->c->measure, g->line, b))
        item.place = take_item_text(b);
    start_extent(g, b);
    item.extent = take_item_text(b);
    item.action = start_action(p->c, g->line, &found);
    buf_cstr(b, bad.n > 1 ? _("ranks ") : _("rank "));
    rank_list_text(&bad, b);
    buf_cstr(b, ": ");
    job_row_name(r, pair, g->line, b);
    buf_fmt(b, "  %s", verdict_label((enum verdict)x->verdict));
    if (!isnan(x->error))
        buf_fmt(b, " %s", num_error(n, (double)x->error));
    add_rank_item(v, item, b);
    diagnoses_release(&found);
    vec_release(&bad);
}

/* What starts in each pair of recordings. */
static void add_pair_starts(struct rank_view *v, struct buf *b)
{
    const struct job_result *r = &v->job->result;
    for (size_t i = 0; i < r->pairs.n; i++) {
        const struct judgement *j = r->pairs.v[i].c->judged;
        for (size_t k = 0; j && k < j->start_groups.n; k++)
            add_start(v, i, &j->start_groups.v[k], b);
    }
}

static void add_side_collectives(struct rank_view *v, int side, struct buf *b)
{
    const struct job_result *r = &v->job->result;
    for (size_t i = 0; i < r->collectives[side].v.n; i++) {
        const struct collective *c = &r->collectives[side].v.v[i];
        if (!collective_is_bad(c))
            continue;
        const rank_list *l = c->ranks.n ? &c->ranks : &c->group;
        buf_cstr(b, side == TARGET ? _("collective, ") : _("golden collective, "));
        buf_cstr(b, l->n > 1 ? _("ranks ") : _("rank "));
        rank_list_text(l, b);
        buf_fmt(b, ": %s  %s", c->evidence, c->at ? c->at : c->name);
        add_rank_item(v,
                      (struct job_found){.kind = JOB_FOUND_COLLECTIVE, .step = c->step, .rank = l->n ? l->v[0] : 0,
                                         .order = c->order, .golden = side == GOLDEN},
                      b);
    }
    for (size_t i = 0; i < r->replicas[side].v.n; i++) {
        const struct replica_finding *x = &r->replicas[side].v.v[i];
        const rank_list *l = x->odd.n ? &x->odd : &x->ranks;
        buf_cstr(b, side == TARGET ? _("replicas, ") : _("golden replicas, "));
        buf_cstr(b, l->n > 1 ? _("ranks ") : _("rank "));
        rank_list_text(l, b);
        buf_fmt(b, ": %s", x->evidence);
        add_rank_item(v,
                      (struct job_found){.kind = JOB_FOUND_REPLICA, .step = x->step, .rank = l->n ? l->v[0] : 0,
                                         .order = x->order, .golden = side == GOLDEN},
                      b);
    }
}

static void collect_found(void *ctx, const struct job_found *x)
{
    struct rank_view *v = ctx;
    vec_push(&v->items, *x);
    vec_last(&v->items)->ranks = NULL;
}

/* The origin comes first; problems of the golden side last. */
static int compare_found(const void *a, const void *b)
{
    const struct job_found *x = a, *y = b;
    if (x->golden != y->golden)
        return x->golden - y->golden;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : x->rank - y->rank;
}

static const struct strip_step *shown_step(const struct rank_view *v)
{
    const struct job_strip *s = &v->job->strip;
    for (size_t i = 0; i < s->steps.n; i++)
        if (s->steps.v[i].step == v->step)
            return &s->steps.v[i];
    return NULL;
}

void rank_view_refresh(struct rank_view *v)
{
    const struct job_compare *k = v->job;
    struct buf b = {0};
    if (v->items_of != k->version || v->items_lang != msg_current()) {
        v->items_of = k->version;
        v->items_lang = msg_current();
        items_clear(v);
        if (k->summary.all)
            job_summary_each(&k->summary, &k->strip, collect_found, v);
        add_pair_starts(v, &b);
        for (int s = 0; s < 2; s++)
            add_side_collectives(v, s, &b);
        vec_sort(&v->items, compare_found);
        buf_release(&b);
    }
    if (!shown_step(v) && k->strip.steps.n)
        v->step = k->strip.steps.v[0].step;
    if (v->follow && k->result.first.found)
        rank_view_first(v);
    if (v->at >= v->items.n)
        v->at = v->items.n ? (uint32_t)v->items.n - 1 : 0;
    v->listed &= v->items.n > 0;
    size_t first, n = rank_view_rows(v, &first);
    v->rank = v->rank < n ? v->rank : n ? n - 1 : 0;
    v->column = v->column < k->strip.columns ? v->column : k->strip.columns ? k->strip.columns - 1 : 0;
}

/* ---- moving ---- */

size_t rank_view_rows(const struct rank_view *v, size_t *first)
{
    const struct job_strip *s = &v->job->strip;
    size_t n = 0;
    *first = 0;
    for (size_t i = 0; i < s->row.n; i++)
        if (s->row.v[i].step == v->step && !n++)
            *first = i;
    return n;
}

static size_t move_by_whole_cells(size_t at, size_t each, long by, size_t n)
{
    each = each ? each : 1;
    long cell = (long)(at / each) + by, last = n ? (long)((n - 1) / each) : 0;
    cell = cell < 0 ? 0 : cell > last ? last : cell;
    return cell == (long)(at / each) ? at : (size_t)cell * each;
}

void rank_view_step(struct rank_view *v, long by)
{
    size_t first, n = rank_view_rows(v, &first);
    v->follow = false;
    if (v->listed) {
        long at = (long)v->at + by, last = (long)v->items.n - 1;
        v->at = (uint32_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
        return;
    }
    v->rank = move_by_whole_cells(v->rank, v->cell_ranks, by, n);
}

void rank_view_across(struct rank_view *v, long by)
{
    v->follow = false;
    if (!v->listed)
        v->column = move_by_whole_cells(v->column, v->cell_columns, by, v->job->strip.columns);
}

bool rank_view_to(struct rank_view *v, int step, int rank, uint32_t order)
{
    uint32_t column = order == NONE ? NONE : job_strip_column(&v->job->strip, step, order);
    const struct job_strip_row *row = job_strip_row_of(&v->job->strip, step, rank);
    size_t first;
    if (!row || (column == NONE && order != NONE))
        return false;
    v->step = step;
    rank_view_rows(v, &first);
    v->rank = (size_t)(row - v->job->strip.row.v) - first;
    if (column != NONE)
        v->column = column;
    return true;
}

bool rank_view_first(struct rank_view *v)
{
    const struct job_first *f = &v->job->result.first;
    return f->found && f->ranks.n && rank_view_to(v, f->step, f->ranks.v[0], f->order);
}

bool rank_view_next(struct rank_view *v, int by)
{
    const struct job_strip *s = &v->job->strip;
    size_t first, n = rank_view_rows(v, &first), cells = n * s->columns;
    size_t at = v->column * n + v->rank;
    for (size_t left = cells; left > 1; left--) {
        if (by > 0 ? at + 1 >= cells : at == 0)
            return false;
        at = by > 0 ? at + 1 : at - 1;
        if (!strip_is_bad(strip_sign_of(s->row.v[first + at % n].cells[at / n])))
            continue;
        v->column = at / n;
        v->rank = at % n;
        v->follow = false;
        return true;
    }
    return false;
}

bool rank_view_later(struct rank_view *v, int by)
{
    const struct job_strip *s = &v->job->strip;
    for (size_t i = 0; i < s->steps.n; i++)
        if (s->steps.v[i].step == v->step && (by > 0 ? i + 1 < s->steps.n : i > 0)) {
            v->step = s->steps.v[by > 0 ? i + 1 : i - 1].step;
            v->follow = false;
            return true;
        }
    return false;
}

/* ---- cells ---- */

struct rank_cell rank_view_cell(const struct rank_view *v)
{
    size_t first, n = rank_view_rows(v, &first), each = v->cell_ranks ? v->cell_ranks : 1,
                  wide = v->cell_columns ? v->cell_columns : 1;
    struct rank_cell c = {.row = v->rank / each * each, .column = v->column / wide * wide};
    c.rows = n - c.row < each ? n - c.row : each;
    c.columns = v->job->strip.columns - c.column < wide ? v->job->strip.columns - c.column : wide;
    c.row += first;
    return c;
}

static bool cell_has_column(const struct rank_view *v, size_t pair, uint32_t line, const struct rank_cell *c)
{
    const struct job_result *r = &v->job->result;
    uint32_t order = job_order_of(r, pair, line);
    uint32_t column = order == NONE ? NONE : job_strip_column(&v->job->strip, r->pairs.v[pair].step, order);
    return column != NONE && column >= c->column && column < c->column + c->columns;
}

/* For joined lines: whether a rank of the cell holds a part. */
static bool cell_has_rank(const struct rank_view *v, size_t pair, uint32_t line, const struct rank_cell *c)
{
    rank_list l = {0};
    bool any = false;
    job_ranks_of(&v->job->result, pair, line, &l);
    for (size_t i = 0; i < l.n; i++)
        any = any ||
              (l.v[i] >= v->job->strip.row.v[c->row].rank && l.v[i] <= v->job->strip.row.v[c->row + c->rows - 1].rank);
    vec_release(&l);
    return any;
}

bool rank_view_count(const struct rank_view *v, const struct rank_cell *c, uint32_t by[VERDICT_COUNT])
{
    const struct job_result *r = &v->job->result;
    bool any = false;
    memset(by, 0, VERDICT_COUNT * sizeof *by);
    for (size_t i = 0; i < r->pairs.n && c->rows; i++) {
        const struct job_pair *p = &r->pairs.v[i];
        bool joined = p->rank[TARGET] < 0;
        if (p->step != v->step || !p->c->judged ||
            (!joined && (p->rank[TARGET] < v->job->strip.row.v[c->row].rank ||
                         p->rank[TARGET] > v->job->strip.row.v[c->row + c->rows - 1].rank)))
            continue;
        for (uint32_t l = 0; l < p->c->judged->lines; l++)
            if (cell_has_column(v, i, l, c) && (!joined || cell_has_rank(v, i, l, c))) {
                by[p->c->judged->line[l].verdict]++;
                any = true;
            }
    }
    return any;
}

/* The worst position of a cell; for a cell of one call and rank, itself. */
static bool worst_position(const struct rank_view *v, const struct rank_cell *c, size_t *row, size_t *column)
{
    const struct job_strip *s = &v->job->strip;
    enum strip_sign worst = job_strip_worst(s, c->row, c->rows, c->column, c->columns);
    size_t first;
    rank_view_rows(v, &first);
    size_t own = first + v->rank;
    for (size_t k = 0; k <= c->rows; k++) { /* the cursor's own rank before the others */
        size_t y = !k ? own : c->row + k - 1;
        for (size_t x = c->column; x < c->column + c->columns && worst != STRIP_NOTHING; x++)
            if (y < s->row.n && strip_sign_of(s->row.v[y].cells[x]) == worst) {
                *row = y;
                *column = x;
                return true;
            }
    }
    return false;
}

size_t rank_view_worst(const struct rank_view *v, const struct rank_cell *c)
{
    size_t row, column;
    return worst_position(v, c, &row, &column) ? column : c->column;
}

/* The first line of the pair in that cell with the cell's verdict, otherwise its first line; NONE: none. */
static uint32_t worst_line_in_cell(const struct rank_view *v, size_t pair, const struct rank_cell *c)
{
    const struct job_pair *p = &v->job->result.pairs.v[pair];
    uint32_t any = NONE;
    for (uint32_t l = 0; p->c->judged && l < p->c->judged->lines; l++) {
        if (!cell_has_column(v, pair, l, c))
            continue;
        if (verdict_is_bad(p->c->judged->line[l].verdict))
            return l;
        any = any == NONE ? l : any;
    }
    return any;
}

/* If its pair is not compared yet: the first row of the call, as numbered in the recording. */
static uint32_t row_unjudged(const struct joined_job *j, bool joined, uint32_t rank, uint32_t order)
{
    const struct whole_calls *w = &j->calls[TARGET];
    if (order >= w->order.n)
        return NONE;
    uint32_t whole = w->order.v[order];
    const struct whole_rows *rows = &j->rows[TARGET];
    for (size_t i = 0; joined && i < rows->rows.n; i++)
        if (rows->rows.v[i].call == whole && j->dump_row[TARGET][i] != NONE)
            return j->dump_row[TARGET][i];
    for (size_t i = 0; !joined && i < w->calls.v[whole].parts.n; i++) {
        const struct part_call *p = &w->calls.v[whole].parts.v[i];
        if (p->rank == rank)
            return w->set->ranks.v[rank]->dump.calls.v[p->call].first_row;
    }
    return NONE;
}

static bool is_joined(const struct job_result *r, const struct joined_job *j, int step)
{
    for (size_t i = 0; i < r->pairs.n; i++)
        if (r->pairs.v[i].step == step)
            return r->pairs.v[i].rank[TARGET] < 0;
    return r->joined && !layout_same(&j->layout[TARGET], &j->layout[GOLDEN]);
}

const char *rank_view_call(const struct rank_view *v, const struct rank_cell *c)
{
    size_t y, x;
    return worst_position(v, c, &y, &x) ? v->job->strip.column[x].call : NULL;
}

/* For a summary: the pair of the rank, known only by its number. */
static bool target_elsewhere(const struct rank_view *v, const struct rank_cell *c, struct rank_pair *pair)
{
    size_t y, x;
    if (v->job->summary.joined || !c->rows || !worst_position(v, c, &y, &x))
        return false;
    *pair = (struct rank_pair){.on = true, .step = v->step, .rank = v->job->strip.row.v[y].rank};
    return true;
}

bool rank_view_target(const struct rank_view *v, const struct rank_cell *c, struct rank_pair *pair, uint32_t row[2])
{
    const struct job_result *r = &v->job->result;
    struct joined_job *j = job_compare_step(v->job, v->step);
    size_t y, x;
    row[TARGET] = row[GOLDEN] = NONE;
    if (v->job->summary.all)
        return target_elsewhere(v, c, pair);
    if (!j || !c->rows || !worst_position(v, c, &y, &x))
        return false;
    int rank = v->job->strip.row.v[y].rank;
    uint32_t index = rank_set_find(&j->set[TARGET], rank);
    bool joined = is_joined(r, j, v->step);
    if (index == NONE || (!joined && rank_set_find(&j->set[GOLDEN], rank) == NONE))
        return false;
    *pair =
        (struct rank_pair){.on = true, .step = v->step, .rank = joined ? -1 : rank, .found = joined ? &j->found : NULL};
    const struct rank_cell one = {y, 1, x, 1};
    size_t at = job_compare_pair(v->job, v->step, rank);
    uint32_t line = at == SIZE_MAX ? NONE : worst_line_in_cell(v, at, &one);
    if (line != NONE) {
        memcpy(row, r->pairs.v[at].c->pairing->lines.v[line].row, 2 * sizeof *row);
        return true;
    }
    const struct strip_step *step = shown_step(v);
    for (uint32_t o = 0; o < step->n && row[TARGET] == NONE; o++)
        if (step->column[o] == x)
            row[TARGET] = row_unjudged(j, joined, index, o);
    return true;
}

/* ---- as a subject ---- */

const struct comparison *rank_view_comparison(const struct rank_view *v, int step, int rank)
{
    size_t pair = job_compare_pair(v->job, step, rank);
    return pair == SIZE_MAX ? NULL : v->job->result.pairs.v[pair].c;
}

bool rank_view_subject(const struct rank_view *v, struct subject *out, struct arena *a)
{
    struct rank_view there = *v; /* at the entry of the list, where that has the cursor */
    if (v->listed && v->at < v->items.n) {
        const struct job_found *x = &v->items.v[v->at];
        there.listed = false;
        there.cell_ranks = there.cell_columns = 1;
        if (x->golden || !rank_view_to(&there, x->step, x->rank, x->order))
            return false;
    }
    v = &there;
    struct rank_cell c = rank_view_cell(v);
    size_t y, x;
    if (!c.rows || !worst_position(v, &c, &y, &x))
        return false;
    int rank = v->job->strip.row.v[y].rank;
    const struct rank_cell one = {y, 1, x, 1};
    size_t pair = job_compare_pair(v->job, v->step, rank);
    uint32_t line = pair == SIZE_MAX ? NONE : worst_line_in_cell(v, pair, &one);
    if (line != NONE)
        subject_of_call(v->job->result.pairs.v[pair].c, line, out, a);
    else
        *out = (struct subject){SUBJECT_CALL, {arena_cstr(a, str_of(v->job->strip.column[x].call)), ""}, ""};
    subject_on_rank(out, v->step, rank, a);
    return true;
}

bool rank_view_to_call(struct rank_view *v, int step, int rank, struct str call)
{
    const struct job_strip *s = &v->job->strip;
    size_t pair = job_compare_pair(v->job, step, rank);
    for (size_t i = 0; i < s->columns; i++)
        if (str_is(call, s->column[i].call))
            return rank_view_to(v, step, rank, s->column[i].order);
    if (pair == SIZE_MAX)
        return false;
    const struct comparison *c = v->job->result.pairs.v[pair].c;
    struct subject x = {SUBJECT_CALL, {"", ""}, ""};
    char *name = str_dup(call);
    x.about[TARGET] = x.about[GOLDEN] = name;
    uint32_t line = subject_line(c, &x);
    free(name);
    return line != NONE && rank_view_to(v, step, rank, job_order_of(&v->job->result, pair, line));
}
