/* A workbook read back after a library wrote it, which does not tell of everything it had no memory or no room for. */
#ifndef REPORT_XLSX_READ_BACK_H
#define REPORT_XLSX_READ_BACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define XLSX_SHEETS 2

struct xlsx_content {
    /* Names and texts of its parts, of a worksheet what stands around its rows; a number is one 0. Two workbooks of the
     * same sheets and formats, whatever their rows, have the same. */
    struct buf frame;
    struct xlsx_sheet {
        uint64_t rows, cells;
    } sheet[XLSX_SHEETS];
};

/* False where it is no whole archive of whole parts. Released in either case. */
bool xlsx_read_back(const char *path, struct xlsx_content *x);
void xlsx_content_release(struct xlsx_content *x);

#endif
