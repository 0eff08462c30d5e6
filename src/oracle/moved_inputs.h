/* A call's condition measured: its inputs moved as noise moves them, and how much more its output moves. */
#ifndef ORACLE_MOVED_INPUTS_H
#define ORACLE_MOVED_INPUTS_H

#include "oracle/recorded_call.h"

/* rel_l2 of the change of candidate number `which` per rel_l2 of its inputs', every element moved by the same part of
 * its tensor's root mean square with a sign of its own (judge/conditioning.h estimates the same); NAN where the
 * formula does not give the candidate again, or its values are a product's, a move's or zero. The call's values and
 * candidates are others afterwards. */
double moved_inputs_change(struct recorded_call *r, formula_function *formula, int which);

#endif
