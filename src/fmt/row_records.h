/* Calls, rows, stacks and problems of a recording as lines of JSON, the format of packs and digests (doc/formats.md).
 */
#ifndef FMT_ROW_RECORDS_H
#define FMT_ROW_RECORDS_H

#include "base/json_read.h"
#include "dump/dump.h"

struct row_records {
    VEC(uint32_t) parent, twin; /* of each call as in the file, checked once all lines are read */
};

/* Takes over the header line's data about the recording. */
void row_records_head(struct dump *d, const cJSON *o);
/* Adds the call, row, stack, problem or warning of one line; other lines are skipped. -1 if the line is not valid at
 * this place. */
int row_records_take(struct row_records *all, struct dump *d, const cJSON *o, const char *path, uint64_t line,
                     struct err *e);
/* Once all lines are read: links twins that name each other, and parents without cycles. */
void row_records_tie(const struct row_records *all, struct dump *d);
void row_records_release(struct row_records *all);

/* Values of such lines, checked. */
double json_line_number(const cJSON *v); /* also "Inf" and "-Inf"; NaN if it is no number */
/* an integer below `most`, else `otherwise` */
uint64_t json_line_whole(const cJSON *v, uint64_t most, uint64_t otherwise);
const cJSON *json_line_member(const cJSON *o, const char *key);
const char *json_line_text(struct dump *d, const cJSON *v, const char *otherwise);

#endif
