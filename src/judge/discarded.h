/* For judge.c: values that differ only where the next step discards them. In a window of max pooling with equal
 * values (zeros behind a ReLU or padding), each framework gives the gradient to another place, and the preceding
 * activation drops both. Integers computed from a logarithm of zero, or of a value next to an integer, end in a
 * `where` that selects other values. Of masked scores with different fills a top-k picks none of the filled ones. */
#ifndef JUDGE_DISCARDED_H
#define JUDGE_DISCARDED_H

#include "judge/verdict.h"
#include "judge/value_readers.h"

/* Whether a deviating line is such a value: an output of a max pooling's backward call, an input of an activation's,
 * or integers of a forward call, if everything computed from it, by one side's data flow, agrees again and the calls
 * between only pass values on; or masked scores that only top-k reads. `reads`: one per side. */
bool is_discarded(const struct judgement *j, const struct measure *m, const struct value_readers reads[2],
                  uint32_t line);

#endif
