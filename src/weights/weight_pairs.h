/* Pairs the weights of both sides before any value is read. */
#ifndef WEIGHTS_WEIGHT_PAIRS_H
#define WEIGHTS_WEIGHT_PAIRS_H

#include "weights/weight_compare.h"

/* Fills pairs, only and aside of c, whose sides are listed already. */
int weight_pairs_plan(struct weight_compare *c, struct err *e);

#endif
