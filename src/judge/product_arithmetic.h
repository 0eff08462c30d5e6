/* In which arithmetic the products of both sides were computed, as far as the pairs show it: what later rows may differ
 * by comes from it. */
#ifndef JUDGE_PRODUCT_ARITHMETIC_H
#define JUDGE_PRODUCT_ARITHMETIC_H

#include "judge/row_verdict.h"

/* Sets multiplies, coarse, narrow and unsaid of the pass, arithmetic and unsaid of the judgement; before any line is
 * judged. */
void product_arithmetic_find(struct judge_pass *p);

#endif
