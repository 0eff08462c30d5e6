/* The pairs of two checkpoints for the table: rows of weights whose names differ are paired as the comparison of
 * weights pairs them. */
#ifndef WEIGHTS_WEIGHT_ROWS_H
#define WEIGHTS_WEIGHT_ROWS_H

#include "pair/pairing.h"

/* The caller's to free, as `views`, one of each line: how one side is read (no steps: both as stored). NULL if a side
 * holds no weights. n: how many. A weight that holds parts of several is in several pairs. One-sided lines follow for
 * weights that should have a partner: those without one, and, as elements would not meet their own, two fused ones
 * whose rows stand in other orders, padded ones, and matrices that hold all experts. */
struct line *weight_rows_pairs(const struct dump *target, const struct dump *golden, size_t *n, struct view **views);

#endif
