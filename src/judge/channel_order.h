/* For judge.c: a port whose rotary channels lie in another order: halves (i, i + d/2) of each head on one side, pairs
 * (2i, 2i + 1) on the other, in the weights of queries and keys alike. Scores do not depend on it. */
#ifndef JUDGE_CHANNEL_ORDER_H
#define JUDGE_CHANNEL_ORDER_H

#include "dump/dataflow.h"
#include "judge/verdict.h"

/* Finds weights that are each other with channels in the other order, two for each product of queries and keys that
 * agrees. Up to that product, lines whose values are each other in that order agree (RULE_CHANNELS); others that are
 * computed from these weights are another quantity of the rotation (RULE_BEFORE_SCORES), and so are their gradients.
 * What else differs there counts: values, an output's gradient, the gradient that leaves a projection. A deviation that
 * reaches the scores, or that starts at another weight or table there, leaves all as it was. `flow` is the target's.
 * Called when every line has its verdict; reads tensors. */
void channel_orders_find(struct judgement *j, const struct measure *m, const struct dataflow *flow,
                         const struct thresholds *tol);

#endif
