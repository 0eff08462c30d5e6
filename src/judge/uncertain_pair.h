/* Pairs that are not certain. */
#ifndef JUDGE_UNCERTAIN_PAIR_H
#define JUDGE_UNCERTAIN_PAIR_H

#include "judge/row_verdict.h"

/* Whether a pair by common figures or by position between calls is uncertain, because calls are missing. */
bool pair_is_doubtful(const struct judge_pass *p, const struct line *l);

#endif
