/* For weight_pairs.c: weights of mixtures of experts that one side holds stacked, one tensor for all experts of a
 * layer, and the other single, or otherwise fused. */
#ifndef WEIGHTS_WEIGHT_EXPERTS_H
#define WEIGHTS_WEIGHT_EXPERTS_H

#include "weights/weight_compare.h"

/* Whether both are stacks whose matrices lie the other way round: those are paired expert by expert, whatever their
 * names. */
bool experts_turned(struct weight_compare *c, uint32_t target, uint32_t golden);
/* Pairs, expert by expert, what is not `done` (a flag a weight, a side each): stacked ones with single ones and with
 * stacked ones of another name, gate and up fused or not. Experts of a stack that stay alone get a warning each stack,
 * which is then in `only` too. Notes of pairs made before whether both are stacks. */
void weights_by_expert(struct weight_compare *c, bool *done[2]);

#endif
