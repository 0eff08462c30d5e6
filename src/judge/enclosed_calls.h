/* The target's calls without a partner that stand between calls that agree: one side computes in other steps there
 * (experts all at once, or one by one), and a wrong value would show in what reads it. */
#ifndef JUDGE_ENCLOSED_CALLS_H
#define JUDGE_ENCLOSED_CALLS_H

#include "judge/value_readers.h"

/* Per call, whether it is one. `agrees`: calls of which an output agrees; `paired`: calls that have a partner. */
bool *enclosed_calls_find(const struct dump *d, const struct dataflow *flow, const bool *agrees, const uint8_t *paired);

#endif
