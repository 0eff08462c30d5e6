/* A spreadsheet: the rows, and beside them what people found. Cells are texts and numbers, never formulas. Rows go to a
 * temporary file as they are written, so that a table of any length needs little memory. */
#include "report/formats.h"

#include "base/msg.h"

#ifdef HAVE_XLSXWRITER
#include <math.h>
#include <xlsxwriter.h>

#include "base/num.h"
#include "judge/verdict_text.h"
#include "panel/subject.h"
#include "report/report_build.h"
#include "report/row_table.h"

#define TEXT_MOST 32000 /* a cell holds 32,767 characters */
#define LAST_COLUMN 60  /* more than rows have */

struct sheet {
    struct row_sink sink;
    lxw_worksheet *w;
    lxw_format *format; /* of the row */
    uint32_t row;
    uint16_t column;
};

static void text(struct row_sink *k, struct str s)
{
    struct sheet *x = (struct sheet *)k;
    struct buf b = {0};
    sanitize_text(NULL, s.n > TEXT_MOST ? str_n(s.p, TEXT_MOST) : s, SANITIZE_NAME, &b);
    if (b.n)
        worksheet_write_string(x->w, x->row, x->column, b.p, x->format);
    x->column++;
    buf_release(&b);
}

/* A cell holds 15 to 17 digits and no NaN: that is a text. */
static void number(struct row_sink *k, double v)
{
    struct sheet *x = (struct sheet *)k;
    char n[NUM_MAX];
    if (isfinite(v))
        worksheet_write_number(x->w, x->row, x->column++, v, x->format);
    else
        text(k, str_of(num_exact(n, v)));
}

static void count(struct row_sink *k, uint64_t v)
{
    number(k, (double)v);
}

static void next_row(struct sheet *x, lxw_format *f)
{
    x->row++;
    x->column = 0;
    x->format = f;
}

static struct sheet sheet(lxw_workbook *book, const char *name, lxw_format *head)
{
    struct sheet x = {{text, number, count}, workbook_add_worksheet(book, name), head, 0, 0};
    worksheet_freeze_panes(x.w, 1, 1);
    return x;
}

static void findings(lxw_workbook *book, const struct report_options *opt, lxw_format *head)
{
    static const char *const title[] = {N_("finding"), N_("status"), N_("severity"), N_("text"), N_("target"), N_("golden"), N_("author"), N_("time"), N_("about"), N_("follows from")};
    struct sheet x = sheet(book, _("findings"), head);
    finding_list l = {0};
    findings_read(&opt->inv->findings, &l);
    for (size_t i = 0; i < ARRAY_LEN(title); i++)
        text(&x.sink, str_of(_(title[i])));
    worksheet_set_column(x.w, 3, 5, 60, NULL);
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *f = &l.v[i];
        struct buf date = {0};
        if (f->time)
            report_date(f->time, &date);
        next_row(&x, NULL);
        count(&x.sink, f->number);
        text(&x.sink, str_of(_(finding_status_name((enum finding_status)f->status))));
        text(&x.sink, str_of(f->severity ? _(finding_severity_name((enum finding_severity)f->severity)) : ""));
        const char *const rest[] = {f->text, f->about[0], f->about[1], f->author};
        for (size_t k = 0; k < ARRAY_LEN(rest); k++)
            text(&x.sink, str_of(rest[k]));
        text(&x.sink, buf_view(&date));
        buf_clear(&date);
        subject_text(f, &date);
        text(&x.sink, buf_view(&date));
        if (f->cause)
            count(&x.sink, f->cause);
        buf_release(&date);
    }
    vec_release(&l);
}

static lxw_format *tone(lxw_workbook *book, lxw_color_t text_color, lxw_color_t ground)
{
    lxw_format *f = workbook_add_format(book);
    format_set_font_color(f, text_color);
    format_set_bg_color(f, ground);
    return f;
}

static void rows(lxw_workbook *book, struct out *o, const struct comparison *s, const struct report_options *opt, lxw_format *head)
{
    lxw_format *bad = tone(book, 0x9c0006, 0xffc7ce), *warn = tone(book, 0x7f6000, 0xffeb9c), *quiet = tone(book, 0x666666, 0xf2f2f2);
    struct sheet x = sheet(book, _("rows"), head);
    struct row_writer c;
    row_table_init(&c, s, &x.sink);
    worksheet_set_column(x.w, 0, 1, 60, NULL);
    worksheet_set_column(x.w, 2, LAST_COLUMN, 14, NULL);
    worksheet_set_landscape(x.w);
    worksheet_repeat_rows(x.w, 0, 0);
    row_table_head(&c);
    uint16_t columns = x.column;
    for (uint32_t i = 0; i < c.j->lines && report_goes_on(opt, o, i, c.j->lines); i++) {
        enum verdict v = c.j->line[i].verdict;
        next_row(&x, verdict_is_bad(v) || v == VERDICT_DTYPE ? bad : v == VERDICT_DRIFT ? warn : v == VERDICT_ONLY || v == VERDICT_SKIP ? quiet : NULL);
        row_table_write(&c, i);
    }
    worksheet_autofilter(x.w, 0, 0, x.row, (lxw_col_t)(columns - 1));
}

void compare_xlsx(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    lxw_workbook_options how = {.constant_memory = LXW_TRUE, .use_zip64 = LXW_FALSE};
    char title[] = "diverge"; /* the library takes no constant */
    lxw_doc_properties about = {.title = title, .created = (time_t)(opt->date ? opt->date : 1)};
    if (s->judged->lines >= LXW_ROW_MAX) {
        err_set(&o->err, ERR_USAGE, _("%zu rows are more than a spreadsheet holds (%d): write .csv"), s->judged->lines, LXW_ROW_MAX - 1);
        return;
    }
    lxw_workbook *book = workbook_new_opt(o->file.beside, &how);
    if (!book) {
        err_set(&o->err, ERR_IO, _("%s: a spreadsheet could not be begun"), o->file.path);
        return;
    }
    workbook_set_properties(book, &about);
    lxw_format *head = workbook_add_format(book);
    format_set_bold(head);
    rows(book, o, s, opt, head);
    if (opt->inv)
        findings(book, opt, head);
    if (o->err.code) { /* cancelled: closing would write it */
        lxw_workbook_free(book);
        return;
    }
    lxw_error e = workbook_close(book);
    if (e != LXW_NO_ERROR)
        err_set(&o->err, ERR_IO, "%s: %s", o->file.path, lxw_strerror(e));
}

#else

void compare_xlsx(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    (void)s;
    (void)opt;
    err_set(&o->err, ERR_USAGE, "%s", _("this diverge was built without libxlsxwriter and writes no .xlsx: write .csv, which spreadsheets open"));
}

#endif
