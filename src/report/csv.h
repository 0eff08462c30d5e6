/* Cells of a CSV file. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/str.h"

/* Appends one cell, a comma before it unless it begins a line. Quoted where it must be; what a spreadsheet would run as
 * a formula gets an apostrophe. */
void csv_cell(struct buf *b, struct str s);

#endif
