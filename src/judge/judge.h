/* Judging: one pass over the table in execution order, using recorded and computed figures and the limits in force.
 * doc/verdicts.md has the steps, doc/rules.md every rule. */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "judge/verdict.h"

/* `state` is the measure's state array as of now (a copy, so that workers may continue). */
void judge_run(struct judgement *j, const struct measure *m, const uint8_t *state, const struct dataflow flow[2],
               const struct judge_options *o);

#endif
