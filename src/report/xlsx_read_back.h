/* Reads a written workbook back, because the library that writes it does not report all failures for lack of memory
 * or disk space. */
#ifndef REPORT_XLSX_READ_BACK_H
#define REPORT_XLSX_READ_BACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define XLSX_SHEETS 2

struct xlsx_content {
    /* Names and texts of its parts, for a worksheet everything but its rows, with each number replaced by a 0. Equal
     * for two workbooks with the same sheets and formats, whatever their rows. */
    struct buf frame;
    struct xlsx_sheet {
        uint64_t rows, cells;
    } sheet[XLSX_SHEETS];
};

/* False if it is not a complete archive. Release x in either case. */
bool xlsx_read_back(const char *path, struct xlsx_content *x);
void xlsx_content_release(struct xlsx_content *x);

#endif
