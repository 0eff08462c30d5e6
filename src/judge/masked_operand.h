/* For judge.c: scores that one side has masked in an earlier step while the other masks them here (causal and padding
 * mask one after the other, or both at once). The inputs differ by the fill values, the outputs agree. */
#ifndef JUDGE_MASKED_OPERAND_H
#define JUDGE_MASKED_OPERAND_H

#include "judge/value_readers.h"
#include "judge/verdict.h"

/* Whether a line that deviates is such an input of two forward calls whose results are paired with each other and
 * agree. */
bool is_masked_before(const struct judgement *j, const struct measure *m, uint32_t line);
/* Whether a line that deviates is the fill value or the result of a masked_fill on both sides, and all recorded calls
 * that read the result agree: a router fills the scores of experts that it does not choose with 0 or -inf.
 * `reads`: of each side. */
bool is_filled_otherwise(const struct judgement *j, const struct measure *m, const struct value_readers reads[2],
                         uint32_t line);

#endif
