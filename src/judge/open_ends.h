/* For judge/: recorded values that nothing answers for: they have no partner, and no later value would show an error in
 * them. */
#ifndef JUDGE_OPEN_ENDS_H
#define JUDGE_OPEN_ENDS_H

#include "dump/dataflow.h"
#include "judge/verdict.h"

/* Gives lines without a partner RULE_MISSING, where the other side recorded the call and not this value, or
 * RULE_OPEN_END, where an operator without a formula ends the step, or RULE_UNLINKED, where no other operator of a
 * graph's backward pass, in which nearly all values are shared, holds this one. With strict_gaps they deviate. */
void open_ends_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2], bool strict_gaps);

#endif
