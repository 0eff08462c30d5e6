/* For tensor_verdict.c: which piece of a fused product is which part, by what reads it. By figures, all parts together
 * agree with the whole, exchanged or not; the gate of a gated unit is the half that an activation reads. */
#ifndef JUDGE_PART_ROLE_H
#define JUDGE_PART_ROLE_H

#include "dump/dataflow.h"
#include "measure/measure.h"

/* Per line: the row of the fused product's side that holds what is paired here as a part, where both sides cut the
 * product in two halves and one half of each alone feeds an activation; NONE otherwise. The caller frees it. */
uint32_t *part_roles_find(const struct measure *m, const struct dataflow flow[2]);

#endif
