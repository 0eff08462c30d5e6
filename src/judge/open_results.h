/* Values that unrecorded steps made, against what the recorded results differ by that these steps read. */
#ifndef JUDGE_OPEN_RESULTS_H
#define JUDGE_OPEN_RESULTS_H

#include "dump/dataflow.h"
#include "judge/judge.h"

/* Whether an input, a parameter's gradient or a module's result differs by no more than may be handed on of what an
 * earlier line differs by that agrees: the one whose value it holds; where nothing recorded made it, a result that no
 * recorded call reads, so that unrecorded steps do. `flow` is the target's and behind it the golden side's; `decided`:
 * per line. */
bool open_results_explain(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                          const bool *decided, uint32_t line);

#endif
