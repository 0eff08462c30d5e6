/* Plans the next dump: step and rank, calls, tensors or statistics, and its size. */
#ifndef PANEL_NEXT_DUMP_H
#define PANEL_NEXT_DUMP_H

#include "panel/procedure.h"
#include "panel/recipe.h"

#define DUMP_BUDGET 20000000000ull /* default limit in bytes per side */

struct next_dump {
    struct arena arena;
    struct recipe_facts facts;
    uint64_t bytes[2];   /* estimate for each side; 0: no basis for an estimate */
    uint64_t whole[2];   /* for all rows as tensors */
    size_t calls[2];     /* number of named calls; 0: all */
    VEC(const char *) words; /* sentences: reasons and warnings */
};

/* Starts from the first deviation of the dumps, otherwise from the curves. step -1: as found. Called with the lock
 * held. */
void next_dump_plan(struct next_dump *n, const struct procedure *g, int64_t step, uint64_t budget);
void next_dump_release(struct next_dump *n);

/* Whether a recipe is for the framework of a side: that of its recording; without one, the target is MindSpore's and
 * the golden side PyTorch's. */
bool recipe_fits(const struct procedure *g, const struct recipe *r, int side);
/* The side whose facts a recipe is filled with. */
int recipe_side(const struct procedure *g, const struct recipe *r);

#endif
