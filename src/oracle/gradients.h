/* Shared by formulas of backward calls: gradients of broadcast operands, and candidates filled element by element. */
#ifndef ORACLE_GRADIENTS_H
#define ORACLE_GRADIENTS_H

#include "oracle/formula.h"

/* A candidate's zeroed arrays y, roundings and inside, for a formula to fill. */
struct room {
    double *y, *roundings, *inside;
};
/* Adds a candidate of that shape and returns its arrays. */
struct room room_for(struct call_values *c, int output, const struct real_tensor *shape, const char *formula);

/* Adds the candidate for an operand of shape `to` whose broadcast result has the gradient `full`: summed over the
 * broadcast axes. If nothing is summed, each element may be rounded twice. */
void gradient_summed(struct call_values *c, const struct real_tensor *full, const struct real_tensor *to,
                     const char *formula);

/* Adds the candidate whose elements are sums of elements of `full`: element i is added to place[i] of `to`; -1: to
 * none. Returns its arrays. */
struct room gradient_scattered(struct call_values *c, const struct real_tensor *full, const int64_t *place,
                               const struct real_tensor *to, const char *formula);

/* Converts n accumulated sums to their bounds, in place: y holds the sums, roundings the sums of squares, terms the
 * number of terms. */
void sums_bound(struct room r, const double *terms, int64_t n);

/* Adds a candidate with these values unchanged, in that shape. */
void candidate_moved(struct call_values *c, int output, const struct real_tensor *values, const char *formula);

/* The incoming gradient as a tensor of that shape; if it has another number of elements, v is NULL and UNKNOWN_SHAPE
 * is recorded. */
struct real_tensor gradient_as(struct call_values *c, const struct real_tensor *shape);

/* Of a call that gives the very tensor that went in: whether what is recorded is not the incoming gradient g. PyTorch's
 * functions then have that of the call which made the tensor. */
bool gradient_is_handed_on(const struct call_values *c, const struct real_tensor *g);

#endif
