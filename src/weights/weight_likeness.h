/* For weight_pairs.c: pairs weights of one model whose names differ by index, prefix or class, and that names and
 * rules have not paired. */
#ifndef WEIGHTS_WEIGHT_LIKENESS_H
#define WEIGHTS_WEIGHT_LIKENESS_H

#include "weights/weight_compare.h"

/* Pairs weights that are not `done` (one flag per weight and side) by equal values, by the name patterns found that
 * way, and by file order if kinds and shapes leave one possibility; then sets aside, with a warning, weights equal to
 * a paired weight of their own side. Values never override names: exchanged weights are paired by name. */
void weights_by_likeness(struct weight_compare *c, bool *done[2]);

#endif
