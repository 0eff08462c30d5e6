/* Maps layer numbers of the target to the golden side's: one package counts activations as layers, another does not
 * (features.9 is features.11 there). Both runs start with the same weights, which show the mapping whatever happens
 * to the results. */
#include "pair/sequence_parts.h"

#include <stdlib.h>

#define LAYERS_MOST 4096   /* larger numbers are not layers */
#define SEVERAL (NONE - 1) /* several modules hold it */

/* A hash of a weight's extremes; 0: not distinctive. Both sides print them, some with few digits. */
static uint64_t weight_key(const struct dump *d, uint32_t row)
{
    struct fingerprint f = fingerprint_of(d, row);
    uint64_t numel = dump_row_numel(d, row);
    float v[2] = {f.max, f.min};
    uint32_t bits[2];
    if ((f.has & 3) != 3 || f.max == f.min || numel < 2)
        return 0;
    memcpy(bits, v, sizeof v);
    uint64_t key[3] = {(bits[0] + 0x80) >> 8, (bits[1] + 0x80) >> 8, numel};
    uint64_t h = hash_bytes(key, sizeof key, 17);
    return h ? h : 1;
}

/* Key of a parameter → the layer of the only module that holds it, or SEVERAL. */
static void index_weights(const struct sequence *w, int s, struct nmap *layer_of)
{
    const align_item_list *l = &w->items[PHASE_FORWARD][ITEMS_MODULES][s];
    for (size_t i = 0; i < l->n; i++)
        EACH_EARLY_ROW(w->d[s], l->v[i].call, r) {
            const struct row *row = &w->d[s]->rows.v[r];
            uint64_t key = row->io == IO_PARAMETER && row->kind == ROW_TENSOR ? weight_key(w->d[s], r) : 0;
            uint32_t layer = l->v[i].layer >= 0 && l->v[i].layer < LAYERS_MOST ? (uint32_t)l->v[i].layer : SEVERAL;
            if (key)
                nmap_set(layer_of, key, nmap_get(layer_of, key) == MAP_NONE ? layer : SEVERAL);
        }
}

/* For each target layer the golden number of most of its weights, -1 if unknown. False: no difference was found. */
static bool vote_layers(const struct sequence *w, int32_t to[LAYERS_MOST])
{
    struct nmap layer_of[2] = {{0}, {0}}, count = {0};
    uint32_t *most = mem_zalloc(LAYERS_MOST * sizeof *most);
    bool moved = false;
    for (int s = 0; s < 2; s++)
        index_weights(w, s, &layer_of[s]);
    for (size_t i = 0; i < layer_of[0].cap; i++) {
        const struct nmap_slot *x = &layer_of[0].slots[i];
        uint32_t t = x->used ? x->value : NONE, g = x->used ? nmap_get(&layer_of[1], x->key) : NONE;
        if (t >= SEVERAL || g >= SEVERAL)
            continue;
        uint64_t key = (uint64_t)t << 32 | g;
        uint32_t n = nmap_get(&count, key);
        n = n == MAP_NONE ? 1 : n + 1;
        nmap_set(&count, key, n);
        if (n > most[t] || (n == most[t] && g == t)) { /* prefer the same number if equal */
            most[t] = n;
            to[t] = (int32_t)g;
        }
    }
    for (int32_t t = 0; t < LAYERS_MOST; t++)
        moved = moved || (to[t] >= 0 && to[t] != t);
    free(most);
    nmap_release(&count);
    for (int s = 0; s < 2; s++)
        nmap_release(&layer_of[s]);
    return moved;
}

/* The number of a layer without weights, if its neighbours have the same offset. */
static int32_t moved_layer(const int32_t to[LAYERS_MOST], int32_t layer)
{
    int32_t before = layer, behind = layer;
    if (to[layer] >= 0)
        return to[layer];
    while (before >= 0 && to[before] < 0)
        before--;
    while (behind < LAYERS_MOST && to[behind] < 0)
        behind++;
    bool both = before >= 0 && behind < LAYERS_MOST;
    return both && to[before] - before == to[behind] - behind ? layer + to[before] - before : -1;
}

void sequence_learn_layers(struct sequence *w)
{
    int32_t *to = mem_alloc(LAYERS_MOST * sizeof *to);
    memset(to, 0xff, LAYERS_MOST * sizeof *to);
    if (vote_layers(w, to))
        for (int phase = 0; phase < PHASE_COUNT; phase++)
            for (int klass = 0; klass < 3; klass++) {
                align_item_list *l = &w->items[phase][klass][TARGET];
                for (size_t i = 0; i < l->n; i++)
                    if (l->v[i].layer >= 0)
                        l->v[i].layer = l->v[i].layer < LAYERS_MOST ? moved_layer(to, l->v[i].layer) : -1;
            }
    free(to);
}
