/* The scale and the mask of attention if one side writes it out and the other side computes it in one fused call, or
 * writes it out otherwise, so that rows cannot be paired: compares the numbers that multiply queries, keys and scores
 * with the fused call's argument or its default, or with the other side's numbers, and the shares of masked scores. */
#ifndef JUDGE_FUSED_SCALE_H
#define JUDGE_FUSED_SCALE_H

#include "judge/verdict.h"

/* Gives RULE_FUSED_SCALE to the unpaired number of a scale that differs, the target's if it recorded one: queries and
 * keys have the same figures, numbers are applied to them or to their product before the softmax, and the results
 * differ. Of several numbers it is the first one, where it was recorded before casts. The line's `limit` is what this
 * number would be with the other side's scale. Gives RULE_FUSED_MASK to a mask that masks another share of the scores
 * than the other side's, the target's if it has one, if the results are paired and deviate. */
void fused_scales_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                       const struct thresholds *tol);

#endif
