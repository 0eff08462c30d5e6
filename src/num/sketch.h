/* A tensor in a few numbers from which the distance of two tensors can be told: sums of all elements, each time with
 * other signs, chosen by the element's place alone. Of two tensors of one shape the mean square of the differences of
 * these sums is the squared distance, with a relative standard deviation of sqrt(2 / SKETCH_SUMS) (Alon, Matias,
 * Szegedy 1996): a distance is known to within a fifth, mostly, and equal tensors have equal sums. */
#ifndef NUM_SKETCH_H
#define NUM_SKETCH_H

#include "num/tensor.h"

#define SKETCH_SUMS 16
#define SKETCH_NORM SKETCH_SUMS        /* then the norm of what was added up */
#define SKETCH_FILLS (SKETCH_SUMS + 1) /* and how many elements were left out, as a mask's fill */
#define SKETCH_NUMBERS (SKETCH_SUMS + 2)
#define SKETCH_PRECISION 1e-12 /* relative distances below it are the rounding of the sums */

/* Reads the whole tensor. fill: elements up to this one are a mask's, which would outweigh all others; NaN: none is.
 * The first number is NaN where another element is not finite, or the type has no order (complex). */
int sketch_tensor(const struct tensor *t, double fill, double out[SKETCH_NUMBERS], struct err *e);
/* Of n elements from the place `from` on: added to sum. */
void sketch_add(const double *x, uint64_t from, size_t n, double sum[SKETCH_SUMS]);
/* Relative distance of two tensors of one shape; NaN where a sketch is missing or fills are not as many, 0 where they
 * are equal. */
double sketch_distance(const double *a, const double *b);

#endif
