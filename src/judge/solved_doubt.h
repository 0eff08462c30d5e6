/* Pairs in doubt that other pairs show to be right: operands whose elements lie in another order, parts, results. */
#ifndef JUDGE_SOLVED_DOUBT_H
#define JUDGE_SOLVED_DOUBT_H

#include "dump/dataflow.h"
#include "judge/verdict.h"
#include "measure/measure.h"

/* An operand with the same figures and other elements (a weight transposed, exchanged columns) is in doubt: it may be
 * laid out in another way. Where every other compared operand of its call agrees and the result deviates, it is not.
 * Neither is, by figures, the bias of a fused product whose weight has those of all parts together, nor the weight
 * where its bias has. Neither are two values that a pair reads which is not in doubt. */
void solved_doubts_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2]);

#endif
