/* Calls, rows, stacks and problems of a recording as lines of JSON, the format of packs and digests (doc/formats.md).
 */
#ifndef FMT_ROW_RECORDS_H
#define FMT_ROW_RECORDS_H

#include "base/json_read.h"
#include "dump/dump.h"

struct row_records {
    VEC(uint32_t) parent, twin; /* of each call as in the file, checked once all lines are read */
};

/* What the first line says of the recording. */
int row_records_head(struct dump *d, const cJSON *o, const char *path, struct err *e);
/* One line: a call, a row, a stack, a problem or a warning is added; what else there is, is passed over. -1 where it is
 * none that fits what stands above it. */
int row_records_take(struct row_records *all, struct dump *d, const cJSON *o, const char *path, uint64_t line,
                     struct err *e);
/* Once all lines are read: links twins that name each other, and parents without cycles. */
void row_records_tie(const struct row_records *all, struct dump *d);
void row_records_release(struct row_records *all);

/* Whether the list's values are of these kinds, a letter a value: w a whole number, i one that may be negative, n a
 * number, "NaN", "Inf" or "-Inf", s a text, l a list; capitals: or null; with "*" behind it all that follow, if any.
 * Else what follows is not looked at. A value of another type would be taken for "nothing there", and rows for others
 * than they are. */
bool json_line_fits(const cJSON *list, const char *kinds);
/* -1, with the line in e. */
int json_line_damaged(const char *path, uint64_t line, struct err *e);
/* What the values of such lines are, whatever the file holds. */
double json_line_number(const cJSON *v); /* "Inf" and "-Inf" too; NaN where it is none */
uint64_t json_line_whole(const cJSON *v, uint64_t most, uint64_t otherwise); /* below `most` */
const char *json_line_text(struct dump *d, const cJSON *v, const char *otherwise);

#endif
