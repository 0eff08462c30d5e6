/* Rows of ranks as numbers in memory, for what is computed over several ranks. */
#ifndef RANKS_PART_VALUES_H
#define RANKS_PART_VALUES_H

#include "dump/dump.h"

#define PART_VALUES_MOST (1u << 24) /* elements; larger tensors are not held */

/* All elements, row-major; the caller's to free. NULL where there is no file, it cannot be read, or it is too large. */
double *part_values(const struct dump *d, uint32_t row, uint64_t *numel);
/* The same of a tensor that is open; closes it. */
double *part_tensor_values(struct tensor *t, uint64_t *numel);
/* Norm of the difference over the norm of b: 0 where they are equal, infinite where an element of one is not finite and
 * that of the other is not the same. */
double part_distance(const double *a, const double *b, uint64_t n);
/* The same of what is finite; the rest counts as 0. */
double part_distance_finite(const double *a, const double *b, uint64_t n);
/* Elements that are not finite in one of the two and not the same in the other. */
uint64_t part_other_nonfinite(const double *a, const double *b, uint64_t n);
/* As far as what is recorded tells: checksum, or max, min, mean and norm. */
bool part_same_figures(const struct row *a, const struct row *b);

#endif
