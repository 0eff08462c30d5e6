/* For judge.c: tensors that hold the same rows (along the last axis) in another order, as tokens sent to experts do:
 * one side keeps them by token, the other sorts them by expert. What the experts return is put back in order. Or that
 * are each other's transpose, as scores of images for texts and of texts for images are. */
#ifndef JUDGE_REORDERED_ROWS_H
#define JUDGE_REORDERED_ROWS_H

#include "judge/value_readers.h"
#include "judge/verdict.h"

/* Accepts pairs with equal figures and other elements (RULE_REORDERED) whose rows are the same set, or that are the
 * transpose of a square matrix, unless a call that reads them deviates: then the order is the fault. A weight whose
 * rows are the same set deviates where all results that it goes into do, also through results that were not compared.
 * Called when every line has its verdict; reads tensors. `flow`: the target's; `reads`: of each side. */
void reordered_rows_find(struct judgement *j, const struct measure *m, const struct dataflow *flow,
                         const struct value_readers reads[2]);

#endif
