/* A table out of a .csv or the first worksheet of an .xlsx, handed over row by row as text: what
 * spreadsheets and the comparing tools write. Nothing of the file is kept. */
#ifndef FMT_SHEET_H
#define FMT_SHEET_H

#include "base/err.h"
#include "base/io.h"
#include "base/vec.h"

#define SHEET_COLUMNS 1024          /* in one row; the widest table known has 40 */
#define SHEET_ROW_BYTES (16u << 20) /* text of one row; a stack has a few kilobytes */

struct sheet_sink {
    /* One row; `line` counts rows from 1, blank ones not. The cells are valid during the call.
     * 0: go on, 1: enough, -1: e is set. */
    int (*row)(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e);
    /* The same for the last row where no line end stands behind it: it may be the beginning of one. May be NULL: as any
     * other. */
    int (*unended_row)(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e);
    /* After each chunk of `bytes` of the file; 0 or -1 with e (stopped). May be NULL. */
    int (*advance)(void *ctx, uint64_t bytes, struct err *e);
    /* The file ends inside a quoted cell: whatever rows are behind its quote are text of the row handed over last. May
     * be NULL. */
    void (*open_quote)(void *ctx);
    void *ctx;
};

/* 0 when the sheet ended or the sink had enough, -1 with a sentence that names the row. An .xlsx is
 * known by its first bytes, whatever its name. */
int sheet_read(const struct file *f, const struct sheet_sink *sink, struct err *e);

/* ---- for the two of them: cells of the row being read ---- */

struct sheet_cells {
    const struct sheet_sink *sink;
    const char *name; /* the file's, for messages */
    struct buf text;
    VEC(size_t) end;  /* of each cell in text */
    VEC(struct str) view;
    uint64_t line;    /* rows handed over */
    int state;        /* 0, or what the sink said */
    bool unended;     /* the row being handed over has no line end */
};

/* Ends the cell whose bytes were appended to text; -1 when the row has too many. */
int sheet_cell(struct sheet_cells *c, struct err *e);
/* Hands the row over unless it is blank, and clears it; the sink's answer, which it also keeps. */
int sheet_row(struct sheet_cells *c, struct err *e);
void sheet_cells_release(struct sheet_cells *c);
/* The .xlsx of the two. */
int sheet_read_xlsx(const struct file *f, const struct sheet_sink *sink, struct err *e);

#endif
