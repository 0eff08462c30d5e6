/* Writes the table of a comparison as CSV, by the columns of row_table.c. */
#include "document/csv.h"
#include "report/formats.h"
#include "report/row_table.h"

struct csv_sink {
    struct row_sink sink;
    struct csv out;
};

static void csv_sink_text(struct row_sink *k, struct str s)
{
    csv_text(&((struct csv_sink *)k)->out, s);
}

static void csv_sink_number(struct row_sink *k, double v)
{
    csv_number(&((struct csv_sink *)k)->out, true, v);
}

void compare_csv(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    struct csv_sink k = {{csv_sink_text, csv_sink_number}, {&o->buf, true}};
    struct row_writer c;
    row_table_init(&c, s, &k.sink);
    row_table_head(&c);
    csv_line(&k.out);
    uint32_t n = report_lines(opt, c.j->lines);
    for (uint32_t i = 0; i < n && report_goes_on(opt, o, i, n); i++) {
        row_table_write(&c, report_line(opt, i));
        csv_line(&k.out);
        out_flow(o);
    }
    row_table_release(&c);
}
