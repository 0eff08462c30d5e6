/* What the readers of text files have in common, of which a line or a few are a row. */
#ifndef FMT_ROW_LINES_H
#define FMT_ROW_LINES_H

#include "base/lines.h"
#include "dump/reader.h"

/* After a line, with the load's lock held: lets others at the dump once in `batch` lines. */
void row_lines_pause(const struct lines *l, struct load *load, unsigned batch);
/* At the end, without the lock: closes the file and the runs (dump_run). `more`: what lines_next returned last. 0, or
 * -1 where the file could not be read or has no row. */
int row_lines_end(struct lines *l, const struct dump *d, struct map *runs, int more, struct err *e);

#endif
