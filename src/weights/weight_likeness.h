/* For weight_pairs.c: weights that names and rules leave alone, of one model whose names differ by index, prefix or
 * class. */
#ifndef WEIGHTS_WEIGHT_LIKENESS_H
#define WEIGHTS_WEIGHT_LIKENESS_H

#include "weights/weight_compare.h"

/* Pairs what is not `done` (a flag a weight, a side each) by equal values, by the names those teach, and by the order
 * in the files where kinds and shapes leave no choice; then sets aside, with a warning each, what holds the values of
 * a paired weight of its own side. Values never overrule names they contradict: exchanged weights are paired as they
 * are named. */
void weights_by_likeness(struct weight_compare *c, bool *done[2]);

#endif
