/* For judge/: gradients that a call hands back on one side alone, because its input was detached on the other one. */
#ifndef JUDGE_LOST_GRADIENT_H
#define JUDGE_LOST_GRADIENT_H

#include "dump/dataflow.h"
#include "judge/verdict.h"

/* Gives RULE_LOST_GRADIENT to gradients of a backward call without a partner, or with one that was not computed: the
 * input of that side's forward call needs no gradient, though an earlier row that holds its value does, and the call's
 * result too. What is only rounding of the incoming gradient is none. */
void lost_gradients_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2]);
/* The side that lacks the gradient of such a line. */
int lost_gradient_side(const struct measure *m, uint32_t line);

#endif
