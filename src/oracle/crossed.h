/* The crossed residual: how far a target call's output is from the golden call's function (its formula, its arguments,
 * what was fitted to its own output) on the target's inputs, in units of the bound for the target's arithmetic. Up to 2
 * both sides compute the same function, whatever their inputs are. */
#ifndef ORACLE_CROSSED_H
#define ORACLE_CROSSED_H

#include "oracle/candidate_trial.h"
#include "oracle/oracle_side.h"

enum { CROSSED_OUTPUTS = 16 }; /* the most outputs of a call that are judged */

/* Of one pair of calls: per output the rows of both sides and the target's residual; NAN: it could not be judged. */
struct crossed_call {
    int outputs;
    uint32_t row[CROSSED_OUTPUTS][2];
    double residual[CROSSED_OUTPUTS];
    bool one_call; /* every tensor of the call was exchanged for one of the same call of the other side */
    bool in_place; /* every tensor was exchanged for one that agrees with it element by element */
};

/* What is known without computing anything: both calls have the same operator, arguments and formula, so that the
 * target's own excess is the residual. False if something differs. Both sides are judged (oracle_side_judge). */
bool crossed_alike(const struct oracle_side *const side[2], const uint32_t call[2], struct crossed_call *out);
/* Computes the golden formula on the target's tensors; no outputs if that is not possible. The arena is temporary. */
void crossed_compute(const struct oracle_side *const side[2], struct arena *a, const uint32_t call[2],
                     struct crossed_call *out);

/* The candidate among those of j that explained an output on its own side (NULL: no row), with the output's size; NULL:
 * none. */
const struct candidate *crossed_candidate(const struct trials *j, const struct oracle_row *own, int output);
/* The error of a trial in units of the bound for the arithmetic of the side whose values they are. */
double crossed_residual(const struct oracle_side *values, const struct call_plan *p, const struct trial *x,
                        enum dtype type);

#endif
