/* For judge.c: doubtful pairs that differ. Nothing is "aligned" over them unless the recording shows that the pair is
 * wrong, not the value. */
#ifndef JUDGE_WRONG_PARTNER_H
#define JUDGE_WRONG_PARTNER_H

#include "judge/verdict.h"

/* Sets such pairs aside (VERDICT_SKIP, RULE_OTHER_VALUE) where nothing deviates for certain and
 * - the target holds the golden value in a row without a partner, or
 * - it is an operand that one side scales before a product and the other in it, or the gradient of one, or
 * - both calls only move values, and hold the same ones in another order, or
 * - it is an argument of a call whose results were set aside.
 * Called when every line has its verdict; `reads`: one per side. */
void wrong_partners_find(struct judgement *j, const struct measure *m);

#endif
