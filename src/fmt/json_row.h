/* What several recordings write of a row in JSON. */
#ifndef FMT_JSON_ROW_H
#define FMT_JSON_ROW_H

#include "base/json_read.h"
#include "dump/reader.h"

/* [2, 8, 16]: sets the row's shape where it is one; anything else leaves it without. */
void json_row_shape(struct dump *d, struct row *r, const cJSON *v);

/* A text file of rows, a JSON array a line: hands over each line that is not blank, with the load's lock held and a
 * pool for what is parsed of it. `cut`: of a line longer than `longest` its beginning, else that is an error. */
int json_row_lines(struct dump *d, const char *path, size_t longest, bool cut,
                   void (*row)(void *ctx, struct str line, uint64_t offset), void *ctx,
                   struct load *load, struct err *e);

#endif
