/* Finds float32 tensors whose elements have been rounded to a coarser type on one side only; exact, independent of
 * noise. */
#ifndef NUM_GRAIN_H
#define NUM_GRAIN_H

#include "num/figures.h"

/* Whether the figures allow it: float32 on both sides with a difference of at least one rounding. */
bool grain_possible(const struct tensor *t, const struct tensor *g, const struct figures *f);
/* If grain_possible, reads the elements again: on both sides until neither can be coarser, then a sample for a part
 * that is. Sets f->kept. 0, or -1 with e. */
int grain_look(const struct tensor *t, const struct tensor *g, struct figures *f, struct figures_watch *watch,
               struct err *e);

#endif
