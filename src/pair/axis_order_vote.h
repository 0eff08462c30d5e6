/* Which order of axes the two sides' frameworks hold one kind of value in. Where a value deviates its own elements tell
 * no order; the same operand of the same operator in the other layers does, or all
 * operands of these two shapes. */
#ifndef PAIR_AXIS_ORDER_VOTE_H
#define PAIR_AXIS_ORDER_VOTE_H

#include "pair/pairing.h"

/* Gives pairs of equal element count and different shape, that have tensors and no view, the order most pairs of their
 * kind agree on, unless that is the one they are stored in. Reads a few elements of some; both dumps complete. */
void axis_order_vote_find(struct pairing *p, const struct dump *target, const struct dump *golden);

#endif
