/* For judge.c: constant factors that the two sides apply at different places. Attention is scaled before the product of
 * q and k here and after it there; what lies between differs by exactly that factor and is not wrong: behind it the
 * sides agree. */
#ifndef JUDGE_MOVED_FACTOR_H
#define JUDGE_MOVED_FACTOR_H

#include "judge/verdict.h"

/* Takes deviations back (VERDICT_SKIP, RULE_FACTOR; `limit` becomes the factor) whose two sides are proportional, where
 * all that is computed of them on a side comes to agree again before anything deviates otherwise. To be called when
 * every line has its verdict. */
void moved_factors_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2]);

#endif
