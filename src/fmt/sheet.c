/* Passes on the rows of a table: .csv with libcsv here, .xlsx in sheet_xlsx.c. */
#include "fmt/sheet.h"

#include <csv.h>

#include "base/mem.h"
#include "base/msg.h"

#define CHUNK (256 * 1024)

/* ---- assembling a row ---- */

int sheet_cell(struct sheet_cells *c, struct err *e)
{
    if (c->end.n == SHEET_COLUMNS)
        return err_line(e, c->name, c->line + 1, _("more than %d columns"), SHEET_COLUMNS);
    vec_push(&c->end, c->text.n);
    return 0;
}

int sheet_row(struct sheet_cells *c, struct err *e)
{
    size_t from = 0;
    if (c->text.n) {
        c->line++;
        vec_clear(&c->view);
        for (size_t i = 0; i < c->end.n; i++) {
            struct str s = str_n(c->text.p + from, c->end.v[i] - from);
            vec_push(&c->view, s);
            from = c->end.v[i];
        }
        bool apart = c->unended && c->sink->unended_row;
        c->state = (apart ? c->sink->unended_row : c->sink->row)(c->sink->ctx, c->view.v, c->view.n, c->line, e);
    }
    buf_clear(&c->text);
    vec_clear(&c->end);
    return c->state;
}

void sheet_cells_release(struct sheet_cells *c)
{
    buf_release(&c->text);
    vec_release(&c->end);
    vec_release(&c->view);
}

/* ---- .csv ---- */

struct sheet_reading {
    struct sheet_cells cells;
    struct err *e;
    uint64_t at, row_at; /* bytes given to libcsv; offset of the last row's end */
};

static void on_field(void *p, size_t n, void *ctx)
{
    struct sheet_reading *r = ctx;
    if (r->cells.state)
        return;
    buf_add(&r->cells.text, p, n);
    if (sheet_cell(&r->cells, r->e))
        r->cells.state = -1;
}

/* For a last row without a line end, libcsv passes -1. */
static void on_row(int c, void *ctx)
{
    struct sheet_reading *r = ctx;
    r->row_at = r->at;
    r->cells.unended = c < 0;
    if (!r->cells.state)
        sheet_row(&r->cells, r->e);
}

/* Ends the last row and finds whether its quote was closed: in strict mode libcsv reports an open quote but keeps the
 * row. */
static void finish(struct csv_parser *csv, struct sheet_reading *r)
{
    csv_set_opts(csv, CSV_STRICT | CSV_STRICT_FINI);
    bool open = csv_fini(csv, on_field, on_row, r) != 0;
    csv_set_opts(csv, 0);
    if (!open)
        return;
    csv_fini(csv, on_field, on_row, r);
    if (!r->cells.state && r->cells.sink->open_quote)
        r->cells.sink->open_quote(r->cells.sink->ctx);
}

static int read_csv(const struct file *f, const struct sheet_sink *sink, struct err *e)
{
    struct sheet_reading r = {.cells = {.sink = sink, .name = f->name}, .e = e};
    struct csv_parser csv;
    char *chunk = mem_alloc(CHUNK);
    csv_init(&csv, 0);
    csv_set_realloc_func(&csv, mem_resize);
    csv_set_blk_size(&csv, 64 * 1024); /* the default growth of 128 bytes is quadratic for long cells */
    while (!r.cells.state) {
        long n = file_read_some(f, r.at, chunk, CHUNK, e);
        if (n <= 0) {
            r.cells.state = (int)n;
            break;
        }
        /* byte order mark written by Excel */
        size_t skip = r.at == 0 && n >= 3 && memcmp(chunk, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        r.at += (uint64_t)n;
        if (csv_parse(&csv, chunk + skip, (size_t)n - skip, on_field, on_row, &r) != (size_t)n - skip && !r.cells.state)
            r.cells.state = err_line(e, f->name, r.cells.line + 1, "%s", csv_strerror(csv_error(&csv)));
        if (!r.cells.state && r.at - r.row_at > SHEET_ROW_BYTES)
            r.cells.state =
                err_line(e, f->name, r.cells.line + 1, _("a row of more than 16 MB; a quote may be missing"));
        if (!r.cells.state && sink->advance)
            r.cells.state = sink->advance(sink->ctx, (uint64_t)n, e);
    }
    if (!r.cells.state)
        finish(&csv, &r);
    csv_free(&csv);
    free(chunk);
    sheet_cells_release(&r.cells);
    return r.cells.state < 0 ? -1 : 0;
}

int sheet_read(const struct file *f, const struct sheet_sink *sink, struct err *e)
{
    char magic[4];
    struct err quiet;
    if (file_read(f, 0, magic, sizeof magic, &quiet) == 0 && memcmp(magic, "PK\3\4", 4) == 0)
        return sheet_read_xlsx(f, sink, e);
    return read_csv(f, sink, e);
}
