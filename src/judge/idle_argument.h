/* For judge.c: arguments that differ without effect (`use_cache`, a keyword set to its default). */
#ifndef JUDGE_IDLE_ARGUMENT_H
#define JUDGE_IDLE_ARGUMENT_H

#include "judge/verdict.h"

/* Withdraws deviations of booleans, texts and integers (VERDICT_DRIFT, RULE_IDLE_ARGUMENT) if the error of every
 * paired output of the call is within the incoming noise. A fraction (an epsilon, a momentum) is never idle, because
 * it may change internal state, except in a disabled dropout and in a call that returns what goes in on both sides (a
 * clamp, whose bound no element is beyond: the spacing of each side's type); nor is what contradicts the rest of its
 * call (misfit: as in struct judge_options). Called when every line has its verdict. */
void idle_arguments_find(struct judgement *j, const struct measure *m, const struct thresholds *tol,
                         const uint8_t *misfit);

#endif
