/* Values that an unrecorded step only takes out of an earlier pair: an index, a slice, a repetition. */
#ifndef JUDGE_TAKEN_ELEMENTS_H
#define JUDGE_TAKEN_ELEMENTS_H

#include "dump/dataflow.h"
#include "measure/measure.h"

/* The line of the nearest earlier row of the target that has, in one place, both sides' values of each element of this
 * line; NONE: there is none among the rows that are looked at. `flow`: the target's. Reads tensors. */
uint32_t taken_elements_from(const struct measure *m, const struct dataflow *flow, uint32_t line);

#endif
