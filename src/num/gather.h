/* Used by tensor.c: gathers elements whose logical order is not their storage order, one box at a time. */
#ifndef NUM_GATHER_H
#define NUM_GATHER_H

#include "num/tensor.h"

/* Logically contiguous elements in memory, `bytes` in logical order. */
struct walk_slab {
    unsigned char *bytes;
    size_t room;
    uint64_t at, n;
};

/* Whether gathering boxes is faster: not if neighbours in storage are far apart logically. */
bool gather_pays(const struct tensor_walk *w);
/* Fills the walk's slab with a range of elements that contains element `at`. */
int gather_fill(struct tensor_walk *w, uint64_t at, struct err *e);

#endif
