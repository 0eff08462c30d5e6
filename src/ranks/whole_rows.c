/* The rows of the whole job: of each call the slots of all its parts. */
#include "ranks/shard_join.h"

#include <math.h>
#include <stdlib.h>

const struct rank_dump *part_dump(const struct whole_rows *r, const struct part_row *p)
{
    return r->calls->set->ranks.v[p->rank];
}

/* A module that is cut over stages begins on its first and ends on its last; backward the other way round. */
static bool of_stage(const struct whole_calls *w, const struct whole_call *c, const struct part_call *p, enum row_io io)
{
    if (c->kind != CALL_MODULE || c->gradient || w->layout->size[CUT_PP] * w->layout->vpp == 1)
        return true;
    bool first = (io != IO_OUTPUT) == (c->phase == PHASE_FORWARD);
    const struct whole_call *x = c;
    for (size_t i = 0; i < x->parts.n; i++) {
        const struct part_call *q = &x->parts.v[i];
        const struct layout *l = w->layout;
        int a = layout_place(l, w->set->ranks.v[p->rank]->rank).at[CUT_PP] + w->places[p->rank].call[p->call].chunk * l->size[CUT_PP];
        int b = layout_place(l, w->set->ranks.v[q->rank]->rank).at[CUT_PP] + w->places[q->rank].call[q->call].chunk * l->size[CUT_PP];
        if (first ? b < a : b > a)
            return false;
    }
    return true;
}

static uint32_t add_row(struct whole_rows *r, uint32_t call, const struct dump *d, const struct row *row, uint32_t from)
{
    const char *slot = d->slots.v[row->slot];
    for (size_t i = from; i < r->rows.n; i++)
        if (strcmp(r->rows.v[i].slot, slot) == 0)
            return (uint32_t)i;
    struct whole_row x = {.call = call, .slot = slot, .io = row->io, .kind = row->kind, .dtype = row->dtype, .partner = NONE, .scale = 1};
    vec_push(&r->rows, x);
    return (uint32_t)r->rows.n - 1;
}

/* Coordinates as one number, the innermost cut fastest. */
static uint64_t place_number(const struct whole_rows *r, const struct part_row *p)
{
    const struct layout *l = r->calls->layout;
    struct rank_place at = layout_place(l, part_dump(r, p)->rank);
    uint64_t n = (uint64_t)at.at[CUT_DP];
    n = n * 100000 + p->micro;
    n = n * (uint64_t)l->size[CUT_CP] + (uint64_t)at.at[CUT_CP];
    return n * (uint64_t)l->size[CUT_TP] + (uint64_t)at.at[CUT_TP];
}

static void sort_parts(const struct whole_rows *r, struct whole_row *x)
{
    for (size_t i = 1; i < x->parts.n; i++) /* nearly sorted: by rank, then micro-batch */
        for (size_t k = i; k > 0 && place_number(r, &x->parts.v[k]) < place_number(r, &x->parts.v[k - 1]); k--) {
            struct part_row swap = x->parts.v[k];
            x->parts.v[k] = x->parts.v[k - 1];
            x->parts.v[k - 1] = swap;
        }
}

static int coordinate(const struct whole_rows *r, const struct part_row *p, enum cut c)
{
    return c == CUT_MICRO ? (int)p->micro : layout_place(r->calls->layout, part_dump(r, p)->rank).at[c];
}

/* How many different coordinates the parts have in each cut: a full grid, or the row stays open. */
static void set_steps(const struct whole_rows *r, struct whole_row *x)
{
    static const enum cut inside_out[JOIN_STEPS] = {CUT_TP, CUT_CP, CUT_MICRO, CUT_DP};
    size_t product = 1;
    x->steps = 0;
    for (int s = 0; s < JOIN_STEPS; s++) {
        uint32_t n = 0;
        for (size_t i = 0; i < x->parts.n; i++) {
            bool fresh = true;
            for (size_t k = 0; k < i && fresh; k++)
                fresh = coordinate(r, &x->parts.v[k], inside_out[s]) != coordinate(r, &x->parts.v[i], inside_out[s]);
            n += fresh;
        }
        if (n > 1)
            x->step[x->steps++] = (struct join_step){.by = inside_out[s], .how = JOIN_REPLICA, .axis = -1, .keys = -1, .n = n, .blocks = 1};
        product *= n ? n : 1;
    }
    x->open = product != x->parts.n;
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
        x->open |= !s || !first || s->ndim != first->ndim || memcmp(s->dim, first->dim, (size_t)s->ndim * sizeof *s->dim) != 0;
    }
    if (!first)
        return;
    x->ndim = first->ndim;
    memcpy(x->shape, first->dim, (size_t)first->ndim * sizeof *first->dim);
}

void whole_rows_build(struct whole_rows *r, struct whole_calls *c)
{
    *r = (struct whole_rows){.calls = c};
    r->first_of = mem_zalloc((c->calls.n + 1) * sizeof *r->first_of);
    for (size_t o = 0; o < c->order.n; o++) {
        uint32_t call = c->order.v[o], from = (uint32_t)r->rows.n;
        const struct whole_call *w = &c->calls.v[call];
        r->first_of[call] = from;
        for (size_t i = 0; i < w->parts.n; i++) {
            const struct part_call *p = &w->parts.v[i];
            const struct dump *d = &c->set->ranks.v[p->rank]->dump;
            EACH_ROW(d, p->call, row) {
                if (!of_stage(c, w, p, (enum row_io)d->rows.v[row].io))
                    continue;
                uint32_t at = add_row(r, call, d, &d->rows.v[row], from);
                struct part_row part = {.rank = p->rank, .micro = p->micro, .row = row, .error = NAN};
                vec_push(&r->rows.v[at].parts, part);
            }
        }
    }
    for (size_t i = 0; i < r->rows.n; i++) {
        sort_parts(r, &r->rows.v[i]);
        set_steps(r, &r->rows.v[i]);
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
