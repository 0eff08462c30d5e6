/* Equal values in a window of max pooling: which of them gets the gradient is the kernel's choice. */
#ifndef JUDGE_POOL_TIES_H
#define JUDGE_POOL_TIES_H

#include "measure/measure.h"

/* Gradients t and g of n values, `seen` by the pooling on one side, a channel's `plane` values after the other. True
 * where they differ by more than `limit` of the largest only in places whose values are equal, of one channel, and no
 * sum over such places differs: the gradient went to another of them. */
bool pool_ties_of(const double *t, const double *g, const double *seen, size_t n, size_t plane, double limit);
/* The same of a line that holds what a max pooling's backward calls put out; tensors are read. */
bool pool_ties_explain(const struct measure *m, uint32_t line, double limit);

#endif
