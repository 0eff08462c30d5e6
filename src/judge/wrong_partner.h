/* For judge.c: doubtful pairs that differ. Nothing is "aligned" over them unless the recording shows that the pair is
 * wrong, not the value. */
#ifndef JUDGE_WRONG_PARTNER_H
#define JUDGE_WRONG_PARTNER_H

#include "judge/value_readers.h"
#include "judge/verdict.h"

/* reads: of the target. Sets such pairs aside (VERDICT_SKIP, RULE_OTHER_VALUE) where
 * - the target holds the golden value in a row without a partner, or
 * - it is an operand that one side scales before a product and the other in it, or the gradient of one, or
 * - it is a mask of another kind (0 and 1 against what is added to scores) of calls whose results agree, or
 * - it is what a selection chooses from, and what it chose agrees, or
 * - both calls only move values, or nothing agrees although everything around does, or
 * - it goes into nothing but what was set aside, or
 * - it is an argument of a call whose results were set aside, or holds the two values of such a pair.
 * Called when every line has its verdict. */
void wrong_partners_find(struct judgement *j, const struct measure *m, const struct value_readers *reads);

#endif
