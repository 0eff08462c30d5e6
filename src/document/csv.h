/* Cells of a CSV table (RFC 4180). Absent values are empty; text that a spreadsheet would take for a formula is
 * quoted as text. */
#ifndef DOCUMENT_CSV_H
#define DOCUMENT_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct csv {
    struct buf *b;
    bool first; /* no cell of the line has been written yet */
};

/* writes the separator before a cell; called directly when a cell is written by hand */
void csv_sep(struct csv *c);
void csv_text(struct csv *c, struct str s); /* control characters become blanks */
void csv_number(struct csv *c, bool have, double v); /* with all digits */
void csv_count(struct csv *c, bool have, uint64_t v);
void csv_line(struct csv *c); /* ends the line */

/* Appends one cell, after a comma unless it begins a line; newlines stay, other control characters become blanks; a
 * signed number is not taken for a formula. */
void csv_cell(struct buf *b, struct str s);

#endif
