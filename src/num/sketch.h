/* A tensor reduced to a few numbers that give the distance of two tensors: sums of all elements with pseudorandom
 * signs that depend only on the element's index. For two tensors of one shape the mean square of the differences of
 * these sums estimates the squared distance, with a relative standard deviation of sqrt(2 / SKETCH_SUMS) (Alon,
 * Matias, Szegedy 1996): the distance is usually known to within a fifth, and equal tensors have equal sums. */
#ifndef NUM_SKETCH_H
#define NUM_SKETCH_H

#include "num/tensor.h"

#define SKETCH_SUMS 16
#define SKETCH_NORM SKETCH_SUMS        /* index of the norm of the elements that were added up */
#define SKETCH_FILLS (SKETCH_SUMS + 1) /* index of the number of elements left out as mask fills */
#define SKETCH_NUMBERS (SKETCH_SUMS + 2)
#define SKETCH_PRECISION 1e-12 /* smaller relative distances are rounding of the sums */

/* Reads the whole tensor. fill: elements up to this value are mask fills, which would outweigh all others; NaN: there
 * are none. The first number is NaN if another element is not finite or the type is complex. */
int sketch_tensor(const struct tensor *t, double fill, double out[SKETCH_NUMBERS], struct err *e);
/* Adds n elements, the first at index `from`, to sum. */
void sketch_add(const double *x, uint64_t from, size_t n, double sum[SKETCH_SUMS]);
/* Relative distance of two tensors of one shape; NaN if a sketch is missing or the numbers of fills differ, 0 if they
 * are equal. */
double sketch_distance(const double *a, const double *b);

#endif
