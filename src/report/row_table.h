/* The rows of a comparison as cells, for tables in any format (CSV, spreadsheets). */
#ifndef REPORT_ROW_TABLE_H
#define REPORT_ROW_TABLE_H

#include "table/field.h"

/* Receives cells one after the other; unknown values are empty texts. Implementations embed it as their first member.
 */
struct row_sink {
    void (*text)(struct row_sink *k, struct str s);
    void (*number)(struct row_sink *k, double v);
};

#define ROW_COLUMNS 60 /* larger than the number of columns */

struct row_writer {
    struct row_sink *sink;
    const struct comparison *s;
    const struct judgement *j;
    const struct field *column[ROW_COLUMNS];
    size_t columns;
    struct buf text; /* of a cell */
};

/* The comparison is complete; the columns depend on what was recorded. */
void row_table_init(struct row_writer *c, const struct comparison *s, struct row_sink *sink);
void row_table_head(struct row_writer *c);
void row_table_write(struct row_writer *c, uint32_t line);
void row_table_release(struct row_writer *c);

#endif
