/* What formulas of backward calls share: gradients of broadcast operands, and candidates filled element by element. */
#ifndef ORACLE_GRADIENTS_H
#define ORACLE_GRADIENTS_H

#include "oracle/formula.h"

/* A candidate's y, roundings and inside, all zeroed, for a formula to fill. */
struct room {
    double *y, *roundings, *inside;
};
/* Adds a candidate of that shape. */
struct room room_for(struct call_values *c, int output, const struct real_tensor *shape, const char *formula);

/* Adds the candidate "gradient `full` of a result of shape `full`, for an operand of shape `to`": summed over the axes
 * that were broadcast. Where nothing is summed each element may be rounded twice. */
void gradient_summed(struct call_values *c, const struct real_tensor *full, const struct real_tensor *to,
                     const char *formula);

/* Adds the candidate whose elements are sums of those of `full`: element i goes to place[i] of `to`; -1: to none. */
void gradient_scattered(struct call_values *c, const struct real_tensor *full, const int64_t *place,
                        const struct real_tensor *to, const char *formula);

/* Turns what was gathered of n sums into their bounds, in place: y the sum, roundings the sum of squares, terms how
 * many there were. */
void sums_bound(struct room r, const double *terms, int64_t n);

/* Adds the candidate "these values as they are, in that shape". */
void candidate_moved(struct call_values *c, int output, const struct real_tensor *values, const char *formula);

/* The incoming gradient where it has as many elements as `shape` (as a tensor of that shape); v NULL and UNKNOWN_SHAPE
 * said where not. */
struct real_tensor gradient_as(struct call_values *c, const struct real_tensor *shape);

#endif
