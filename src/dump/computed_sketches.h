/* Sketches of a dump's tensors (num/sketch.h), for a comparison with a recording that kept nothing else of its own. */
#ifndef DUMP_COMPUTED_SKETCHES_H
#define DUMP_COMPUTED_SKETCHES_H

#include "dump/reader.h"

/* Of every row with a file that can be read: sets d->sketch; with the lock of `load` held where others look. */
void computed_sketches_fill(struct dump *d, int workers, struct load *load);

#endif
