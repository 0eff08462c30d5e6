/* Figures that a recording left out, computed from its tensors before rows are paired: npy dumps record none, old
 * ptdbg dumps no norm. With them, rows can be distinguished by value and the data flow of a side is known without
 * names: max, min, mean and norm of two tensors agree to the last digits only if they hold the same elements. */
#ifndef DUMP_COMPUTED_FIGURES_H
#define DUMP_COMPUTED_FIGURES_H

#include "dump/reader.h"
#include "dump/tensor_files.h"
#include "num/kern.h"

/* Whether the row's tensor has a file and lacks max, min or norm. */
bool computed_figures_lack(const struct dump *d, uint32_t row);
/* Reads each such tensor of d, with `workers` threads (0: one per processor), and adds what is missing; recorded
 * figures are kept. A tensor that cannot be read keeps lacking them; the error is reported when it is compared. Takes
 * the load's lock for each row; d->bytes and d->bytes_done grow by the bytes read; load->cancel stops it. What was
 * found on opening the files is added to `files`, unless that is NULL. */
void computed_figures_fill(struct dump *d, const struct kern *k, int workers, struct load *load,
                           struct tensor_files *files);

#endif
