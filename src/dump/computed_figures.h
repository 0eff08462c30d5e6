/* Figures that a recording left out, computed from its tensors before rows are paired: npy dumps record none, old ptdbg
 * dumps no norm. With them a row can be told from others by its value, and the data flow of a side is known without
 * names: max, min, mean and norm of two tensors agree to the last digits only where they hold the same elements. */
#ifndef DUMP_COMPUTED_FIGURES_H
#define DUMP_COMPUTED_FIGURES_H

#include "dump/reader.h"
#include "num/kern.h"

/* Reads each tensor of d once that has a file and lacks max, min or norm, by `workers` threads (0: one a processor),
 * and adds what is missing; recorded figures stay as they are. A tensor that cannot be read keeps lacking them: whoever
 * compares it meets the same error and says so. The load's lock is taken for each row; d->bytes and d->bytes_done grow
 * by the bytes read; load->cancel ends it. */
void computed_figures_fill(struct dump *d, const struct kern *k, int workers, struct load *load);

#endif
