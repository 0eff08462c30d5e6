/* For weight_pairs.c: weights of mixtures of experts that one side stores stacked, one tensor for all experts of a
 * layer, and the other separately or fused differently. */
#ifndef WEIGHTS_WEIGHT_EXPERTS_H
#define WEIGHTS_WEIGHT_EXPERTS_H

#include "weights/weight_compare.h"

/* Whether both are stacks and store their matrices transposed relative to each other: these are paired expert by
 * expert, whatever their names. */
bool experts_turned(struct weight_compare *c, uint32_t target, uint32_t golden);
/* Gives stacks that are stored as matrices their three axes: grouped products take the weights of all experts as one
 * matrix, (experts × in, out) or, of the same bytes, (in, experts × out), and view it as (experts, in, out). The router
 * of the layer, (experts, hidden size), tells the sizes; without it a matrix stays one. keys: of the side's weights. */
void experts_split_axes(struct weight_compare *c, int s, const struct map *keys);
/* Pairs weights that are not `done` (one flag per weight and side) expert by expert: stacks with separate weights and
 * with stacks of another name, gate and up fused or not. If experts of a stack stay unpaired, the stack is also added
 * to `only`, with one warning per stack. Also sets `stacks` of earlier pairs. */
void weights_by_expert(struct weight_compare *c, bool *done[2]);

#endif
