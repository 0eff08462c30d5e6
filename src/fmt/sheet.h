/* A table from a .csv or the first worksheet of an .xlsx, passed on row by row as text. Nothing of the file is kept. */
#ifndef FMT_SHEET_H
#define FMT_SHEET_H

#include "base/err.h"
#include "base/io.h"
#include "base/vec.h"

#define SHEET_COLUMNS 1024          /* per row; the widest known table has 40 */
#define SHEET_ROW_BYTES (16u << 20) /* text of one row; a stack takes a few kilobytes */

struct sheet_sink {
    /* One row; `line` counts rows from 1, without blank ones. The cells are valid during the call. Returns 0:
     * continue, 1: enough, -1: e is set. */
    int (*row)(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e);
    /* The same for a last row without a line end, which may be incomplete. NULL: treated like any other. */
    int (*unended_row)(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e);
    /* Called after each chunk of `bytes` of the file; 0, or -1 with e to stop. May be NULL. */
    int (*advance)(void *ctx, uint64_t bytes, struct err *e);
    /* Called if the file ends inside a quoted cell: rows after the quote have become text of the last row. May be
     * NULL. */
    void (*open_quote)(void *ctx);
    void *ctx;
};

/* 0 when the sheet ended or the sink had enough, -1 with a sentence that names the row. An .xlsx is recognised by its
 * first bytes, whatever its name. */
int sheet_read(const struct file *f, const struct sheet_sink *sink, struct err *e);
/* The same of a .csv's text or its beginning, in which the last row may be cut; `name` is for messages. */
int sheet_read_text(struct str text, const char *name, const struct sheet_sink *sink, struct err *e);
/* What is said of a last row without a line end. */
const char *sheet_unended(void);

/* ---- for the two of them: cells of the row being read ---- */

struct sheet_cells {
    const struct sheet_sink *sink;
    const char *name; /* the file's, for messages */
    struct buf text;
    VEC(size_t) end;  /* of each cell in text */
    VEC(struct str) view;
    uint64_t line;    /* rows passed on so far */
    int state;        /* 0, or the sink's result */
    bool unended;     /* the current row has no line end */
};

/* Ends the cell whose bytes were appended to text; -1 if the row has too many. */
int sheet_cell(struct sheet_cells *c, struct err *e);
/* Passes the row to the sink unless it is blank, and clears it; returns the sink's result and stores it in `state`. */
int sheet_row(struct sheet_cells *c, struct err *e);
void sheet_cells_release(struct sheet_cells *c);
/* The .xlsx reader. */
int sheet_read_xlsx(const struct file *f, const struct sheet_sink *sink, struct err *e);

#endif
