/* Calls that compute element by element and give other figures from the same figures. */
#ifndef JUDGE_SAME_FIGURES_H
#define JUDGE_SAME_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/measure.h"

/* Whether a line is the output of such a forward call, of both sides' same operator, whose inputs have the same
 * maximum, minimum, mean and norm on both sides, while its own differ by more than rounding of its type: what goes in
 * lies in another order, or meets other elements (a rotation by pairs in place of halves). Figures alone do not show
 * whether both orders are right, so it says where a deviation found behind it starts, not that there is one. */
bool same_figures_go_apart(const struct measure *m, uint32_t line);

#endif
