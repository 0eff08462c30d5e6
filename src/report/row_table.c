/* The table of all rows as files have it. Columns that msprobe's own result has keep its names, so that existing
 * scripts work; doc/differences.md explains differing figures. */
#include "report/row_table.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "judge/verdict_text.h"

/* ---- columns that are no fields of the screen ---- */

static bool column_order(const struct field_line *l, const struct field *f, double *v)
{
    (void)f;
    *v = l->line;
    return true;
}

static bool stat_pair(const struct field_line *l, int stat, double *t, double *g)
{
    return field_line_stat(l, TARGET, stat, t) && field_line_stat(l, GOLDEN, stat, g);
}

static bool stat_diff(const struct field_line *l, const struct field *f, double *v)
{
    double t, g;
    bool have = stat_pair(l, f->which, &t, &g);
    *v = have ? t - g : 0;
    return have;
}

/* "3.2%": as msprobe writes relative errors of statistics */
static void stat_relative(const struct field_line *l, const struct field *f, struct buf *out)
{
    double t, g;
    char tmp[NUM_MAX];
    if (!stat_pair(l, f->which, &t, &g))
        return;
    if (t == g)
        buf_cstr(out, "0");
    else
        buf_fmt(out, "%s%s", num_exact(tmp, fabs((t - g) / g) * 100), isfinite((t - g) / g) ? "%" : "");
}

/* msprobe's word for it */
static void column_result(const struct field_line *l, const struct field *f, struct buf *out)
{
    static const char *const word[VERDICT_COUNT] = {
        [VERDICT_PENDING] = "", [VERDICT_MATCH] = "pass", [VERDICT_DRIFT] = "warning",
        [VERDICT_DEVIATE] = "error", [VERDICT_NONFINITE] = "error", [VERDICT_SHAPE] = "error",
        [VERDICT_DTYPE] = "error", [VERDICT_ONLY] = "unmatched", [VERDICT_SKIP] = "skip", [VERDICT_INHERITED] = "error",
        [VERDICT_IN_DOUBT] = "error",
    };
    (void)f;
    buf_cstr(out, word[l->j->verdict]);
}

static void column_reason(const struct field_line *l, const struct field *f, struct buf *out)
{
    (void)f;
    explain_verdict(l->s->judged, &l->s->measure, l->line, out);
}

/* The result of the previous round for the row. */
static void column_was(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct round_row *r = round_since_row(&l->s->since, l->line);
    (void)f;
    if (r)
        buf_cstr(out, verdict_name((enum verdict)r->verdict));
}

/* On the first row of a call only, as msprobe does. */
static void column_stack(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct dump *d = &l->s->side[f->side].dump;
    const struct call *c = l->row[f->side] == NONE ? NULL : &d->calls.v[d->rows.v[l->row[f->side]].call];
    if (!c || c->first_row != l->row[f->side] || c->stack == NONE)
        return;
    const struct stack *st = &d->stacks.v[c->stack];
    for (uint32_t i = 0; i < st->n; i++) {
        const struct frame *x = &d->frames.v[d->stack_frames.v[st->first + i]];
        if (x->line)
            buf_fmt(out, "%s%s:%u %s", i ? " | " : "", x->file, x->line, x->code);
        else
            buf_fmt(out, "%s%s", i ? " | " : "", x->raw);
    }
}

static const struct field stat_columns[] = {
    {.column = "Max diff", .number = stat_diff, .which = STAT_MAX},
    {.column = "Min diff", .number = stat_diff, .which = STAT_MIN},
    {.column = "Mean diff", .number = stat_diff, .which = STAT_MEAN},
    {.column = "L2norm diff", .number = stat_diff, .which = STAT_NORM},
    {.column = "MaxRelativeErr", .text = stat_relative, .which = STAT_MAX},
    {.column = "MinRelativeErr", .text = stat_relative, .which = STAT_MIN},
    {.column = "MeanRelativeErr", .text = stat_relative, .which = STAT_MEAN},
    {.column = "NormRelativeErr", .text = stat_relative, .which = STAT_NORM},
};
static const struct field result_columns[] = {
    {.column = "Result", .text = column_result},
    {.column = "Err_message", .text = column_reason},
    {.column = "NPU_Stack_Info", .text = column_stack, .side = TARGET},
    {.column = "Order", .number = column_order}, /* from here on ours */
};
static const struct field bench_stack = {.column = "Bench_Stack_Info", .text = column_stack, .side = GOLDEN};
static const struct field was_column = {.column = "Was", .text = column_was};

/* ---- the table ---- */

static void add_named_columns(struct row_writer *c, const char *names)
{
    c->columns += fields_named(names, c->column + c->columns);
}

static void add_own_columns(struct row_writer *c, const struct field *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c->column[c->columns++] = &f[i];
}

void row_table_init(struct row_writer *c, const struct comparison *s, struct row_sink *sink)
{
    *c = (struct row_writer){.sink = sink, .s = s, .j = s->judged};
    add_named_columns(c, "target golden t.dtype g.dtype t.shape g.shape");
    bool printed = s->tabled && strcmp(s->side[TARGET].dump.task, "tensor") == 0;
    if (s->measure.wanted || printed)
        add_named_columns(c, "cosine euclid max_abs max_rel one_thousandth five_thousandths");
    else
        add_own_columns(c, stat_columns, ARRAY_LEN(stat_columns));
    if (s->side[0].dump.checksums || s->side[1].dump.checksums)
        add_named_columns(c, "t.checksum g.checksum");
    add_named_columns(c, "t.max t.min t.mean t.norm g.max g.min g.mean g.norm");
    add_own_columns(c, result_columns, ARRAY_LEN(result_columns));
    add_named_columns(c, "verdict origin confidence figure.rel_l2 one_minus_cosine");
    add_named_columns(c, "t.nan t.inf t.zero g.nan g.inf g.zero t.value g.value");
    add_own_columns(c, &bench_stack, 1);
    if (s->tabled)
        add_named_columns(c, "told");
    if (s->since.join) {
        add_own_columns(c, &was_column, 1);
        add_named_columns(c, "was.rel_l2 change");
    }
}

void row_table_head(struct row_writer *c)
{
    for (size_t i = 0; i < c->columns; i++)
        c->sink->text(c->sink, str_of(c->column[i]->column));
}

/* The same as in msprobe: names and types of absent rows, and a scalar's value as its maximum. */
static bool is_absent_cell(const struct field_line *l, size_t column)
{
    return column < 4 && l->row[column % 2] == NONE;
}

static bool column_number(const struct field_line *l, const struct field *f, double *v)
{
    return f->number == field_stat ? field_line_stat(l, f->side, f->which, v) : field_value(l, f, v);
}

void row_table_write(struct row_writer *c, uint32_t line)
{
    struct field_line l = field_line(c->s, line);
    for (size_t i = 0; i < c->columns; i++) {
        const struct field *f = c->column[i];
        double v;
        buf_clear(&c->text);
        if (is_absent_cell(&l, i))
            buf_cstr(&c->text, "N/A");
        else if (f->text)
            field_text(&l, f, &c->text);
        else if (column_number(&l, f, &v)) {
            c->sink->number(c->sink, v);
            continue;
        }
        c->sink->text(c->sink, buf_view(&c->text));
    }
}

void row_table_release(struct row_writer *c)
{
    buf_release(&c->text);
}
