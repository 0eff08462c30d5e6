/* For judge/: values with the same figures in another shape. A view has it, and so has a result
 * whose axes were exchanged or a record that is wrong. */
#ifndef JUDGE_OTHER_SHAPE_H
#define JUDGE_OTHER_SHAPE_H

#include "measure/measure.h"

/* Whether the shapes of a pair differ and nothing explains it: of one call that one tool recorded on both sides all
 * other tensors have one shape, or on one side the axes of what comes in and goes out of an operator do not fit. */
bool other_shape_is_unexplained(const struct measure *m, uint32_t line);
/* Whether two weights of files hold the same elements in axes that are others, neither taken together nor cut, and were
 * compared as they lie: what reads them takes them in another order. */
bool weight_has_other_axes(const struct measure *m, uint32_t line);

#endif
