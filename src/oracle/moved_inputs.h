/* Measures a call's condition: perturbs its inputs and compares the change of its output with theirs. */
#ifndef ORACLE_MOVED_INPUTS_H
#define ORACLE_MOVED_INPUTS_H

#include "oracle/recorded_call.h"

/* rel_l2 of the change of candidate number `which` per rel_l2 of its inputs, with every element changed by the same
 * fraction of its tensor's root mean square and a pseudorandom sign (judge/conditioning.h estimates the same
 * quantity). NAN if the formula does not give the candidate again, or if it is a product, a move or zero. The call's
 * values and candidates are changed afterwards. */
double moved_inputs_change(struct recorded_call *r, formula_function *formula, int which);

#endif
