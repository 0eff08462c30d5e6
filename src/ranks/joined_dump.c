/* Writes whole calls and rows to a dump whose tensors are views over the parts. */
#include "ranks/joined_dump.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "dump/recorded_figures.h"
#include "ranks/part_figures.h"

static const struct joined_side *joined_side_of_dump(const struct dump *d)
{
    return d->reader == &reader_joined ? d->given : NULL;
}

const struct whole_rows *joined_dump_rows(const struct dump *d)
{
    const struct joined_side *s = joined_side_of_dump(d);
    return s ? &s->job->rows[s->side] : NULL;
}

const struct whole_row *joined_dump_row(const struct dump *d, uint32_t row)
{
    const struct joined_side *s = joined_side_of_dump(d);
    return s && row < s->job->row_of[s->side].n ? &s->job->rows[s->side].rows.v[s->job->row_of[s->side].v[row]] : NULL;
}

void joined_row_name(const struct whole_rows *r, const struct part_row *p, struct buf *out)
{
    struct buf name = {0};
    dump_row_name(&part_dump(r, p)->dump, p->row, &name);
    buf_str(out, buf_view(&name));
    buf_release(&name);
}

bool joined_part_is_bad(float error, float worst, float limit)
{
    return error > limit && error > worst / 100;
}

static bool comes_first(const struct part_row *a, const struct part_row *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->row < b->row; /* backwards the last micro-batch comes first */
}

const struct part_row *joined_row_part(const struct whole_row *x, float limit)
{
    const struct part_row *worst = &x->parts.v[0], *first = NULL;
    for (size_t i = 1; i < x->parts.n; i++)
        if (x->parts.v[i].error > worst->error || (isnan(worst->error) && !isnan(x->parts.v[i].error)))
            worst = &x->parts.v[i];
    for (size_t i = 0; i < x->parts.n; i++)
        if (joined_part_is_bad(x->parts.v[i].error, worst->error, limit) &&
            (!first || comes_first(&x->parts.v[i], first)))
            first = &x->parts.v[i];
    return first ? first : worst;
}

/* ---- writing ---- */

struct filling {
    struct dump *d;
    const struct joined_job *job;
    int side;
    const struct whole_calls *w;
    const struct whole_rows *rows;
    uint32_t *call; /* of each whole call: the dump's */
    struct map numbers;
    struct arena arena;
};

/* "Functional.linear.forward" as the 7th of its kind is named "Functional.linear.7.forward". */
static void whole_call_name(struct filling *f, const struct whole_call *c, struct buf *out)
{
    const struct part_call *p = &c->parts.v[0];
    const struct dump *d = &f->w->set->ranks.v[p->rank]->dump;
    bool alone = f->w->set->ranks.n == 1 && f->w->layout->size[CUT_MICRO] == 1;
    buf_clear(out);
    if (alone) {
        buf_str(out, dump_call_name(d, p->call));
        return;
    }
    struct buf head = {0};
    if (c->kind == CALL_MODULE) {
        struct str path = str_of(strchr(c->key, ' ') + 1), word;
        word = str_next(&path, ' ');
        buf_fmt(&head, "Module.%.*s%s%s", STR_ARG(word), word.n ? "." : "", c->bare);
    } else {
        buf_cstr(&head, c->bare);
    }
    const char *phase = c->phase == PHASE_BACKWARD ? "backward" : "forward";
    struct str stem = buf_view(&head);
    if (c->kind != CALL_MODULE && str_ends(stem, phase))
        stem.n -= strlen(phase) + 1;
    const char *key = arena_fmt(&f->arena, "%.*s %d", STR_ARG(stem), c->phase);
    uint32_t number = map_get(&f->numbers, str_of(key)), now = number == MAP_NONE ? 0 : number + 1;
    map_set(&f->numbers, str_of(key), now);
    if (c->kind == CALL_MODULE)
        buf_fmt(out, "%s.%u", head.p, now);
    else
        buf_fmt(out, "%.*s.%u.%s", STR_ARG(stem), now, phase);
    buf_release(&head);
}

static void copy_stack(struct filling *f, uint32_t call, const struct dump *from, uint32_t stack)
{
    if (stack == NONE)
        return;
    struct stack s = {.first = (uint32_t)f->d->stack_frames.n};
    const struct stack *x = &from->stacks.v[stack];
    for (uint32_t i = 0; i < x->n; i++) {
        const struct frame *k = &from->frames.v[from->stack_frames.v[x->first + i]];
        struct buf text = {0};
        buf_fmt(&text, k->raw ? "%s" : "File %s, line %u, in %s, \n %s", k->raw ? k->raw : k->file, k->line, k->func,
                k->code);
        vec_push(&f->d->stack_frames, dump_frame(f->d, buf_view(&text)));
        buf_release(&text);
        s.n++;
    }
    vec_push(&f->d->stacks, s);
    f->d->calls.v[call].stack = (uint32_t)f->d->stacks.n - 1;
}

static void add_whole_call(struct filling *f, uint32_t whole)
{
    const struct whole_call *c = &f->w->calls.v[whole];
    const struct part_call *p = &c->parts.v[0];
    const struct dump *from = &f->w->set->ranks.v[p->rank]->dump;
    const struct call *own = &from->calls.v[p->call];
    struct buf name = {0};
    whole_call_name(f, c, &name);
    uint32_t at = dump_add_call(f->d, buf_view(&name), (enum call_kind)c->kind, (enum call_phase)c->phase);
    struct call *x = &f->d->calls.v[at];
    x->family = own->family;
    x->gradient = own->gradient;
    x->offset = own->offset;
    if (own->scope != NONE) {
        struct str path = str_of(strchr(c->key, ' ') + 1), word;
        word = str_next(&path, ' ');
        uint32_t scope = dump_scope(f->d, c->kind == CALL_MODULE ? word : str_of(from->scopes.v[own->scope]));
        f->d->calls.v[at].scope = scope;
    }
    copy_stack(f, at, from, own->stack);
    f->call[whole] = at;
    buf_release(&name);
}

static void link_calls(struct filling *f)
{
    for (size_t o = 0; o < f->w->order.n; o++) {
        uint32_t whole = f->w->order.v[o];
        const struct whole_call *c = &f->w->calls.v[whole];
        struct call *x = &f->d->calls.v[f->call[whole]];
        if (c->parent != NONE)
            x->parent = f->call[c->parent];
        if (c->twin != NONE) {
            x->twin = f->call[c->twin];
            f->d->calls.v[x->twin].twin = f->call[whole];
        }
    }
}

/* The part that represents all parts, if all should be equal. */
static const struct part_row *representative_part(const struct whole_row *x)
{
    size_t at = 0, stride = 1;
    for (int s = 0; s < x->steps; s++) {
        at += x->step[s].pick * stride;
        stride *= x->step[s].n;
    }
    return &x->parts.v[at < x->parts.n ? at : 0];
}

static bool of_replicas(const struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].how != JOIN_REPLICA && x->step[s].how != JOIN_LAST)
            return false;
    return true;
}

/* Figures of the whole from those of its parts, if they can be derived. */
static void figures_of_parts(const struct whole_rows *r, const struct whole_row *x, struct row *out)
{
    struct part_figures f = part_figures_join(r, x, x->step, x->scale);
    if (!f.known)
        return;
    memcpy(out->stat, f.stat, sizeof out->stat);
    out->has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
}

/* Without elements, replicas are only accepted if their figures are near. */
static bool replica_figures_agree(const struct whole_rows *r, const struct whole_row *x)
{
    const struct part_row *a = &x->parts.v[0];
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].how != JOIN_REPLICA)
            return true;
    for (size_t i = 1; i < x->parts.n; i++) {
        const struct part_row *b = &x->parts.v[i];
        if (!(recorded_error(&part_dump(r, b)->dump.rows.v[b->row], &part_dump(r, a)->dump.rows.v[a->row]) <= 1e-3))
            return false;
    }
    return true;
}

static bool all_readable(const struct whole_rows *r, const struct whole_row *x)
{
    for (size_t i = 0; i < x->parts.n; i++)
        if (!(part_dump(r, &x->parts.v[i])->dump.rows.v[x->parts.v[i].row].has & HAS_FILE))
            return false;
    return true;
}

/* Whether a number is the same on all ranks, and so belongs to the job; other numbers are omitted. */
static bool is_number_of_job(const struct whole_rows *r, const struct whole_row *x)
{
    const struct row *a = &part_dump(r, &x->parts.v[0])->dump.rows.v[x->parts.v[0].row];
    for (size_t i = 1; i < x->parts.n; i++) {
        const struct row *b = &part_dump(r, &x->parts.v[i])->dump.rows.v[x->parts.v[i].row];
        if (a->kind != b->kind || ((a->text || b->text) && (!a->text || !b->text || strcmp(a->text, b->text) != 0)))
            return false;
    }
    return true;
}

static int pipeline_stage(const struct filling *f, uint32_t rank)
{
    return layout_place(f->w->layout, f->w->set->ranks.v[rank]->rank).at[CUT_PP];
}

/* Whether a rank of that one's pipeline stage has a part of the row. */
static bool stage_has(const struct filling *f, const struct whole_row *x, uint32_t rank)
{
    for (size_t k = 0; k < x->parts.n; k++)
        if (pipeline_stage(f, x->parts.v[k].rank) == pipeline_stage(f, rank))
            return true;
    return false;
}

/* The newest row is unread: a rank lacks what others of its stage have. */
static void lack_row(struct filling *f, const char *text)
{
    dump_problem(f->d, (uint32_t)f->d->rows.n - 1, PROBLEM_UNREAD, text);
    f->d->rows.v[f->d->rows.n - 1].has |= IS_DAMAGED;
}

/* Says which rank recorded a call without this value, which others of its stage have: of one value there may be copies
 * that nobody compared. Of a module that several stages share, only the last has what it gives. */
static void say_lacking(struct filling *f, const struct whole_row *x, const struct row *own)
{
    const struct whole_call *c = &f->w->calls.v[x->call];
    if (x->parts.n >= c->parts.n || own->kind != ROW_TENSOR)
        return;
    for (size_t i = 0; i < c->parts.n; i++) {
        bool has = false;
        for (size_t k = 0; k < x->parts.n && !has; k++)
            has = x->parts.v[k].rank == c->parts.v[i].rank && x->parts.v[k].micro == c->parts.v[i].micro;
        if (has || !stage_has(f, x, c->parts.v[i].rank))
            continue;
        struct buf text = {0};
        buf_fmt(&text, _("rank %d recorded the call without %s, which other ranks have"),
                f->w->set->ranks.v[c->parts.v[i].rank]->rank, x->slot);
        lack_row(f, text.p);
        buf_release(&text);
        return;
    }
}

/* The first rank without a part of the call, of whose stage another one has a part: its index, or NONE. */
static uint32_t absent_rank(const struct filling *f, const struct whole_call *c)
{
    const struct rank_set *set = f->w->set;
    bool *there = mem_zalloc(set->ranks.n + 1), *stage = mem_zalloc((size_t)f->w->layout->size[CUT_PP] + 1);
    uint32_t absent = 0;
    for (size_t i = 0; i < c->parts.n; i++) {
        there[c->parts.v[i].rank] = true;
        stage[pipeline_stage(f, c->parts.v[i].rank)] = true;
    }
    while (absent < set->ranks.n && (there[absent] || !stage[pipeline_stage(f, absent)]))
        absent++;
    free(there);
    free(stage);
    return absent < set->ranks.n ? absent : NONE;
}

/* Says which rank did not record a call that the other side has and another rank of its stage recorded, at its first
 * row. Experts divided over ranks are called where they are. */
static void say_absent(struct filling *f, uint32_t whole)
{
    const struct whole_row *x = &f->rows->rows.v[whole];
    const struct whole_call *c = &f->w->calls.v[x->call];
    bool asked = f->rows->first_of[x->call] == whole && c->partner != NONE && f->w->layout->size[CUT_EP] <= 1;
    uint32_t absent = asked && c->parts.n < f->w->set->ranks.n * (size_t)f->w->layout->size[CUT_MICRO]
                          ? absent_rank(f, c)
                          : NONE;
    if (absent == NONE)
        return;
    struct buf text = {0};
    buf_fmt(&text, _("rank %d did not record the call, which other ranks did"), f->w->set->ranks.v[absent]->rank);
    lack_row(f, text.p);
    buf_release(&text);
}

/* Whether a row requires a gradient: where its parts are of two opinions, that of one which the other side does not
 * have. */
static bool joined_needs_gradient(const struct filling *f, const struct whole_row *x, const struct row *own)
{
    const struct whole_rows *o = &f->job->rows[!f->side];
    bool differ = false;
    for (size_t i = 0; i < x->parts.n; i++)
        differ |= part_dump(f->rows, &x->parts.v[i])->dump.rows.v[x->parts.v[i].row].needs_gradient !=
                  own->needs_gradient;
    if (!differ || x->partner == NONE || !o->rows.v[x->partner].parts.n)
        return own->needs_gradient;
    const struct part_row *p = representative_part(&o->rows.v[x->partner]);
    return !part_dump(o, p)->dump.rows.v[p->row].needs_gradient;
}

static void add_joined_row(struct filling *f, uint32_t whole)
{
    const struct whole_row *x = &f->rows->rows.v[whole];
    const struct part_row *p = x->odd ? &x->parts.v[x->odd - 1] : representative_part(x);
    const struct row *own = &part_dump(f->rows, p)->dump.rows.v[p->row];
    struct row r = {.slot = dump_slot(f->d, str_of(x->slot)),
                    .shape = NONE,
                    .extra = NONE,
                    .io = own->io,
                    .kind = own->kind,
                    .dtype = own->dtype,
                    .needs_gradient = joined_needs_gradient(f, x, own)};
    if (f->job->dump_row[f->side][whole] == NONE)
        return;
    if (own->kind != ROW_TENSOR) {
        memcpy(r.stat, own->stat, sizeof r.stat);
        r.text = own->text ? arena_cstr(&f->d->arena, str_of(own->text)) : NULL;
        r.has = own->has;
    } else {
        if (!x->open) /* parts of different shapes cannot be joined */
            r.shape = dump_shape(f->d, x->shape, x->ndim);
        r.has = r.shape != NONE ? HAS_SHAPE : 0;
        if (all_readable(f->rows, x) && !x->open)
            r.has |= HAS_FILE;
        if (x->parts.n == 1 && x->scale == 1) {
            memcpy(r.stat, own->stat, sizeof r.stat);
            r.has |= own->has & (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM);
        } else if (of_replicas(x) && x->scale == 1) {
            bool proved = r.has & HAS_FILE || replica_figures_agree(f->rows, x);
            memcpy(r.stat, own->stat, sizeof r.stat);
            r.has |= proved ? own->has & (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM) : 0;
        } else if (!x->open && !(r.has & HAS_FILE)) {
            figures_of_parts(f->rows, x, &r);
        }
    }
    dump_add_row(f->d, f->call[x->call], r);
    say_lacking(f, x, own);
    say_absent(f, whole);
}

static void copy_head(struct dump *d, const struct dump *from)
{
    d->framework = arena_cstr(&d->arena, str_of(from->framework));
    d->level = arena_cstr(&d->arena, str_of(from->level));
    d->task = arena_cstr(&d->arena, str_of(from->task));
    d->digits = from->digits;
    d->joint = from->joint;
}

static int joined_open_dump(struct dump *d, struct load *load, struct err *e)
{
    const struct joined_side *s = d->given;
    const struct joined_job *job = s->job;
    struct filling f = {.d = d, .job = job, .side = s->side, .w = &job->calls[s->side], .rows = &job->rows[s->side]};
    (void)e;
    load_begin(load);
    copy_head(d, &job->set[s->side].ranks.v[0]->dump);
    f.call = mem_alloc((f.w->calls.n + 1) * sizeof *f.call);
    for (size_t o = 0; o < f.w->order.n; o++)
        add_whole_call(&f, f.w->order.v[o]);
    for (uint32_t i = 0; i < f.rows->rows.n; i++)
        add_joined_row(&f, i);
    link_calls(&f);
    load_end(load);
    free(f.call);
    map_release(&f.numbers);
    arena_release(&f.arena);
    return 0;
}

static int joined_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct whole_row *x = joined_dump_row(d, row);
    if (!x)
        return err_set(e, ERR_DATA, "%s", _("no tensor was recorded for this row"));
    return whole_row_tensor(joined_dump_rows(d), x, t, e);
}

const struct reader reader_joined = {
    .name = "joined",
    .title = N_("all ranks and micro-batches of a job, joined"),
    .what = N_("recordings of all ranks of one step"),
    .open = joined_open_dump,
    .tensor = joined_tensor,
};

/* ---- the job ---- */

/* Decides which rows the joined dump has, once, because several threads may open it at the same time. */
static void number_rows(struct joined_job *j, int side)
{
    const struct whole_rows *r = &j->rows[side];
    for (uint32_t i = 0; i < r->rows.n; i++) {
        const struct whole_row *x = &r->rows.v[i];
        bool there = !x->local && (x->kind == ROW_TENSOR || x->odd || is_number_of_job(r, x));
        j->dump_row[side][i] = there ? (uint32_t)j->row_of[side].n : NONE;
        if (there)
            vec_push(&j->row_of[side], i);
    }
}

void joined_job_build(struct joined_job *j)
{
    for (int s = 0; s < 2; s++)
        whole_calls_build(&j->calls[s], &j->set[s], &j->layout[s]);
    whole_calls_line_up(&j->calls[0], &j->calls[1]);
    for (int s = 0; s < 2; s++) {
        j->side[s] = (struct joined_side){j, s};
        struct place place = {.reader = &reader_joined, .step = j->set[s].step, .rank = -1, .given = &j->side[s]};
        struct found_tree tree = {.path = mem_strdup(j->set[s].path)};
        vec_push(&place.paths, mem_strdup(j->set[s].path));
        vec_push(&tree.places, place);
        vec_push(&j->found.trees, tree);
    }
}

/* A number of the code (an epsilon, a scale) is one on all ranks. If it is on the other side, and some ranks of this
 * one agree with that, the first rank that does not shows the row. */
static void show_odd_rank(struct joined_job *j, struct whole_row *x, int side, const struct whole_row *other)
{
    const struct whole_rows *r = &j->rows[side], *o = &j->rows[!side];
    if (x->kind != ROW_FLOAT || other->kind != ROW_FLOAT || !is_number_of_job(o, other) || is_number_of_job(r, x))
        return;
    double want = part_dump(o, &other->parts.v[0])->dump.rows.v[other->parts.v[0].row].stat[STAT_MAX];
    size_t agree = 0, odd = x->parts.n;
    for (size_t i = 0; i < x->parts.n; i++) {
        double v = part_dump(r, &x->parts.v[i])->dump.rows.v[x->parts.v[i].row].stat[STAT_MAX];
        agree += v == want;
        odd = v != want && odd == x->parts.n ? i : odd;
    }
    x->odd = agree && odd < x->parts.n ? (uint32_t)odd + 1 : 0;
}

static void show_odd_ranks(struct joined_job *j)
{
    for (size_t i = 0; i < j->rows[0].rows.n; i++) {
        struct whole_row *a = &j->rows[0].rows.v[i];
        struct whole_row *b = a->partner == NONE ? NULL : &j->rows[1].rows.v[a->partner];
        if (b && !a->local && !b->local && a->parts.n && b->parts.n) {
            show_odd_rank(j, a, 0, b);
            show_odd_rank(j, b, 1, a);
        }
    }
}

/* Whether a number grows with the number of micro-batches: the divisor of each one's loss. */
static bool counts_micro_batches(const struct joined_job *j, const struct whole_row *a, const struct whole_row *b)
{
    double n = j->layout[0].size[CUT_MICRO], m = j->layout[1].size[CUT_MICRO];
    if (n == m || (a->kind != ROW_INT && a->kind != ROW_FLOAT) || !a->parts.n || !b->parts.n)
        return false;
    double x = part_dump(&j->rows[0], &a->parts.v[0])->dump.rows.v[a->parts.v[0].row].stat[0];
    double y = part_dump(&j->rows[1], &b->parts.v[0])->dump.rows.v[b->parts.v[0].row].stat[0];
    return x == n && y == m;
}

static void leave_counts_out(struct joined_job *j)
{
    for (size_t i = 0; i < j->rows[0].rows.n; i++) {
        struct whole_row *a = &j->rows[0].rows.v[i];
        struct whole_row *b = a->partner == NONE ? NULL : &j->rows[1].rows.v[a->partner];
        if (b && counts_micro_batches(j, a, b))
            a->local = b->local = true;
    }
}

int joined_job_decide(struct joined_job *j, struct err *e)
{
    struct layout *layouts[2] = {&j->layout[0], &j->layout[1]};
    for (int s = 0; s < 2; s++) {
        whole_rows_build(&j->rows[s], &j->calls[s]);
        j->dump_row[s] = mem_zalloc((j->rows[s].rows.n + 1) * sizeof *j->dump_row[s]);
    }
    if (shard_joins_decide(&j->rows[0], &j->rows[1], layouts, &j->dims, e))
        return -1;
    leave_counts_out(j);
    show_odd_ranks(j);
    for (int s = 0; s < 2; s++)
        number_rows(j, s);
    return 0;
}

void joined_job_release(struct joined_job *j)
{
    found_trees_release(&j->found);
    for (int s = 0; s < 2; s++) {
        vec_release(&j->row_of[s]);
        free(j->dump_row[s]);
        whole_rows_release(&j->rows[s]);
        whole_calls_release(&j->calls[s]);
        rank_set_release(&j->set[s]);
    }
}

struct joined_pair *joined_dump_pairs(const struct dump *target, const struct dump *golden, size_t *n)
{
    const struct joined_side *t = joined_side_of_dump(target), *g = joined_side_of_dump(golden);
    if (!t || !g || t->job != g->job)
        return NULL;
    const struct joined_job *j = t->job;
    struct joined_pair *out = mem_alloc((j->rows[0].rows.n + 1) * sizeof *out);
    *n = 0;
    for (size_t i = 0; i < j->rows[0].rows.n; i++) {
        uint32_t partner = j->rows[0].rows.v[i].partner;
        struct joined_pair p = {{j->dump_row[0][i], partner == NONE ? NONE : j->dump_row[1][partner]}};
        if (p.row[0] != NONE && p.row[1] != NONE)
            out[(*n)++] = p;
    }
    return out;
}
