/* For judge.c: a stretch that the sides compute in other steps, between values that agree: a division before a sum or
 * behind it, a running product or the exponential of a running sum. */
#ifndef JUDGE_OTHER_ROUTE_H
#define JUDGE_OTHER_ROUTE_H

#include "judge/forward_uses.h"
#include "judge/value_readers.h"
#include "judge/verdict.h"

/* Sets aside (VERDICT_SKIP, RULE_OTHER_VALUE) pairs of one call that differ because calls without a partner made what
 * goes in, or read what comes out, because an operand has no partner, because they are other operators, or because they
 * have no more than their place in common, and what follows from these: if all that is computed from them, on both
 * sides, agrees again, and before the first other line that deviates, of which they may be a consequence. Gradients of
 * parameters are never set aside, nor calls of one operator that are not one function; where figures alone were
 * recorded, gradients are only with their forward calls.
 * For recordings of one framework: of two, other calls are the rule, not what tells a route. reads: of both sides. */
void other_routes_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                       const struct value_readers reads[2], const struct judge_options *o);

#endif
