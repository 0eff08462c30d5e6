/* Determines the axis order for one kind of value from all its pairs. The elements of a deviating value cannot show
 * its order, but the same operand of the same operator in other layers can, or all operands with these two shapes. */
#ifndef PAIR_AXIS_ORDER_VOTE_H
#define PAIR_AXIS_ORDER_VOTE_H

#include "pair/pairing.h"

/* Gives pairs of equal element count and different shape, with tensors and without a view, the order that most pairs
 * of their kind agree on, unless that is the stored one. Reads a few elements of some pairs; both dumps are complete.
 */
void axis_order_vote_find(struct pairing *p, const struct dump *target, const struct dump *golden);

#endif
