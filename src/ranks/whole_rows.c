/* The rows of the whole job: for each call the slots of all its parts. */
#include "ranks/shard_join.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

const struct rank_dump *part_dump(const struct whole_rows *r, const struct part_row *p)
{
    return r->calls->set->ranks.v[p->rank];
}

/* Virtual stages of the whole pipeline that hold parts of a call. */
struct stage_span {
    int first, last;
};

static int stage_of(const struct whole_calls *w, const struct part_call *p)
{
    return layout_place(w->layout, w->set->ranks.v[p->rank]->rank).at[CUT_PP] +
           w->places[p->rank].call[p->call].chunk * w->layout->size[CUT_PP];
}

static struct stage_span stages_of(const struct whole_calls *w, const struct whole_call *c)
{
    struct stage_span x = {INT_MIN, INT_MAX}; /* every part is of it */
    if (c->kind != CALL_MODULE || c->gradient || w->layout->size[CUT_PP] * w->layout->vpp == 1)
        return x;
    x = (struct stage_span){INT_MAX, INT_MIN};
    for (size_t i = 0; i < c->parts.n; i++) {
        int own = stage_of(w, &c->parts.v[i]);
        x.first = own < x.first ? own : x.first;
        x.last = own > x.last ? own : x.last;
    }
    return x;
}

/* Whether a part counts: a module divided over stages begins on its first and ends on its last stage; backward in
 * reverse. */
static bool of_stage(const struct stage_span *x, const struct whole_call *c, int own, enum row_io io)
{
    bool first = (io != IO_OUTPUT) == (c->phase == PHASE_FORWARD);
    return x->first == INT_MIN || own == (first ? x->first : x->last);
}

/* The row of that slot in the newest call, created if needed. slots: name → newest row. */
static uint32_t add_whole_row(struct whole_rows *r, struct map *slots, uint32_t call, const struct dump *d,
                              const struct row *row, uint32_t from)
{
    const char *slot = d->slots.v[row->slot];
    uint32_t known = map_get(slots, str_of(slot));
    if (known != MAP_NONE && known >= from)
        return known;
    struct whole_row x = {
        .call = call, .slot = slot, .io = row->io, .kind = row->kind, .dtype = row->dtype, .partner = NONE, .scale = 1};
    vec_push(&r->rows, x);
    map_set(slots, str_of(slot), (uint32_t)r->rows.n - 1);
    return (uint32_t)r->rows.n - 1;
}

/* A part with its coordinates, as parts are sorted: the innermost cut fastest. */
struct placed {
    int at[JOIN_STEPS];
    struct part_row part;
};
static const enum cut inside_out[JOIN_STEPS] = {CUT_TP, CUT_CP, CUT_MICRO, CUT_DP};

static int by_coordinates(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    for (int s = JOIN_STEPS - 1; s >= 0; s--)
        if (x->at[s] != y->at[s])
            return x->at[s] < y->at[s] ? -1 : 1;
    return x->part.rank != y->part.rank ? (x->part.rank < y->part.rank ? -1 : 1)
                                        : (x->part.row > y->part.row) - (x->part.row < y->part.row);
}

static int by_coordinate(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The number of different coordinates of the parts in one dimension. */
static uint32_t count_coordinates(const struct placed *v, size_t n, int s, int *room)
{
    uint32_t different = 0;
    for (size_t i = 0; i < n; i++)
        room[i] = v[i].at[s];
    qsort(room, n, sizeof *room, by_coordinate);
    for (size_t i = 0; i < n; i++)
        different += !i || room[i] != room[i - 1];
    return different;
}

/* Sorts the parts and sets the steps that join them: requires a full grid of coordinates, otherwise the row stays
 * open. */
static void lay_parts(const struct whole_rows *r, struct whole_row *x)
{
    size_t n = x->parts.n, product = 1;
    x->steps = 0;
    if (n < 2)
        return;
    struct placed *v = mem_alloc(n * sizeof *v);
    int *room = mem_alloc(n * sizeof *room);
    for (size_t i = 0; i < n; i++) {
        struct rank_place at = layout_place(r->calls->layout, part_dump(r, &x->parts.v[i])->rank);
        v[i].part = x->parts.v[i];
        for (int s = 0; s < JOIN_STEPS; s++)
            v[i].at[s] = inside_out[s] == CUT_MICRO ? (int)v[i].part.micro : at.at[inside_out[s]];
    }
    qsort(v, n, sizeof *v, by_coordinates);
    for (size_t i = 0; i < n; i++)
        x->parts.v[i] = v[i].part;
    for (int s = 0; s < JOIN_STEPS; s++) {
        uint32_t different = count_coordinates(v, n, s, room);
        if (different > 1)
            x->step[x->steps++] = (struct join_step){
                .by = inside_out[s], .how = JOIN_REPLICA, .axis = -1, .keys = -1, .n = different, .blocks = 1};
        product *= different;
    }
    x->open = product != n;
    free(v);
    free(room);
}

static void set_kind(const struct whole_rows *r, struct whole_row *x)
{
    const struct shape *first = NULL;
    for (size_t i = 0; i < x->parts.n; i++) {
        const struct part_row *p = &x->parts.v[i];
        const struct dump *d = &part_dump(r, p)->dump;
        const struct row *row = &d->rows.v[p->row];
        const struct shape *s = dump_row_shape(d, p->row);
        x->open |= row->kind != x->kind || row->dtype != x->dtype;
        if (x->kind != ROW_TENSOR)
            continue;
        if (!i)
            first = s;
        x->open |= !s || !first || s->ndim != first->ndim ||
                   (s->ndim && memcmp(s->dim, first->dim, (size_t)s->ndim * sizeof *s->dim) != 0);
    }
    if (!first)
        return;
    x->ndim = first->ndim;
    memcpy(x->shape, first->dim, (size_t)first->ndim * sizeof *first->dim);
}

void whole_rows_build(struct whole_rows *r, struct whole_calls *c)
{
    struct map slots = {0};
    *r = (struct whole_rows){.calls = c};
    r->first_of = mem_zalloc((c->calls.n + 1) * sizeof *r->first_of);
    for (size_t o = 0; o < c->order.n; o++) {
        uint32_t call = c->order.v[o], from = (uint32_t)r->rows.n;
        const struct whole_call *w = &c->calls.v[call];
        const struct stage_span span = stages_of(c, w);
        r->first_of[call] = from;
        for (size_t i = 0; i < w->parts.n; i++) {
            const struct part_call *p = &w->parts.v[i];
            const struct dump *d = &c->set->ranks.v[p->rank]->dump;
            int own = stage_of(c, p);
            EACH_ROW(d, p->call, row) {
                if (!of_stage(&span, w, own, (enum row_io)d->rows.v[row].io))
                    continue;
                uint32_t at = add_whole_row(r, &slots, call, d, &d->rows.v[row], from);
                struct part_row part = {.rank = p->rank, .micro = p->micro, .row = row, .error = NAN};
                vec_push(&r->rows.v[at].parts, part);
            }
        }
    }
    map_release(&slots);
    for (size_t i = 0; i < r->rows.n; i++) {
        lay_parts(r, &r->rows.v[i]);
        set_kind(r, &r->rows.v[i]);
    }
}

void whole_rows_release(struct whole_rows *r)
{
    for (size_t i = 0; i < r->rows.n; i++)
        vec_release(&r->rows.v[i].parts);
    vec_release(&r->rows);
    free(r->first_of);
    arena_release(&r->arena);
    *r = (struct whole_rows){0};
}
