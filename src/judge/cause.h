/* The cause of every row (doc/verdicts.md): whether both sides agree, a deviation starts here, or it is inherited from
 * a start. Decided once all lines are judged, from the verdicts, the crossed residuals and the recorded data flow. */
#ifndef JUDGE_CAUSE_H
#define JUDGE_CAUSE_H

#include "judge/verdict.h"

/* Gives every line of the judgement its cause, basis, residual and start, the lists of starts, and the verdicts that
 * follow from causes. */
void causes_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                 const struct judge_options *o);
/* The index in `start_groups` of the start that a line is, or inherits from; NONE if it is neither. */
uint32_t start_group_of(const struct judgement *j, uint32_t line);
const char *cause_name(enum cause c);        /* "agrees", "starts", "inherited", "unknown": for files */
const char *cause_basis_name(enum cause_basis b); /* "bits", "source" …; NULL: none */

#endif
