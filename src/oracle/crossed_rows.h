/* The function of one side's call on the other side's values: each tensor of the call is exchanged for that of the row
 * it is paired with, whatever call the other side recorded it in and in whatever order of axes. It speaks of one call
 * against several (a linear layer and its product and sum), and of operands that the sides write differently. */
#ifndef ORACLE_CROSSED_ROWS_H
#define ORACLE_CROSSED_ROWS_H

#include "measure/measure.h"
#include "oracle/crossed.h"

/* Computes the call of side `from` on the other side's tensors. An argument without a partner keeps its own value: a
 * residual up to the limit still says that the other side's output is this function's value; a larger one says that it
 * is not where all tensors are those of one call (one_call), and nothing elsewhere.
 * The residual is in units of the bound for the other side's arithmetic. The arena is temporary. */
void crossed_by_rows(const struct oracle_side *const side[2], const struct measure *m, int from, uint32_t call,
                     struct arena *a, struct crossed_call *out);

#endif
