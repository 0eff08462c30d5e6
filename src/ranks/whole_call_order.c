/* Orders the whole calls: forward through the stages, backward, then the tail. */
#include "ranks/whole_call_parts.h"

#include <stdlib.h>

struct ordering {
    struct whole_calls *w;
    uint32_t first, last;
    bool *placed;
};

static void insert_after(struct ordering *o, uint32_t at, uint32_t call)
{
    struct whole_call *x = &o->w->calls.v[call];
    uint32_t *from = at == NONE ? &o->first : &o->w->calls.v[at].next;
    x->next = *from;
    *from = call;
    if (o->last == at)
        o->last = call;
    o->placed[call] = true;
}

static void take_out(struct ordering *o, uint32_t call)
{
    uint32_t before = NONE, at = o->first;
    while (at != NONE && at != call) {
        before = at;
        at = o->w->calls.v[at].next;
    }
    if (at == NONE)
        return;
    *(before == NONE ? &o->first : &o->w->calls.v[before].next) = o->w->calls.v[call].next;
    if (o->last == call)
        o->last = before;
}

/* Adds one rank's calls of a region, virtual stage and micro-batch; calls already in the order determine where the
 * next ones go, except that a module begun on an earlier stage ends here. */
static void order_stretch(struct ordering *o, uint32_t r, enum call_region region, uint32_t chunk, uint32_t micro,
                          uint16_t whole_chunk)
{
    const struct call_places *p = &o->w->places[r];
    uint32_t at = o->last;
    for (uint32_t c = 0; c < p->n; c++) {
        const struct call_place *x = &p->call[c];
        uint32_t call = o->w->of[r][c];
        struct whole_call *k = &o->w->calls.v[call];
        if (x->region != region || (region != IN_TAIL && (x->chunk != chunk || (x->micro != micro && !k->gradient))))
            continue;
        if (!o->placed[call]) {
            insert_after(o, at, call);
            k->chunk = whole_chunk;
        } else if (k->chunk != whole_chunk && region == IN_FORWARD) {
            take_out(o, call);
            insert_after(o, at == call ? o->last : at, call);
            k->chunk = whole_chunk;
        } else if (k->chunk != whole_chunk) {
            continue;
        }
        at = call;
    }
}

static void order_chunk(struct ordering *o, enum call_region region, uint32_t chunk)
{
    const struct whole_calls *w = o->w;
    int pp = w->layout->size[CUT_PP];
    for (size_t r = 0; r < w->set->ranks.n; r++) {
        struct rank_place at = layout_place(w->layout, w->set->ranks.v[r]->rank);
        if (at.at[CUT_PP] != (int)chunk % pp)
            continue;
        for (uint32_t i = 0; i < w->places[r].micros; i++) {
            uint32_t micro = region == IN_BACKWARD ? w->places[r].micros - 1 - i : i;
            order_stretch(o, (uint32_t)r, region, chunk / (uint32_t)pp, micro, (uint16_t)chunk);
        }
    }
}

void whole_calls_order(struct whole_calls *w, uint32_t chunks)
{
    struct ordering o = {.w = w, .first = NONE, .last = NONE, .placed = mem_zalloc(w->calls.n + 1)};
    for (uint32_t k = 0; k < chunks; k++)
        order_chunk(&o, IN_FORWARD, k);
    for (uint32_t k = chunks; k-- > 0; )
        order_chunk(&o, IN_BACKWARD, k);
    for (size_t r = 0; r < w->set->ranks.n; r++)
        order_stretch(&o, (uint32_t)r, IN_TAIL, 0, 0, 0);
    for (uint32_t c = o.first; c != NONE; c = w->calls.v[c].next) {
        w->calls.v[c].order = (uint32_t)w->order.n;
        vec_push(&w->order, c);
    }
    free(o.placed);
}
