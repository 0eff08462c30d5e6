/* Forward calls made a second time inside the backward pass (activation checkpointing): call.recomputes names the first
 * time's. They say nothing the first time did not, and a recording that keeps its activations has none of them. */
#ifndef DUMP_RECOMPUTED_H
#define DUMP_RECOMPUTED_H

#include "dump/dump.h"

/* Finds them in a dump that has all its calls, stacks and modules: forward calls under a backward one, by the module
 * they stand in or by their stack, that have an earlier call of their name with the same inputs or in the same place of
 * the module that is computed again. A backward pass that merely calls operators recomputes nothing. */
void dump_link_recomputed(struct dump *d);

/* The forward call a backward one belongs to, the first time it was made; NONE where none is known. */
uint32_t dump_first_forward(const struct dump *d, uint32_t backward);

#endif
