/* Judges: one pass over the table in execution order, from recorded and computed figures and the limits in force. The
 * rule and its reasons are in doc/verdicts.md; DESIGN.md is its source. */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "judge/verdict.h"

/* `state` is the measure's state array as of now (the caller's copy, so that workers may go on). */
void judge_run(struct judgement *j, const struct measure *m, const uint8_t *state, const struct dataflow flow[2],
               const struct judge_options *o);

#endif
