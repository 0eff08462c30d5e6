/* JSON forms of a row that several recordings share. */
#ifndef FMT_JSON_ROW_H
#define FMT_JSON_ROW_H

#include "base/json_read.h"
#include "dump/reader.h"

/* Sets the row's shape from [2, 8, 16]. False: there is something else, and the row has no shape. */
bool json_row_shape(struct dump *d, struct row *r, const cJSON *v);

/* Reads a text file with one JSON array per line: calls `row` for each line that is not blank, with the load's lock
 * held and a JSON pool entered. A line longer than `longest` is cut if `cut` is set, otherwise an error. */
int json_row_lines(struct dump *d, const char *path, size_t longest, bool cut,
                   void (*row)(void *ctx, struct str line, uint64_t offset), void *ctx,
                   struct load *load, struct err *e);

#endif
