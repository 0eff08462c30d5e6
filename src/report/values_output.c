/* Writes the values of a field as text, JSON and CSV. */
#include "report/values_output.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "document/csv.h"

/* Replaces out by the name of the value's first deviating row, or of its first row. */
static void put_value_row_name(const struct field_value *v, struct buf *out)
{
    struct field_line l = field_line(v->of, v->line);
    int side = l.row[TARGET] == NONE ? GOLDEN : TARGET;
    buf_clear(out);
    dump_row_name(&v->of->side[side].dump, l.row[side], out);
}

static void put_right_cells(struct buf *b, const char *text, int width)
{
    buf_fmt(b, "%*s%s  ", width - utf8_cells(str_of(text)), "", text);
}

void values_text(struct buf *b, const void *result)
{
    const struct values_report *r = result;
    char n[NUM_MAX];
    if (!r->values.v.n) {
        buf_fmt(b, _("no row has a value of %s\n"), r->field->name);
        return;
    }
    put_right_cells(b, _("rows"), 9);
    put_right_cells(b, _("deviating"), 9);
    put_right_cells(b, "rel L2", 8);
    buf_fmt(b, "%s\n", r->field->name);
    for (size_t i = 0; i < r->values.v.n; i++) {
        const struct field_value *v = &r->values.v.v[i];
        put_right_cells(b, num_count(n, v->lines), 9);
        put_right_cells(b, v->bad ? num_count(n, v->bad) : "", 9);
        put_right_cells(b, isnan(v->worst) ? "" : num_error(n, (double)v->worst), 8);
        buf_fmt(b, "%s\n", v->text);
    }
}

void values_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct values_report *r = result;
    struct buf name = {0};
    jw_result(w);
    jw_kcstr(w, "field", r->field->name);
    jw_karray(w, "values");
    for (size_t i = 0; i < r->values.v.n; i++) {
        const struct field_value *v = &r->values.v.v[i];
        put_value_row_name(v, &name);
        jw_object(w);
        jw_kcstr(w, "value", v->text);
        jw_kint(w, "rows", v->lines);
        jw_kint(w, "deviating", v->bad);
        jw_kgiven(w, "error", (double)v->worst);
        jw_kcstr(w, "row", name.p);
        jw_end_object(w);
        out_flow(o);
    }
    jw_end_array(w);
    jw_end_object(w);
    buf_release(&name);
}

void values_csv(struct out *o, const void *result)
{
    const struct values_report *r = result;
    const char *const columns[] = {r->field->name, "rows", "deviating", "error", "row"};
    struct csv w = {&o->buf, true};
    struct buf name = {0};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        csv_text(&w, str_of(columns[i]));
    csv_line(&w);
    for (size_t i = 0; i < r->values.v.n; i++) {
        const struct field_value *v = &r->values.v.v[i];
        put_value_row_name(v, &name);
        csv_text(&w, str_of(v->text));
        csv_count(&w, true, v->lines);
        csv_count(&w, true, v->bad);
        csv_number(&w, !isnan(v->worst), (double)v->worst);
        csv_text(&w, buf_view(&name));
        csv_line(&w);
        out_flow(o);
    }
    buf_release(&name);
}
