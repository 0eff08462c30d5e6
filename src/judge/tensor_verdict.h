/* The verdict on two tensors: by their sizes and types, their elements, or what was recorded of them
 * (recorded_verdict.h). */
#ifndef JUDGE_TENSOR_VERDICT_H
#define JUDGE_TENSOR_VERDICT_H

#include "judge/row_verdict.h"

/* Combines the parts of each fused tensor, for tensor_verdict_give(): p->wholes, which the caller frees. */
void tensor_verdict_wholes(struct judge_pass *p);
void tensor_verdict_give(struct judge_pass *p, struct verdict_case *k);
/* Of a cut recording the first part is assumed, unless values show which one it is: then deviations are real. Withdraws
 * what was given otherwise. */
void tensor_verdict_cut(const struct judge_pass *p, struct verdict_case *k);

#endif
