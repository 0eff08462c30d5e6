/* Calls, rows, stacks and problems of a recording as lines of JSON, as packs and digests hold them (doc/formats.md). */
#ifndef FMT_ROW_RECORDS_H
#define FMT_ROW_RECORDS_H

#include "base/json_read.h"
#include "dump/dump.h"

struct row_records {
    VEC(uint32_t) parent, twin; /* of each call as the file says, checked when all are there */
};

/* What the first line says of the recording. */
void row_records_head(struct dump *d, const cJSON *o);
/* One line: a call, a row, a stack, a problem or a warning is added; what else there is, is passed over. -1 where it is
 * none that fits what stands above it. */
int row_records_take(struct row_records *all, struct dump *d, const cJSON *o, const char *path, uint64_t line,
                     struct err *e);
/* Once all are there: calls that name each other as twins, and modules that do not lie in themselves. */
void row_records_tie(const struct row_records *all, struct dump *d);
void row_records_release(struct row_records *all);

/* What the values of such lines are, whatever the file holds. */
double json_line_number(const cJSON *v); /* "Inf" and "-Inf" too; NaN where it is none */
uint64_t json_line_whole(const cJSON *v, uint64_t most, uint64_t otherwise); /* below `most` */
const cJSON *json_line_member(const cJSON *o, const char *key);
const char *json_line_text(struct dump *d, const cJSON *v, const char *otherwise);

#endif
