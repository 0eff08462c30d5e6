/* The pairs of two checkpoints for the table: rows of weights whose names differ are paired as the comparison of
 * weights pairs them. */
#ifndef WEIGHTS_WEIGHT_ROWS_H
#define WEIGHTS_WEIGHT_ROWS_H

#include "pair/pairing.h"

/* The caller's to free; NULL if a side holds no weights. n: how many. A weight that holds parts of several is in
 * several pairs; two fused ones whose rows stand in other orders, and one that is padded, are in none, as elements
 * would not meet their own. */
struct line *weight_rows_pairs(const struct dump *target, const struct dump *golden, size_t *n);

#endif
