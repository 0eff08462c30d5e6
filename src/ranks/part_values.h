/* Rows of ranks as numbers in memory, for what is computed over several ranks. */
#ifndef RANKS_PART_VALUES_H
#define RANKS_PART_VALUES_H

#include "dump/dump.h"

#define PART_VALUES_MOST (1u << 24) /* elements; larger tensors are not held */

/* All elements, row-major; the caller's to free. NULL where there is no file, it cannot be read, or it is too large. */
double *part_values(const struct dump *d, uint32_t row, uint64_t *numel);
/* Norm of the difference over the norm of b; what is not finite counts as 0. 0 where they are equal. */
double part_distance(const double *a, const double *b, uint64_t n);
/* As far as what is recorded tells: checksum, or max, min, mean and norm. */
bool part_same_figures(const struct row *a, const struct row *b);

#endif
