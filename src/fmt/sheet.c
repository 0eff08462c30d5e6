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

const char *sheet_unended(void)
{
    return _("the last row has no line end: the table is truncated or still being written; later rows are missing");
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
static void finish_csv(struct csv_parser *csv, struct sheet_reading *r)
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

static void begin_csv(struct csv_parser *csv)
{
    csv_init(csv, 0);
    csv_set_realloc_func(csv, mem_resize);
    csv_set_blk_size(csv, 64 * 1024); /* its default of 128 bytes would copy a long cell over and over */
}

static void parse_csv(struct csv_parser *csv, struct sheet_reading *r, struct str s)
{
    size_t skip = r->at == 0 && str_starts(s, "\xef\xbb\xbf") ? 3 : 0; /* Excel's mark */
    r->at += s.n;
    if (csv_parse(csv, s.p + skip, s.n - skip, on_field, on_row, r) != s.n - skip && !r->cells.state)
        r->cells.state = err_line(r->e, r->cells.name, r->cells.line + 1, "%s", csv_strerror(csv_error(csv)));
    if (!r->cells.state && r->at - r->row_at > SHEET_ROW_BYTES)
        r->cells.state =
            err_line(r->e, r->cells.name, r->cells.line + 1, _("a row of more than 16 MB; a quote may be missing"));
}

static int end_csv(struct csv_parser *csv, struct sheet_reading *r)
{
    if (!r->cells.state)
        finish_csv(csv, r);
    csv_free(csv);
    sheet_cells_release(&r->cells);
    return r->cells.state < 0 ? -1 : 0;
}

static int read_csv(const struct file *f, const struct sheet_sink *sink, struct err *e)
{
    struct sheet_reading r = {.cells = {.sink = sink, .name = f->name}, .e = e};
    struct csv_parser csv;
    char *chunk = mem_alloc(CHUNK);
    begin_csv(&csv);
    while (!r.cells.state) {
        long n = file_read_some(f, r.at, chunk, CHUNK, e);
        if (n <= 0) {
            r.cells.state = (int)n;
            break;
        }
        parse_csv(&csv, &r, str_n(chunk, (size_t)n));
        if (!r.cells.state && sink->advance)
            r.cells.state = sink->advance(sink->ctx, (uint64_t)n, e);
    }
    free(chunk);
    return end_csv(&csv, &r);
}

int sheet_read_text(struct str text, const char *name, const struct sheet_sink *sink, struct err *e)
{
    struct sheet_reading r = {.cells = {.sink = sink, .name = name}, .e = e};
    struct csv_parser csv;
    begin_csv(&csv);
    while (text.n && !r.cells.state) { /* line by line: most want the first alone */
        ptrdiff_t line = str_find(text, '\n');
        size_t n = line < 0 ? text.n : (size_t)line + 1;
        parse_csv(&csv, &r, str_n(text.p, n));
        text = str_cut(text, n);
    }
    return end_csv(&csv, &r);
}

int sheet_read(const struct file *f, const struct sheet_sink *sink, struct err *e)
{
    char magic[4];
    struct err quiet;
    if (file_read(f, 0, magic, sizeof magic, &quiet) == 0 && memcmp(magic, "PK\3\4", 4) == 0)
        return sheet_read_xlsx(f, sink, e);
    return read_csv(f, sink, e);
}
