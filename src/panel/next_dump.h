/* The next dump: which step and rank, which calls, as tensors or statistics, and how large it becomes. */
#ifndef PANEL_NEXT_DUMP_H
#define PANEL_NEXT_DUMP_H

#include "panel/procedure.h"
#include "panel/recipe.h"

#define DUMP_BUDGET 20000000000ull /* bytes a side, where nobody says otherwise */

struct next_dump {
    struct arena arena;
    struct recipe_facts facts;
    uint64_t bytes[2];   /* estimated of each side; 0: nothing to estimate by */
    uint64_t whole[2];   /* of all rows as tensors */
    size_t calls[2];     /* named; 0: all */
    VEC(const char *) words; /* why this, what to mind: sentences */
};

/* From the first deviation where the dumps have one, else from what the curves say. step -1: as found. Lock held. */
void next_dump_plan(struct next_dump *n, const struct procedure *g, int64_t step, uint64_t budget);
void next_dump_release(struct next_dump *n);

#endif
