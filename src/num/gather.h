/* For tensor.c: elements whose logical order is not their storage order, gathered a box at a time. */
#ifndef NUM_GATHER_H
#define NUM_GATHER_H

#include "num/tensor.h"

/* Logically contiguous elements in memory, `bytes` in logical order. */
struct walk_slab {
    unsigned char *bytes;
    size_t room;
    uint64_t at, n;
};

/* Whether boxes pay: not where neighbours in storage lie far apart. */
bool gather_pays(const struct tensor_walk *w);
/* Fills the walk's slab with elements among which is number `at`. */
int gather_fill(struct tensor_walk *w, uint64_t at, struct err *e);

#endif
