/* How a normalisation amplifies noise, group by group: a channel or row with nearly constant values is divided by a
 * small deviation, whatever the whole tensor is like. */
#ifndef JUDGE_NORM_CONDITION_H
#define JUDGE_NORM_CONDITION_H

#include "dump/dump.h"

/* For an output y of a normalisation of x: rms(x) √(mean over groups of (σ(y) / σ(x))²) / rms(y), the relative noise
 * of y per relative noise of x, if all elements of x have the same noise. For the gradient dx its backward call puts
 * out, where the noise is in each group's 1 / σ(x): rms(x) √(Σ over groups of ‖dx‖² / σ(x)²) / ‖dx‖. Groups are
 * channels of a batch norm, channels of each sample for an instance norm, rows of a layer norm. Reads both tensors;
 * NAN if it is no such row, or if they cannot be read or are too large. */
double norm_condition(const struct dump *d, uint32_t row);

#endif
