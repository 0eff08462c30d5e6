/* Forward calls repeated inside the backward pass (activation checkpointing): call.recomputes names the original
 * call. They add no information, and a recording without checkpointing does not have them. */
#ifndef DUMP_RECOMPUTED_H
#define DUMP_RECOMPUTED_H

#include "dump/dump.h"

/* Finds them in a dump with all calls, stacks and modules: forward calls under a backward one (by module or by stack)
 * for which an earlier call of that name has the same inputs, or the same position in the recomputed module.
 * Operators that a backward pass merely uses are not recomputed calls. */
void dump_link_recomputed(struct dump *d);

/* The original forward call that a backward call belongs to; NONE if unknown. */
uint32_t dump_first_forward(const struct dump *d, uint32_t backward);

#endif
