/* Sketches of a dump's tensors (num/sketch.h), needed for a comparison with a digest. */
#ifndef DUMP_COMPUTED_SKETCHES_H
#define DUMP_COMPUTED_SKETCHES_H

#include "dump/reader.h"

/* Sets d->sketch for every row with a readable file; takes the load's lock where others may read. */
void computed_sketches_fill(struct dump *d, int workers, struct load *load);

#endif
