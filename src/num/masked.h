/* Tensors that carry a mask's fills: attention scores behind a causal or padding mask, and the masks themselves.
 * Frameworks fill with -inf, the type's lowest number, or -10000 added to the score; softmax makes zero of all of
 * them. */
#ifndef NUM_MASKED_H
#define NUM_MASKED_H

#include "num/figures.h"

#define MASK_FILL (-9e3) /* a lowest element below this may be a fill */

/* Whether the extremes found on both sides leave room for fills. */
bool masked_possible(const struct figures *f);
/* Looks at the elements again where masked_possible: if both sides hold fills at the same places, set clearly apart
 * from all other elements and not just a few of them, f->masked is their count and f->unmasked the rel_l2 of the
 * others; else f->masked is 0. 0, or -1 with e. */
int masked_look(const struct tensor *t, const struct tensor *g, struct figures *f, struct figures_watch *watch,
                struct err *e);

#endif
