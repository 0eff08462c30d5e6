/* For judge.c: constant factors that the two sides apply at different places, such as the attention scale before or
 * after the product of q and k. The values between differ by exactly that factor and are not wrong; later the sides
 * agree. */
#ifndef JUDGE_MOVED_FACTOR_H
#define JUDGE_MOVED_FACTOR_H

#include "judge/value_readers.h"
#include "judge/verdict.h"

/* Withdraws deviations (VERDICT_SKIP, RULE_FACTOR; `limit` becomes the factor) if the two sides are proportional and
 * everything computed from them on a side agrees again before anything else deviates. Called when every line has its
 * verdict; `reads`: the readers of each side. */
void moved_factors_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                        const struct value_readers reads[2]);
/* The factor of a deviating line whose sides are proportional: target over golden side; NaN. */
double proportional_factor(const struct judgement *j, const struct measure *m, uint32_t line);

#endif
