/* Cells of a CSV table: RFC 4180, absent values empty, text that a spreadsheet would run made text. */
#ifndef DOCUMENT_CSV_H
#define DOCUMENT_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct csv {
    struct buf *b;
    bool first; /* of a line: nothing stands before the next cell */
};

/* what stands between this cell and the one before; whoever writes cells by hand calls it */
void csv_sep(struct csv *c);
void csv_text(struct csv *c, struct str s); /* controls become blanks */
void csv_number(struct csv *c, bool have, double v); /* with every digit */
void csv_count(struct csv *c, bool have, uint64_t v);
void csv_line(struct csv *c); /* ends the line */

/* Appends one cell, a comma before it unless it begins a line; numbers with a sign are no formulas. */
void csv_cell(struct buf *b, struct str s);

#endif
