/* The scale of attention that one side computes in one fused call and the other writes out, where no rows of the two
 * can be paired: the number the written-out scores are multiplied by against the fused call's argument or its
 * default. */
#ifndef JUDGE_FUSED_SCALE_H
#define JUDGE_FUSED_SCALE_H

#include "judge/verdict.h"

/* Gives RULE_FUSED_SCALE to the numbers of a scale that is not the other side's, where their rows have no partner:
 * queries and keys are the same by their figures, one number alone is applied to them or to their product before the
 * softmax, and the results differ. `limit` of such a line is the other side's scale. */
void fused_scales_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                       const struct thresholds *tol);

/* What an unpaired number of such a line multiplies scores by: itself, of a division its inverse. */
double fused_scale_given(const struct dump *d, uint32_t row);

#endif
