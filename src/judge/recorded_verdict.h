/* The verdict on two tensors by what was recorded of them: checksums, sketches, another tool's table, figures. */
#ifndef JUDGE_RECORDED_VERDICT_H
#define JUDGE_RECORDED_VERDICT_H

#include "judge/row_verdict.h"

void recorded_verdict_give(struct judge_pass *p, struct verdict_case *k);
/* Whether all figures that both sides recorded are the same, as far as they are printed. */
bool recorded_figures_equal(const struct judge_pass *p, const struct verdict_case *k);
/* The relative distance of two tensors of one shape by their sketches; NaN: a side has none. */
double sketches_apart(const struct judge_pass *p, const uint32_t row[2]);

#endif
