/* The same call in all layers: one row per place in a layer, one column per layer, each cell with the cause of its
 * worst line: one that starts a deviation before all others, and paired ones before those without a partner. Places
 * that only hand values on and that one side alone has are left out. */
#ifndef TABLE_LAYER_TABLE_H
#define TABLE_LAYER_TABLE_H

#include "compare/comparison.h"

struct layer_table_row {
    const char *text;   /* the place in the layer: "attention.wq", "Functional.mul #2" */
    uint8_t phase;      /* enum call_phase */
    float error;        /* the largest error of the row, NaN if there is none */
    uint32_t starts;    /* the first column in which a deviation starts, or NONE */
    uint32_t inherits;  /* the first in which one is inherited, or NONE */
    bool compared;      /* in some layer both sides have it */
    bool hands_on;      /* a view, a cast or a copy */
};

struct layer_table {
    struct arena arena;
    VEC(struct layer_table_row) rows;
    uint32_t columns;   /* layers 0 … columns - 1 */
    uint32_t *line;     /* [row * columns + layer]: the worst line of the cell; NONE: no such call there */
    size_t first;       /* the cell of the first deviation, or SIZE_MAX */
};

/* From the judgement of the comparison. */
void layer_table_build(struct layer_table *x, const struct comparison *s);
void layer_table_release(struct layer_table *x);

#endif
