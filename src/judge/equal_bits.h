/* The verdict of --exact on one pair: whether both sides hold the same bits, by whatever was recorded of them:
 * elements, CRC, MD5, SHA-1, XOR of words, hashes of PyTorch and TorchTitan, or figures that show a value's digits. */
#ifndef JUDGE_EQUAL_BITS_H
#define JUDGE_EQUAL_BITS_H

#include "judge/row_verdict.h"

/* Replaces the verdict that levels and limits gave; differences of kind and shape and what could not be read stay. A
 * pair whose bits were not recorded on both sides is left out (RULE_NO_BITS). */
void equal_bits_judge(const struct judge_pass *p, struct verdict_case *k);

#endif
