/* The function of one side's call on the other side's values: each tensor of the call is exchanged for that of the row
 * it is paired with, whatever call the other side recorded it in and in whatever order of axes. It speaks of one call
 * against several (a linear layer and its product and sum), and of operands that the sides write differently. */
#ifndef ORACLE_CROSSED_ROWS_H
#define ORACLE_CROSSED_ROWS_H

#include "judge/verdict.h"
#include "measure/measure.h"
#include "oracle/crossed.h"

/* Both sides, and what is known of their pairs: judged by levels. */
struct crossed_sides {
    const struct oracle_side *const *side;
    const struct measure *m;
    const struct judgement *judged;
};

/* A result of the call that has no partner of its own, and the line of a later row of its side that holds its value. */
struct crossed_result {
    uint32_t row, line;
};

static const struct crossed_result crossed_outputs = {NONE, NONE}; /* the call's outputs, with their own partners */

/* Computes the call of side `from` on the other side's tensors. An argument without a partner keeps its own value: a
 * residual up to the limit still says that the other side's output is this function's value; a larger one says that it
 * is not where all tensors are those of one call (one_call) and agree (in_place), and nothing elsewhere. The residual
 * is in units of the bound for the other side's arithmetic. The arena is temporary. */
void crossed_by_rows(const struct crossed_sides *s, int from, uint32_t call, const struct crossed_result *result,
                     struct arena *a, struct crossed_call *out);

#endif
