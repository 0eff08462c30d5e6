/* Tensors that contain a mask's fill values: attention scores with a causal or padding mask, and the masks
 * themselves. Frameworks fill with -inf, with the type's lowest number, or add -10000 to the score; softmax turns all
 * of them into zero. */
#ifndef NUM_MASKED_H
#define NUM_MASKED_H

#include "num/figures.h"

#define MASK_FILL (-9e3) /* a minimum below this may be a fill value */

/* Whether the extremes of both sides allow fill values. */
bool masked_possible(const struct figures *f);
/* If masked_possible, reads the elements again: if both sides have fill values at the same places, clearly separated
 * from all other elements and not just a few, f->masked is their count and f->unmasked the rel_l2 of the others;
 * otherwise f->masked is 0. 0, or -1 with e. */
int masked_look(const struct tensor *t, const struct tensor *g, struct figures *f, struct figures_watch *watch,
                struct err *e);

#endif
