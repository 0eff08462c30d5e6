/* For judge.c: values that differ only where what comes next drops them. A window of max pooling whose values tie,
 * zeros behind a ReLU or of its border, hands its gradient to another place in each framework, and the activation
 * before it drops both. Whole numbers made of a logarithm of zero, or of one that lies next to a whole number, end in
 * a `where` that picks others. */
#ifndef JUDGE_DISCARDED_H
#define JUDGE_DISCARDED_H

#include "judge/verdict.h"
#include "judge/value_readers.h"

/* Whether a line that deviates is such a value: an output of a max pooling's backward call, an input of an
 * activation's, or whole numbers of a forward call; everything computed from it, by the flow of one side, agrees
 * again, and what lies between only carries values on. `reads`: a side each. */
bool is_discarded(const struct judgement *j, const struct measure *m, const struct value_readers reads[2],
                  uint32_t line);

#endif
