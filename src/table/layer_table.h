/* The same call over all layers: a row for each place in a layer, a column for each layer, in a cell
 * the worst verdict there. It shows in which layer something starts. */
#ifndef TABLE_LAYER_TABLE_H
#define TABLE_LAYER_TABLE_H

#include "compare/comparison.h"

struct layer_table_row {
    const char *text;   /* the place: "attention.wq", "Functional.mul #2" */
    uint8_t phase;      /* enum call_phase */
    float error;        /* the worst of the row, NaN when there is none */
    uint32_t first_bad; /* column, or NONE */
};

struct layer_table {
    struct arena arena;
    VEC(struct layer_table_row) rows;
    uint32_t columns;   /* layers 0 … columns - 1 */
    uint8_t *verdict;   /* [row * columns + layer]; VERDICT_COUNT: no such call there */
    uint32_t *line;     /* the worst line of the cell, or NONE */
};

/* From the judgement of the comparison. */
void layer_table_build(struct layer_table *x, const struct comparison *s);
void layer_table_release(struct layer_table *x);

#endif
