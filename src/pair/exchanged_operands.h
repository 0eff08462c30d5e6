/* Calls of one name that take the same two operands in another order: x·w beside w·x, B'A' beside AB. */
#ifndef PAIR_EXCHANGED_OPERANDS_H
#define PAIR_EXCHANGED_OPERANDS_H

#include "dump/dump.h"

/* Whether the figures of two paired forward calls, sums, multiplications or products, say that each one's first operand
 * is the other one's second. operand: per side, the rows of both in the order of their call. */
bool operands_exchanged(const struct dump *const d[2], const uint32_t call[2], uint32_t operand[2][2]);
/* The gradients of both operands, as a backward call gives them; false unless it gives two. */
bool operand_gradients(const struct dump *d, uint32_t call, uint32_t gradient[2]);

#endif
