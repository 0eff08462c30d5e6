/* For judge.c: arguments that differ and change nothing (`use_cache`, a keyword left to an equal default). */
#ifndef JUDGE_IDLE_ARGUMENT_H
#define JUDGE_IDLE_ARGUMENT_H

#include "judge/verdict.h"

/* Takes deviations of switches, words and counts back (VERDICT_DRIFT, RULE_IDLE_ARGUMENT) where every paired output of
 * the call is no further off than the noise that came in. A number with a fraction (an epsilon, a momentum) is never
 * idle but in a dropout that is off: it may change what the call keeps, not what it gives. To be called when every line
 * has its verdict. */
void idle_arguments_find(struct judgement *j, const struct measure *m, const struct thresholds *tol);

#endif
