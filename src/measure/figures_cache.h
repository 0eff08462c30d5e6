/* Figures of two tensors in the cache: what a record contains and when it is valid. */
#ifndef MEASURE_FIGURES_CACHE_H
#define MEASURE_FIGURES_CACHE_H

#include "measure/cache_file.h"
#include "pair/view.h"
#include "num/figures.h"

/* The records of two dumps; NULL with folder NULL. */
struct cache *figures_cache_open(const char *folder, const char *const dump[2]);

struct figures_cache {
    struct cache *cache; /* NULL: no caching */
    struct cache_key key;
};

/* Sets the key for these two tensors, compared through `given`, or if that is NULL through the view to be found. */
void figures_cache_start(struct figures_cache *r, struct cache *c, const struct tensor t[2], const struct view *given);
/* False: not cached. */
bool figures_cache_get(struct figures_cache *r, struct figures *f, struct view *v, bool *viewed);
void figures_cache_keep(struct figures_cache *r, const struct figures *f, const struct view *v, bool viewed);

#endif
