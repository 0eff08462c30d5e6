/* Which forward inputs read a call's results: what the gradient of a call depends on. */
#ifndef JUDGE_FORWARD_USES_H
#define JUDGE_FORWARD_USES_H

#include "dump/dataflow.h"

/* Lists of the forward input rows that use a call's results. */
struct forward_uses {
    uint32_t *first; /* per call: a row, or NONE */
    uint32_t *next;  /* per row: the next of the same call, or NONE */
};

void forward_uses_find(struct forward_uses *u, const struct dump *d, const struct dataflow *flow);
void forward_uses_release(struct forward_uses *u);

#endif
