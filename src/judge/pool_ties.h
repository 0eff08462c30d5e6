/* Equal values in a window of max pooling: which of them receives the gradient is the kernel's choice. */
#ifndef JUDGE_POOL_TIES_H
#define JUDGE_POOL_TIES_H

#include "measure/measure.h"

/* Gradients t and g of n values, `seen` the pooling's inputs on one side, channels of `plane` values one after the
 * other. True if t and g differ by more than `limit` of the largest only at places of one channel with equal inputs,
 * and the sums over such places agree: the gradient went to another of them. */
bool pool_ties_of(const double *t, const double *g, const double *seen, size_t n, size_t plane, double limit);
/* The same for a line with outputs of max pooling's backward calls; reads tensors. */
bool pool_ties_explain(const struct measure *m, uint32_t line, double limit);

#endif
