/* How a normalisation magnifies noise, group by group: a channel or a row whose values hardly differ is divided by a
 * small deviation, whatever the tensor as a whole is like. */
#ifndef JUDGE_NORM_CONDITION_H
#define JUDGE_NORM_CONDITION_H

#include "dump/dump.h"

/* For an output y of a normalisation of x: rms(x) √(mean over groups of (σ(y) / σ(x))²) / rms(y), what relative noise
 * of x, alike in all elements, becomes in y. For the gradient dx its backward call puts out, where each group's 1 /
 * σ(x) has that noise: rms(x) √(Σ over groups of ‖dx‖² / σ(x)²) / ‖dx‖. Groups are channels of a batch norm, channels a
 * sample of an instance norm, rows of a layer norm. Reads both tensors; NAN where it is no such row, they cannot be
 * read or are too large. */
double norm_condition(const struct dump *d, uint32_t row);

#endif
