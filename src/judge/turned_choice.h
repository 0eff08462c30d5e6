/* A choice that noise turned at a tie, as of a router's experts in 16 bits: what is computed from it holds other
 * tokens, in another order, and may differ by as much as these. It is recomputed from its own inputs, or not compared.
 */
#ifndef JUDGE_TURNED_CHOICE_H
#define JUDGE_TURNED_CHOICE_H

#include "judge/verdict.h"

/* The number of integers of a line that noise turned at a tie; 0: it is no such choice. */
double turned_choices(const struct judgement *j, const struct measure *m, uint32_t line);
/* Whether a paired line's deviation is of a size that a choice, an earlier line, can give. `flow` is the target's. */
bool turned_choice_explains(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                            uint32_t line, uint32_t choice);

#endif
