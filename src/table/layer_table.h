/* The same call in all layers: one row per place in a layer, one column per layer, each cell with the worst verdict (of
 * paired rows, where there are any). Shows in which layer a deviation starts. */
#ifndef TABLE_LAYER_TABLE_H
#define TABLE_LAYER_TABLE_H

#include "compare/comparison.h"

struct layer_table_row {
    const char *text;   /* the place in the layer: "attention.wq", "Functional.mul #2" */
    uint8_t phase;      /* enum call_phase */
    float error;        /* the largest error of the row, NaN if there is none */
    uint32_t first_bad; /* column, or NONE */
    bool compared;      /* in some layer both sides have it */
};

struct layer_table {
    struct arena arena;
    VEC(struct layer_table_row) rows;
    uint32_t columns;   /* layers 0 … columns - 1 */
    uint8_t *verdict;   /* [row * columns + layer]; VERDICT_COUNT: no such call there */
    uint32_t *line;     /* the worst line of the cell, or NONE */
    size_t first;       /* the cell of the first deviation, or SIZE_MAX */
};

/* From the judgement of the comparison. */
void layer_table_build(struct layer_table *x, const struct comparison *s);
void layer_table_release(struct layer_table *x);

#endif
