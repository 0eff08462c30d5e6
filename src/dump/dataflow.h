/* Which earlier row of the same side a row's value already stood in: the data flow as far as recorded
 * figures show it. Same element count, same extremes, norms that agree: the value itself or a view of
 * it. Rows without recorded figures have no known origin. */
#ifndef DUMP_DATAFLOW_H
#define DUMP_DATAFLOW_H

#include "dump/dump.h"

struct dataflow {
    uint32_t *held;   /* per row: the latest earlier row, of another call, that holds the value; or NONE */
    uint8_t *known;   /* per row: whether its figures suffice to say so */
    /* per row: the value is used by several calls, layers apart, and not what one of them put out (a table, a mask) */
    uint8_t *recurs;
    uint8_t *weight_gradient; /* per call: a product of the backward pass whose result nothing in it reads but
                               * sums: of a graph dump, the gradient of a weight */
    uint32_t *layer;  /* per call: number in its scope ("layers.3.mlp" → 3), or NONE */
};

void dataflow_build(struct dataflow *f, const struct dump *d);
void dataflow_release(struct dataflow *f);
/* The first number that is a whole component of a module path; NONE when there is none. */
uint32_t scope_layer(const char *scope);

#endif
