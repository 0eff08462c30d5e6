/* The gradient that comes into a backward call is that of its forward call's result: the sum of what the uses of the
 * result return. Nothing records the summing, but what was summed is recorded or follows from what was: a use's
 * backward call returns it, or its formula gives it (a matmul of three axes records the gradient of a view instead). */
#ifndef ORACLE_GRADIENT_SUM_H
#define ORACLE_GRADIENT_SUM_H

#include "dump/dataflow.h"
#include "judge/summed_gradient.h"
#include "oracle/oracle_side.h"

/* The sum's distance from a row of a side, a gradient that comes in, in units of the bound of its additions, products
 * and casts, and the rows that were summed or multiplied for it; NAN: not every use is known with what it returns. */
double gradient_sum_residual(const struct oracle_side *s, const struct dataflow *flow, struct arena *a, uint32_t row,
                             struct summed_gradient *out);

#endif
