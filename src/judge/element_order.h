/* Values with the same elements in another order. */
#ifndef JUDGE_ELEMENT_ORDER_H
#define JUDGE_ELEMENT_ORDER_H

#include "judge/row_verdict.h"

/* Whether the rows were paired only by figures, these (t, g: STAT_… of the sides) agree, and the error is about as
 * large as the values, as for another order of elements: then no deviation is reported. (A part of a fused tensor is
 * also paired by position.) */
bool figures_are_reordered(const struct judge_pass *p, const struct verdict_case *k, const double t[STAT_COUNT],
                           const double g[STAT_COUNT]);
/* The same by the figures computed of the elements. */
bool elements_are_reordered(const struct judge_pass *p, const struct verdict_case *k);
/* The same of integers: positions that a golden sort gave and that a call reads where the target's
 * sort was not recorded, or what both sides compute from positions. Those of equal keys are in any
 * order (judge/routing.h). */
bool positions_are_reordered(const struct judge_pass *p, const struct verdict_case *k);

#endif
