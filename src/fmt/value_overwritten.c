/* Finds by equal values which outputs of modules that pass values on are of a later call than their place says. */
#include "fmt/value_overwritten.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#define SAMPLE 1024 /* elements compared */

static bool passes_on(struct str name)
{
    static const char *const words[] = {"dropout", "drop_path", "identity"};
    ptrdiff_t dot = str_rfind(name, '.');
    struct str last = dot < 0 ? name : str_cut(name, (size_t)dot + 1);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ihas(last, words[i]))
            return true;
    return false;
}

/* Of a tensor's shape and first elements; 0: not known. */
static uint64_t hash_of(const struct weights *w, const struct weight *x)
{
    char v[SAMPLE * sizeof(double)];
    struct tensor t;
    struct tensor_walk walk;
    struct err quiet;
    if (x->problem || x->pieces != 1 || w->pieces.v[x->piece].member ||
        weights_sample(w, (uint32_t)(x - w->list.v), &t, &quiet))
        return 0;
    memset(v, 0, sizeof v);
    tensor_walk_init(&walk, &t);
    long n = tensor_walk_next(&walk, v, SAMPLE, &quiet);
    tensor_walk_release(&walk);
    tensor_close(&t);
    uint64_t h = hash_bytes(x->shape, (size_t)x->ndim * sizeof *x->shape, x->dtype);
    return n > 1 ? hash_bytes(v, sizeof v, h) | 1 : 0;
}

void value_overwritten_move(const struct weights *w, const struct weight **order, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n && !any; i++)
        any = passes_on(order[i]->name);
    if (!any)
        return;
    uint64_t *hash = mem_resize_array(NULL, n, sizeof *hash);
    struct nmap first = {0}, last = {0};
    for (size_t i = 0; i < n; i++) {
        hash[i] = hash_of(w, order[i]);
        if (!hash[i])
            continue;
        nmap_add(&first, hash[i], (uint32_t)i);
        if (!passes_on(order[i]->name))
            nmap_set(&last, hash[i], (uint32_t)i);
    }
    /* from the end, so that the places found hold for those that are left */
    for (size_t i = n; i-- > 0;) {
        uint32_t to = hash[i] ? nmap_get(&last, hash[i]) : MAP_NONE;
        if (!passes_on(order[i]->name) || to == MAP_NONE || to <= i || nmap_get(&first, hash[i]) != i)
            continue;
        const struct weight *moved = order[i];
        memmove(order + i, order + i + 1, (to - i) * sizeof *order);
        order[to] = moved;
    }
    nmap_release(&first);
    nmap_release(&last);
    free(hash);
}
