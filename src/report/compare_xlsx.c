/* Writes a spreadsheet of the rows and the findings. Cells are texts and numbers, never formulas. Rows are written to
 * a temporary file first, so that a table of any length needs little memory. */
#include "report/formats.h"

#include "base/msg.h"

#ifdef HAVE_XLSXWRITER
#include <math.h>
#include <stdlib.h>
#include <xlsxwriter.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/num.h"
#include "panel/subject.h"
#include "report/report_build.h"
#include "report/row_table.h"
#include "report/xlsx_read_back.h"

#define TEXT_MOST 32000 /* a cell holds 32,767 characters */
#define LAST_COLUMN 60  /* more than rows have */

struct sheet {
    struct row_sink sink;
    lxw_worksheet *w;
    lxw_format *format; /* of the row */
    uint32_t row;
    uint16_t column;
    uint64_t cells; /* written */
};

/* The formats of rows, in the order of the table in write_rows_sheet(); the library writes those that are used. */
enum tone { PLAIN, BAD, WARN, QUIET, TONES };

struct book {
    lxw_workbook *made;
    lxw_format *head;
    bool frame; /* of the rows only the first of each tone */
    struct xlsx_sheet sheet[XLSX_SHEETS]; /* what was written */
    size_t sheets;
};

#define LIBRARY_NEEDS (4u << 20) /* bytes; a workbook took less than 1 MB more than .csv did */
#define LOOK_EVERY 256          /* rows */

/* The library goes on with rows missing, or breaks, where it finds no memory: what it may need is asked for before, and
 * every call of it stands between sheet_ready() and require_written() or require_made(). */
static void probe_library_memory(void)
{
    free(mem_alloc(LIBRARY_NEEDS));
}

static lxw_worksheet *sheet_ready(lxw_worksheet *w)
{
    mem_library(true);
    return w;
}

/* On failure the library returns an error, or nothing at all. */
static void *require_made(void *made)
{
    if (!made || mem_library_starved())
        mem_failed(0);
    return made;
}

static void require_written(lxw_error e)
{
    if (e == LXW_ERROR_MEMORY_MALLOC_FAILED || mem_library_starved())
        mem_failed(0);
}

static void xlsx_sink_text(struct row_sink *k, struct str s)
{
    struct sheet *x = (struct sheet *)k;
    struct buf b = {0};
    sanitize_text(NULL, s.n > TEXT_MOST ? str_n(s.p, TEXT_MOST) : s, SANITIZE_NAME, &b);
    if (b.n)
        require_written(worksheet_write_string(sheet_ready(x->w), x->row, x->column, b.p, x->format));
    x->cells += b.n > 0;
    x->column++;
    buf_release(&b);
}

/* A cell has 15 to 17 digits and cannot be NaN: such values are texts. */
static void xlsx_sink_number(struct row_sink *k, double v)
{
    struct sheet *x = (struct sheet *)k;
    char n[NUM_MAX];
    if (!isfinite(v)) {
        xlsx_sink_text(k, str_of(num_exact(n, v)));
        return;
    }
    require_written(worksheet_write_number(sheet_ready(x->w), x->row, x->column++, v, x->format));
    x->cells++;
}

static void next_row(struct sheet *x, lxw_format *f)
{
    x->row++;
    x->column = 0;
    x->format = f;
}

static struct sheet add_sheet(struct book *b, const char *name)
{
    struct sheet x = {
        {xlsx_sink_text, xlsx_sink_number}, require_made(workbook_add_worksheet(b->made, name)), b->head, 0, 0, 0};
    worksheet_freeze_panes(x.w, 1, 1);
    return x;
}

static void end_sheet(struct book *b, const struct sheet *x, uint32_t rows)
{
    b->sheet[b->sheets++] = (struct xlsx_sheet){rows, x->cells};
}

static void write_findings_sheet(struct book *book, const struct report_options *opt)
{
    static const char *const title[] = {N_("finding"), N_("status"), N_("severity"), N_("text"),  N_("target"),
                                        N_("golden"),  N_("author"), N_("time"),     N_("about"), N_("follows from")};
    struct sheet x = add_sheet(book, _("findings"));
    finding_list l = {0};
    findings_read(&opt->inv->findings, &l);
    for (size_t i = 0; i < ARRAY_LEN(title); i++)
        xlsx_sink_text(&x.sink, str_of(_(title[i])));
    require_written(worksheet_set_column(sheet_ready(x.w), 3, 5, 60, NULL));
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *f = &l.v[i];
        struct buf date = {0};
        if (f->time)
            report_date(f->time, &date);
        next_row(&x, NULL);
        xlsx_sink_number(&x.sink, f->number);
        xlsx_sink_text(&x.sink, str_of(_(finding_status_name((enum finding_status)f->status))));
        xlsx_sink_text(&x.sink,
                       str_of(f->severity ? _(finding_severity_name((enum finding_severity)f->severity)) : ""));
        const char *const rest[] = {f->text, f->about[0], f->about[1], f->author};
        for (size_t k = 0; k < ARRAY_LEN(rest); k++)
            xlsx_sink_text(&x.sink, str_of(rest[k]));
        xlsx_sink_text(&x.sink, buf_view(&date));
        buf_clear(&date);
        subject_text(f, &date);
        xlsx_sink_text(&x.sink, buf_view(&date));
        if (f->cause)
            xlsx_sink_number(&x.sink, f->cause);
        buf_release(&date);
    }
    end_sheet(book, &x, x.row + 1);
    vec_release(&l);
}

static lxw_format *add_tone_format(lxw_workbook *book, lxw_color_t text_color, lxw_color_t ground)
{
    lxw_format *f = require_made(workbook_add_format(book));
    format_set_font_color(f, text_color);
    format_set_bg_color(f, ground);
    return f;
}

static enum tone xlsx_verdict_tone(enum verdict v)
{
    return verdict_is_bad(v) || v == VERDICT_DTYPE  ? BAD
           : v == VERDICT_DRIFT                     ? WARN
           : v == VERDICT_ONLY || v == VERDICT_SKIP ? QUIET
                                                    : PLAIN;
}

static void write_rows_sheet(struct book *book, struct out *o, const struct comparison *s,
                             const struct report_options *opt)
{
    lxw_format *const format[TONES] = {NULL, add_tone_format(book->made, 0x9c0006, 0xffc7ce),
                                       add_tone_format(book->made, 0x7f6000, 0xffeb9c),
                                       add_tone_format(book->made, 0x666666, 0xf2f2f2)};
    bool used[TONES] = {false};
    struct sheet x = add_sheet(book, _("rows"));
    struct row_writer c;
    row_table_init(&c, s, &x.sink);
    require_written(worksheet_set_column(sheet_ready(x.w), 0, 1, 60, NULL));
    require_written(worksheet_set_column(sheet_ready(x.w), 2, LAST_COLUMN, 14, NULL));
    worksheet_set_landscape(x.w);
    require_written(worksheet_repeat_rows(sheet_ready(x.w), 0, 0));
    row_table_head(&c);
    uint16_t columns = x.column;
    uint32_t written = 1;
    uint32_t n = report_lines(opt, c.j->lines);
    for (uint32_t i = 0; i < n && report_goes_on(opt, o, i, n); i++) {
        uint32_t line = report_line(opt, i);
        if (i % LOOK_EVERY == 0)
            probe_library_memory();
        enum tone t = xlsx_verdict_tone(c.j->line[line].verdict);
        if (book->frame && used[t])
            continue;
        used[t] = true;
        next_row(&x, format[t]);
        row_table_write(&c, line);
        written++;
    }
    require_written(worksheet_autofilter(sheet_ready(x.w), 0, 0, x.row, (lxw_col_t)(columns - 1)));
    end_sheet(book, &x, written);
    row_table_release(&c);
}

static void write_book(struct book *b, const char *path, struct out *o, const struct comparison *s,
                       const struct report_options *opt)
{
    lxw_workbook_options how = {.constant_memory = LXW_TRUE, .use_zip64 = LXW_FALSE};
    char title[] = "diverge"; /* the library takes no constant */
    lxw_doc_properties about = {.title = title, .created = (time_t)(opt->date ? opt->date : 1)};
    probe_library_memory();
    mem_library(true);
    b->made = require_made(workbook_new_opt(path, &how));
    require_written(workbook_set_properties(b->made, &about));
    b->head = require_made(workbook_add_format(b->made));
    format_set_bold(b->head);
    write_rows_sheet(b, o, s, opt);
    if (opt->inv)
        write_findings_sheet(b, opt);
    if (o->err.code) { /* cancelled: closing would write it */
        lxw_workbook_free(b->made);
        return;
    }
    probe_library_memory();
    mem_library(true);
    lxw_error e = workbook_close(b->made);
    require_written(e);
    mem_library(false);
    if (e != LXW_NO_ERROR)
        err_set(&o->err, ERR_OUTPUT, "%s: %s", o->file.path, lxw_strerror(e));
}

static bool has_expected_content(const struct book *b, const struct xlsx_content *x)
{
    bool all = true;
    for (size_t i = 0; i < XLSX_SHEETS; i++)
        all = all && x->sheet[i].rows == b->sheet[i].rows && x->sheet[i].cells == b->sheet[i].cells;
    return all;
}

/* While it closes a workbook the library forgets that it had no memory or no room for a part, and the call that failed
 * leaves out an attribute, an entry or rows. So the file is read back: its rows and cells are those written, and what
 * is around them is as in a second workbook of the same sheets and formats with the fewest rows. */
static void verify_workbook(const struct book *b, struct out *o, const struct comparison *s,
                            const struct report_options *opt)
{
    struct book few = {.frame = true};
    struct file_write twin;
    struct xlsx_content is = {0}, wanted = {0};
    struct err e = {0};
    bool before = read_failures_unimportant(true);
    bool whole = xlsx_read_back(o->file.beside, &is) && has_expected_content(b, &is);
    if (whole && file_write_begin(&twin, o->file.path, &e)) {
        o->err = e;
    } else if (whole) {
        write_book(&few, twin.beside, o, s, opt);
        whole = xlsx_read_back(twin.beside, &wanted) && str_eq(buf_view(&is.frame), buf_view(&wanted.frame));
        file_write_drop(&twin);
    }
    read_failures_unimportant(before);
    if (!whole && !o->err.code)
        err_set(&o->err, ERR_OUTPUT,
                _("%s: not written: the spreadsheet was incomplete; check free disk space and memory"),
                o->file.path);
    xlsx_content_release(&is);
    xlsx_content_release(&wanted);
}

void compare_xlsx(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    struct book b = {.made = NULL};
    if (s->judged->lines >= LXW_ROW_MAX) {
        err_set(&o->err, ERR_USAGE, _("%zu rows exceed the limit of a spreadsheet, %d: write .csv"), s->judged->lines,
                LXW_ROW_MAX - 1);
        return;
    }
    write_book(&b, o->file.beside, o, s, opt);
    if (!o->err.code && !o->file.straight)
        verify_workbook(&b, o, s, opt);
}

#else

void compare_xlsx(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    (void)s;
    (void)opt;
    err_set(&o->err, ERR_USAGE, "%s", _("built without libxlsxwriter: .xlsx cannot be written; write .csv"));
}

#endif
