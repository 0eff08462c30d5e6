/* For judge.c: gradients that differ only where an activation multiplies them by zero. A window of max pooling whose values
 * tie, zeros behind a ReLU or of its border, hands its gradient to another place in each framework; the activation before it
 * drops both. */
#ifndef JUDGE_DISCARDED_GRADIENT_H
#define JUDGE_DISCARDED_GRADIENT_H

#include "judge/judge.h"
#include "judge/value_readers.h"

/* Whether a line that deviates is such a gradient: an output of a max pooling's backward call or an input of an activation's,
 * of which everything computed, on a side, agrees again and only activations, poolings and views lie between. `reads`: a
 * side each. */
bool gradient_discarded(const struct judgement *j, const struct measure *m, const struct value_readers reads[2], uint32_t line);

#endif
