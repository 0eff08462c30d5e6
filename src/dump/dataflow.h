/* For each row, the earlier row of the same side that already held its value: the data flow as far as recorded
 * figures show it. Same element count, same extremes and equal norms: the same value or a view of it. Rows without
 * recorded figures have no known origin. */
#ifndef DUMP_DATAFLOW_H
#define DUMP_DATAFLOW_H

#include "dump/dump.h"

/* One value may be recorded very often: it is followed back over so many rows that hold it. */
#define HELD_STEPS 64

struct dataflow {
    uint32_t *held;   /* per row: the latest earlier row, of another call, that holds the value; or NONE */
    uint8_t *known;   /* per row: whether its figures suffice for that */
    /* per row: the value is used by several calls, layers apart, and is not an output of one of them (a table, a
     * mask) */
    uint8_t *recurs;
    /* per row: an input that nothing made, later recorded as a parameter: inner calls read it, the module's own record
     * comes behind */
    uint8_t *weight;
    /* per call: a product in the backward pass whose result only sums read; in a graph dump, the gradient of a weight
     */
    uint8_t *weight_gradient;
    uint32_t *layer;  /* per call: layer number in its scope ("layers.3.mlp" → 3), or NONE */
};

void dataflow_build(struct dataflow *f, const struct dump *d);
void dataflow_release(struct dataflow *f);
/* The earliest row that a row's value is known to have been held by: itself, if none is. */
uint32_t dataflow_first(const struct dataflow *f, uint32_t row);
/* The output of an earlier call whose value a row holds; NONE if unknown. */
uint32_t dataflow_maker(const struct dataflow *f, const struct dump *d, uint32_t row);
/* Whether a recorded call made the value that a row holds: not one that read it first, as an optimizer reads or copies
 * a weight before a product does. */
bool dataflow_is_made(const struct dataflow *f, const struct dump *d, uint32_t row);
/* The first number that is a whole component of a module path; NONE if there is none. */
uint32_t scope_layer(const char *scope);

#endif
