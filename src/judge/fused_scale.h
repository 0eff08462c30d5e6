/* The attention scale if one side computes attention in one fused call and the other writes it out, so that rows
 * cannot be paired: compares the number that multiplies the written-out scores with the fused call's argument or its
 * default. */
#ifndef JUDGE_FUSED_SCALE_H
#define JUDGE_FUSED_SCALE_H

#include "judge/verdict.h"

/* Gives RULE_FUSED_SCALE to the unpaired number of a scale that differs, the target's if it recorded one:
 * same figures, a single number is applied to them or to their product before the softmax, and the results differ.
 * The line's `limit` is the other side's scale. */
void fused_scales_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                       const struct thresholds *tol);

/* The factor by which an unpaired number of such a line multiplies scores: the number, or its inverse for a division.
 */
double fused_scale_given(const struct dump *d, uint32_t row);

#endif
