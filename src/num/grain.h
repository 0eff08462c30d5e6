/* float32 tensors whose elements have gone through a coarser type on one side only: exact whatever the noise. */
#ifndef NUM_GRAIN_H
#define NUM_GRAIN_H

#include "num/figures.h"

/* Whether the figures found leave room for it: float32 on both sides that differ by a rounding or more. */
bool grain_possible(const struct tensor *t, const struct tensor *g, const struct figures *f);
/* Looks at the elements again where grain_possible, on both sides until neither can be coarser, then at a sample of
 * them for a part that is. Sets f->kept. 0, or -1 with e. */
int grain_look(const struct tensor *t, const struct tensor *g, struct figures *f, struct figures_watch *watch,
               struct err *e);

#endif
