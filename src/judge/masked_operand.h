/* For judge.c: scores that one side has masked in an earlier step while the other masks them here (causal and padding
 * mask one after the other, or both at once). The inputs differ by the fill values, the outputs agree. */
#ifndef JUDGE_MASKED_OPERAND_H
#define JUDGE_MASKED_OPERAND_H

#include "judge/verdict.h"

/* Whether a line that deviates is such an input of two forward calls whose results are paired with each other and
 * agree. */
bool is_masked_before(const struct judgement *j, const struct measure *m, uint32_t line);

#endif
