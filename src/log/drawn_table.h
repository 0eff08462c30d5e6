/* Tables of losses as people print them: columns between bars ("| step | loss |": Markdown, rich, tabulate), tabs or
 * wide gaps, below a line of names. */
#ifndef LOG_DRAWN_TABLE_H
#define LOG_DRAWN_TABLE_H

#include "log/series_builder.h"

/* Whether the first `limit` bytes have the names of a loss in a line, and a row of numbers below it. */
bool drawn_table_sniff(const struct file *f, uint64_t limit, const atomic_bool *cancel);
int drawn_table_read(struct series_builder *k, struct err *e);
/* Bytes of a bar between cells at the front of s; 0: none. */
size_t drawn_bar_at(struct str s);

#endif
