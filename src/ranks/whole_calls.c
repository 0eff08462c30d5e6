/* Joins the calls of all ranks and micro-batches. */
#include "ranks/whole_call_parts.h"

#include <stdlib.h>

/* Number of layers of every stage, from one rank of it. */
static void count_stage_layers(const struct whole_calls *w, uint32_t *layers, uint32_t chunks)
{
    for (size_t r = 0; r < w->set->ranks.n; r++) {
        struct rank_place at = layout_place(w->layout, w->set->ranks.v[r]->rank);
        for (uint32_t k = 0; k < w->places[r].chunks; k++) {
            uint32_t chunk = k * (uint32_t)w->layout->size[CUT_PP] + (uint32_t)at.at[CUT_PP];
            if (chunk < chunks && w->places[r].layers[k] > layers[chunk])
                layers[chunk] = w->places[r].layers[k];
        }
    }
}

static void number_alike(struct whole_calls *w)
{
    for (uint32_t i = (uint32_t)w->calls.n; i-- > 0; ) {
        struct whole_call *x = &w->calls.v[i];
        x->alike = map_get(&w->likes, str_of(x->like));
        if (x->alike == MAP_NONE) {
            x->alike = (uint32_t)w->first_alike.n;
            map_add(&w->likes, str_of(x->like), x->alike);
            vec_push(&w->first_alike, NONE);
        }
        x->next_alike = w->first_alike.v[x->alike];
        w->first_alike.v[x->alike] = i;
    }
}

static int by_rank_and_micro(const void *a, const void *b)
{
    const struct part_call *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->micro > y->micro) - (x->micro < y->micro);
}

static void set_parents(struct whole_calls *w)
{
    for (size_t i = 0; i < w->calls.n; i++) {
        struct whole_call *x = &w->calls.v[i];
        vec_sort(&x->parts, by_rank_and_micro);
        const struct part_call *p = &x->parts.v[0];
        uint32_t parent = w->set->ranks.v[p->rank]->dump.calls.v[p->call].parent;
        if (parent != NONE)
            x->parent = w->of[p->rank][parent];
    }
}

void whole_calls_build(struct whole_calls *w, const struct rank_set *set, const struct layout *layout)
{
    *w = (struct whole_calls){.set = set, .layout = layout};
    size_t n = set->ranks.n;
    uint32_t chunks = (uint32_t)layout->size[CUT_PP];
    w->places = mem_zalloc((n + 1) * sizeof *w->places);
    w->of = mem_zalloc((n + 1) * sizeof *w->of);
    for (size_t r = 0; r < n; r++) {
        call_places_find(&w->places[r], &set->ranks.v[r]->dump);
        if (w->places[r].chunks * (uint32_t)layout->size[CUT_PP] > chunks)
            chunks = w->places[r].chunks * (uint32_t)layout->size[CUT_PP];
    }
    uint32_t *layers = mem_zalloc((chunks + 1) * sizeof *layers);
    count_stage_layers(w, layers, chunks);
    for (size_t r = 0; r < n; r++)
        whole_calls_name(w, (uint32_t)r, layers, chunks);
    whole_calls_order(w, chunks);
    set_parents(w);
    number_alike(w);
    free(layers);
}

void whole_calls_release(struct whole_calls *w)
{
    for (size_t i = 0; w->set && i < w->set->ranks.n; i++) {
        call_places_release(&w->places[i]);
        free(w->of[i]);
    }
    for (size_t i = 0; i < w->calls.n; i++)
        vec_release(&w->calls.v[i].parts);
    free(w->places);
    free(w->of);
    vec_release(&w->calls);
    vec_release(&w->order);
    for (size_t i = 0; i < w->made_in.n; i++)
        vec_release(&w->made_in.v[i].calls);
    vec_release(&w->made_in);
    map_release(&w->made_in_names);
    map_release(&w->keys);
    map_release(&w->likes);
    vec_release(&w->first_alike);
    arena_release(&w->arena);
    *w = (struct whole_calls){0};
}
