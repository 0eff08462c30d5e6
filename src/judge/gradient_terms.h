/* Gradients that nobody recorded summing inside of a module, against the distances of their recorded terms. */
#ifndef JUDGE_GRADIENT_TERMS_H
#define JUDGE_GRADIENT_TERMS_H

#include "dump/dataflow.h"
#include "judge/judge.h"

/* Whether the gradient that a module returns differs by no more than those which the calls directly inside of it
 * return, which agree where they were recomputed. `flow`: the target's; `decided`: per line. */
bool gradient_terms_explain(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                            const bool *decided, uint32_t line);

#endif
