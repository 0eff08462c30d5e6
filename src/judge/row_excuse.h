/* For judge.c: rows beyond their limits that noise or another order explains. */
#ifndef JUDGE_ROW_EXCUSE_H
#define JUDGE_ROW_EXCUSE_H

#include "judge/row_verdict.h"

/* Marks a deviation as doubtful if its operator amplifies noise by that much (RULE_ILL), and lets picks match that are
 * the same in another order. */
void row_excuse(struct judge_pass *p, struct verdict_case *k);

#endif
