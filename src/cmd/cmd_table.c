/* Commands that set the table's columns, order, filters, layout and digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/nearest.h"
#include "cmd/cmd.h"
#include "cmd/pane_verbs.h"
#include "table/field_values.h"

/* ---- sides and columns ---- */

static const char *const layouts[LAYOUT_COUNT] = {"both", "target", "golden", "stacked"};

static int run_layout(struct workspace *d, struct str args)
{
    enum table_layout next = (d->layout + 1) % LAYOUT_COUNT;
    for (int i = 0; i < LAYOUT_COUNT; i++)
        if (str_is(args, layouts[i]))
            next = (enum table_layout)i;
    d->layout = next;
    workspace_say(d, _("layout: %s"), layouts[next]);
    return 0;
}

static const char *complete_layout(const struct workspace *d, int i)
{
    (void)d;
    return i < LAYOUT_COUNT ? layouts[i] : NULL;
}

static const char *complete_field(const struct workspace *d, int i)
{
    (void)d;
    for (int k = 0; k <= i; k++)
        if (!fields[k].head)
            return NULL;
    return fields[i].name;
}

/* Among the chosen columns, otherwise among those shown. */
static int column_index(const struct workspace *d, const struct field *f)
{
    const struct field *const *column = d->columns ? d->column : d->usual;
    for (int i = 0; i < (d->columns ? d->columns : d->usuals_shown); i++)
        if (column[i] == f)
            return i;
    return -1;
}

/* One entry per field: its marks, its name and its meaning. */
static void list_fields(struct workspace *d, const char *verb,
                        const char *(*mark)(const struct workspace *, const struct field *))
{
    workspace_clear_list(d);
    for (const struct field *f = fields; f->head; f++)
        workspace_add_prose(d, verb, f->name, "%s%-17s %s", mark ? mark(d, f) : "", f->name, _(f->help));
}

static const char *column_mark(const struct workspace *d, const struct field *f)
{
    static char number[16]; /* commands run under the session's lock */
    int at = column_index(d, f);
    if (at < 0)
        return " · ";
    snprintf(number, sizeof number, "%2d ", at + 1);
    return number;
}

static const char *sort_mark(const struct workspace *d, const struct field *f)
{
    return d->arrange.sort != f ? "  " : d->arrange.descending ? "▼ " : "▲ ";
}

static void list_columns(struct workspace *d)
{
    list_fields(d, "column", column_mark);
    d->list.again = "columns";
    workspace_show_list(d, _("columns, in the chosen order; Enter adds or removes one"));
}

static void columns_changed(struct workspace *d)
{
    d->column_at = 0;
    workspace_columns_keep(d);
    if (!d->inv->unkept) /* the state of the table is not a reason for a warning */
        workspace_save(d);
}

static void complain_no_field(struct workspace *d, struct str name)
{
    struct nearest near = {.word = name};
    for (const struct field *f = fields; f->name; f++)
        if (f->head)
            nearest_offer(&near, f->name);
    if (near.name)
        workspace_complain(d, _("no field \"%.*s\"; did you mean %s?"), STR_ARG(name), near.name);
    else
        workspace_complain(d, _("no field \"%.*s\"; :fields lists them"), STR_ARG(name));
}

static int run_columns(struct workspace *d, struct str args)
{
    struct str rest = args, word;
    if (!args.n) {
        list_columns(d);
        return 0;
    }
    while (rest.n) { /* all good before any is taken */
        word = str_next(&rest, ' ');
        if (!str_is(word, "default") && word.n && !field_find(word)) {
            complain_no_field(d, word);
            return 0;
        }
    }
    workspace_remember(d, _("columns"));
    d->columns = 0;
    for (rest = args; rest.n && d->columns < COLUMNS_MOST;) {
        word = str_next(&rest, ' ');
        const struct field *f = word.n ? field_find(word) : NULL;
        if (f && (!d->columns || column_index(d, f) < 0))
            d->column[d->columns++] = f;
    }
    columns_changed(d);
    return 0;
}

static int run_column(struct workspace *d, struct str args)
{
    const struct field *f = field_find(args);
    if (!f) {
        complain_no_field(d, args);
        return 0;
    }
    int at = column_index(d, f);
    if (at < 0 && d->columns == COLUMNS_MOST) {
        workspace_complain(d, _("at most %d columns"), COLUMNS_MOST);
        return 0;
    }
    workspace_remember(d, _("columns"));
    if (!d->columns) { /* those shown so far are the ones changed */
        d->columns = d->usuals_shown;
        memcpy(d->column, d->usual, sizeof d->column);
    }
    if (at < 0) {
        d->column[d->columns++] = f;
    } else {
        memmove(&d->column[at], &d->column[at + 1], (size_t)(d->columns - at - 1) * sizeof *d->column);
        d->columns--;
    }
    columns_changed(d);
    return 0;
}

static int run_width(struct workspace *d, struct str args)
{
    struct str name, number;
    unsigned long long n;
    if (!str_split(args, ' ', &name, &number) || !field_find(name) || !str_u64(str_trim(number), &n) || n < 3 ||
        n > 200) {
        workspace_complain(d, _("width FIELD N: expected a field and a width of 3 to 200 characters"));
        return 0;
    }
    struct field_width w = {field_find(name), (int)n};
    vec_push(&d->widths, w); /* the last one counts */
    return 0;
}

static int run_left(struct workspace *d, struct str args)
{
    (void)args;
    return pane_across(d, -1);
}

static int run_right(struct workspace *d, struct str args)
{
    (void)args;
    return pane_across(d, 1);
}

static int run_digits(struct workspace *d, struct str args)
{
    static const int steps[] = {0, 4, 8, 17};
    unsigned long long n;
    if (str_u64(args, &n) && n <= 17) {
        d->digits = (int)n;
    } else {
        size_t i = 0;
        while (i < ARRAY_LEN(steps) && steps[i] <= d->digits)
            i++;
        d->digits = i < ARRAY_LEN(steps) ? steps[i] : 0;
    }
    if (d->digits)
        workspace_say(d, _("numbers with %d digits"), d->digits);
    else
        workspace_say(d, _("numbers with significant digits"));
    return 0;
}

/* ---- rows joined ---- */

static const struct {
    const char *name, *help;
} groups[GROUP_COUNT] = {
    {"none", N_("single rows, in execution order")},
    {"modules", N_("group by module, folded, with the worst verdict of the rows")},
    {"frames", N_("group by source line: shows the lines of code with deviations")},
    {"precision", N_("group by floating-point type: the modules and the types of each side")},
    {"layers", N_("group by layer, side by side: shows the layer where deviations start")},
};

static int run_group(struct workspace *d, struct str args)
{
    for (int i = 0; i < GROUP_COUNT; i++)
        if (str_is(args, groups[i].name)) {
            workspace_group(d, (enum group)i);
            if (i == GROUP_LAYERS && !d->groups.layers.rows.n) {
                workspace_complain(d, _("no row has a layer number"));
                workspace_group(d, GROUP_NONE);
            }
            return 0;
        }
    if (args.n) {
        workspace_complain(d, _("group: expected modules, frames, precision, layers or none"));
        return 0;
    }
    workspace_clear_list(d);
    for (int i = 0; i < GROUP_COUNT; i++)
        workspace_add_prose(d, "group", groups[i].name, "%s %-10s %s", d->groups.kind == (enum group)i ? ">" : " ",
                              groups[i].name, _(groups[i].help));
    workspace_show_list(d, _("grouping of rows"));
    return 0;
}

static const char *complete_group(const struct workspace *d, int i)
{
    (void)d;
    return i < GROUP_COUNT ? groups[i].name : NULL;
}

static int run_unfold(struct workspace *d, struct str args)
{
    (void)args;
    workspace_unfold_all(d);
    return 0;
}

/* ---- order ---- */

/* The field after, or before, the present sort field: among the chosen columns, otherwise among all possible ones. */
static const struct field *sort_beside(const struct workspace *d, int by)
{
    const struct field *const *column = d->columns ? d->column : d->usual;
    int n = d->columns ? d->columns : d->usuals, at = by > 0 ? -1 : n;
    for (int i = 0; i < n; i++)
        if (column[i] == d->arrange.sort)
            at = i;
    at += by;
    return at >= 0 && at < n ? column[at] : NULL;
}

static void say_sort_order(struct workspace *d, const struct field *f, bool descending)
{
    if (!f)
        workspace_say(d, _("execution order"));
    else if (f->number)
        workspace_say(d, descending ? _("by %s, the largest first; O restores execution order")
                                    : _("by %s, the smallest first; O restores execution order"), f->name);
    else
        workspace_say(d, descending ? _("by %s, from z to a; O restores execution order")
                                    : _("by %s, from a to z; O restores execution order"), f->name);
}

static int run_sort(struct workspace *d, struct str args)
{
    struct str name, way;
    if (!args.n) {
        list_fields(d, "sort", sort_mark);
        workspace_show_list(d, _("sort by; again: reverse order"));
        for (uint32_t i = 0; i < d->list.items.n; i++)
            if (&fields[i] == d->arrange.sort)
                d->list.at = i;
        return 0;
    }
    if (!str_split(args, ' ', &name, &way))
        name = args, way = STR("");
    bool next = str_is(name, "next"), reverse = str_is(name, "reverse");
    const struct field *f = next || str_is(name, "prev") ? sort_beside(d, next ? 1 : -1) : reverse
                          ? d->arrange.sort : str_is(name, "none") ? NULL : field_find(name);
    if (reverse && !f) {
        workspace_say(d, _("the rows are in execution order; > sorts by a column"));
        return 0;
    }
    if (!f && !next && !str_is(name, "prev") && !str_is(name, "none")) {
        complain_no_field(d, name);
        return 0;
    }
    workspace_remember(d, _("order of rows"));
    workspace_uncover(d);
    /* numbers: the largest are of interest first */
    bool descending = f && field_sorts_by_number(f) && strcmp(f->name, "row") != 0;
    if (f && f == d->arrange.sort)
        descending = !d->arrange.descending;
    if (str_is(way, "asc"))
        descending = false;
    if (str_is(way, "desc"))
        descending = true;
    d->arrange.sort = f;
    d->arrange.descending = descending;
    d->to_top = f != NULL;
    row_order_restart(&d->arrange);
    say_sort_order(d, f, descending);
    return 0;
}

/* ---- filters ---- */

static int add_filter(struct workspace *d, struct str text, bool inverse)
{
    struct err e;
    struct filter *code = filter_compile(text, &e);
    if (!code) {
        workspace_complain(d, "%s", e.text);
        return 0;
    }
    char *what = str_dup(text);
    workspace_remember(d, what);
    free(what);
    workspace_uncover(d);
    row_order_take(&d->arrange, code, text, inverse);
    workspace_say(d, "%s", _("filtered; \\ shows all rows again"));
    return 0;
}

static int run_filter(struct workspace *d, struct str args)
{
    bool inverse = args.n && args.p[0] == '!' && args.n > 1 && args.p[1] == ' ';
    if (inverse)
        args = str_trim(str_cut(args, 1));
    if (!args.n) {
        workspace_complain(d, _("filter EXPRESSION, as in rel_l2 > 1e-2 && family == linear; :fields lists the names"));
        return 0;
    }
    for (size_t i = 0; i < d->inv->filters.n; i++) /* a saved one by its name */
        if (str_is(args, d->inv->filters.v[i].name))
            args = str_of(d->inv->filters.v[i].text);
    return add_filter(d, args, inverse);
}

static int run_filter_out(struct workspace *d, struct str args)
{
    return args.n ? add_filter(d, args, true) : run_filter(d, args);
}

static const char *complete_filter(const struct workspace *d, int i)
{
    int saved = (int)d->inv->filters.n;
    return i < saved ? d->inv->filters.v[i].name : complete_field(d, i - saved);
}

/* The cursor stays on its row, which is still in the table. */
static int run_unfilter(struct workspace *d, struct str args)
{
    unsigned long long n;
    if (!d->arrange.filters.n) {
        workspace_say(d, _("no filters are set"));
        return 0;
    }
    workspace_remember(d, _("filters"));
    if (str_u64(args, &n) && n >= 1 && n <= d->arrange.filters.n)
        row_order_drop(&d->arrange, (size_t)n - 1);
    else
        row_order_clear(&d->arrange);
    workspace_say(d, d->arrange.filters.n ? _("one filter removed") : _("all rows are shown; z restores the filters"));
    return 0;
}

static int run_filters(struct workspace *d, struct str args)
{
    (void)args;
    workspace_clear_list(d);
    for (size_t i = 0; i < d->arrange.filters.n; i++) {
        const struct row_order_filter *f = &d->arrange.filters.v[i];
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        workspace_add_command(d, "unfilter", number, _("active     %s%s   (Enter removes it)"), f->inverse ? "! " : "",
                              f->text);
    }
    for (size_t i = 0; i < d->inv->filters.n; i++) {
        const struct named_text *f = &d->inv->filters.v[i];
        workspace_add_command(d, "filter", f->name, _("saved      %s:  %s   (Enter sets it)"), f->name, f->text);
    }
    if (!d->list.items.n) {
        workspace_say(d, _("no active or saved filters; & sets one, :save-filter NAME saves the active filters"));
        return 0;
    }
    workspace_show_list(d, _("filters"));
    return 0;
}

static int run_save_filter(struct workspace *d, struct str args)
{
    struct buf all = {0};
    if (!args.n || str_has(args, " ") || !d->arrange.filters.n) {
        workspace_complain(d, _("save-filter NAME: expected one word as the name of the active filters"));
        return 0;
    }
    for (size_t i = 0; i < d->arrange.filters.n; i++) {
        const struct row_order_filter *f = &d->arrange.filters.v[i];
        buf_fmt(&all, "%s%s(%s)", i ? " && " : "", f->inverse ? "!" : "", f->text);
    }
    size_t at = 0;
    while (at < d->inv->filters.n && !str_is(args, d->inv->filters.v[at].name))
        at++;
    struct named_text x = {.name = arena_cstr(&d->inv->arena, args), .text = investigation_keep(d->inv, all.p)};
    if (at < d->inv->filters.n)
        d->inv->filters.v[at] = x;
    else
        vec_push(&d->inv->filters, x);
    buf_release(&all);
    if (workspace_save(d))
        workspace_say(d, _("saved; :filter %s activates it again"), x.name);
    return 0;
}

static int run_fields(struct workspace *d, struct str args)
{
    (void)args;
    list_fields(d, "filter-line", NULL);
    workspace_show_list(d, _("fields for filters, sorting and columns; Enter starts a filter with the field"));
    return 0;
}

/* ---- values of a field ---- */

#define VALUES_LISTED 5000 /* a figure has as many values as lines */

/* A filter's text in the quotes it does not hold. */
static void quote_value(const char *text, struct buf *out)
{
    const char *quote = strchr(text, '"') ? "'" : "\"";
    buf_fmt(out, "%s%s%s", quote, text, quote);
}

static void add_field_value(struct workspace *d, const struct field *f, const struct field_value *v)
{
    struct buf words = {0};
    char n[3][NUM_MAX];
    buf_fmt(&words, "%s == ", f->name);
    quote_value(v->text, &words);
    const char *bad = v->bad ? num_count(n[1], v->bad) : "",
               *worst = isnan(v->worst) ? "" : num_error(n[2], (double)v->worst);
    workspace_add_command(d, "filter", words.p, "%8s %8s   %-8s %s", num_count(n[0], v->lines), bad, worst, v->text);
    vec_last(&d->list.items)->mark = v->bad ? VERDICT_DEVIATE : 0;
    buf_release(&words);
}

/* First what deviations may share, then other words, then figures, which seldom come twice. */
static void list_counted_fields(struct workspace *d)
{
    const struct field *shared[4];
    size_t n = fields_named("family module layer phase", shared);
    workspace_clear_list(d);
    for (int turn = 0; turn < 3; turn++)
        for (const struct field *f = fields; f->head; f++) {
            bool common = false;
            for (size_t i = 0; i < n; i++)
                common |= shared[i] == f;
            if ((common ? 0 : f->text ? 1 : 2) == turn)
                workspace_add_prose(d, "values", f->name, "%-17s %s", f->name, _(f->help));
        }
    workspace_show_list(d, _("count the rows of each value of a field"));
}

static int run_values(struct workspace *d, struct str args)
{
    if (!args.n) {
        list_counted_fields(d);
        return 0;
    }
    const struct field *f = field_find(args);
    if (!f) {
        complain_no_field(d, args);
        return 0;
    }
    struct field_values x = {0};
    struct buf title = {0};
    char n[2][NUM_MAX];
    for (uint32_t i = 0; i < workspace_sought(d); i++)
        field_values_add(&x, d->c, f, workspace_sought_at(d, i));
    field_values_sort(&x);
    workspace_clear_list(d);
    for (size_t i = 0; i < x.v.n && i < VALUES_LISTED; i++)
        add_field_value(d, f, &x.v.v[i]);
    if (x.v.n) {
        if (x.v.n > VALUES_LISTED)
            buf_fmt(&title, _("%s, %s of %s values: rows, deviating rows, largest rel L2; Enter shows only these"),
                    f->name, num_count(n[0], VALUES_LISTED), num_count(n[1], x.v.n));
        else
            buf_fmt(&title, _("%s: rows, deviating rows, largest rel L2; Enter shows only these"), f->name);
        workspace_show_list(d, title.p);
    } else {
        workspace_say(d, _("no row has a value of %s"), f->name);
    }
    buf_release(&title);
    field_values_release(&x);
    return 0;
}

/* ---- copying ---- */

static void copy_cell(const struct field_line *l, const struct field *f, struct buf *out)
{
    struct buf text = {0};
    field_exact(l, f, &text);
    for (size_t i = 0; i < text.n; i++) /* it remains one cell, whatever characters the names contain */
        buf_char(out, (unsigned char)text.p[i] < ' ' || text.p[i] == 127 ? ' ' : text.p[i]);
    buf_release(&text);
}

#define COPY_FIELDS 20
#define COPY_MOST (64 * 1024) /* terminals refuse more */

static int run_copy(struct workspace *d, struct str args)
{
    const struct field *usual[COPY_FIELDS];
    size_t n = fields_named("row target golden verdict rel_l2 one_minus_cosine max_abs "
                            "t.max g.max t.min g.min t.norm g.norm t.dtype g.dtype t.shape g.shape", usual);
    uint32_t from = workspace_pos(d), to = from + 1, shown = workspace_shown(d), done = 0;
    buf_clear(&d->copy);
    if (!shown) {
        workspace_complain(d, _("no rows are shown"));
        return 0;
    }
    if (str_is(args, "name")) {
        struct buf name[2] = {{0}, {0}};
        workspace_names(d, d->cursor, name);
        buf_fmt(&d->copy, "%s%s%s", name[0].p, name[0].n && name[1].n && strcmp(name[0].p, name[1].p) != 0 ? "\t" : "",
                name[0].n && name[1].n && strcmp(name[0].p, name[1].p) == 0 ? "" : name[1].p);
        buf_release(&name[0]);
        buf_release(&name[1]);
        done = 1;
    } else {
        if (str_is(args, "table")) {
            from = 0;
            to = shown;
        }
        for (size_t i = 0; i < n; i++)
            buf_fmt(&d->copy, "%s%s", i ? "\t" : "", usual[i]->name);
        buf_char(&d->copy, '\n');
        for (uint32_t p = from; p < to && d->copy.n < COPY_MOST; p++, done++) {
            struct field_line l = field_line(d->c, workspace_at(d, p));
            for (size_t i = 0; i < n; i++) {
                if (i)
                    buf_char(&d->copy, '\t');
                copy_cell(&l, usual[i], &d->copy);
            }
            buf_char(&d->copy, '\n');
        }
    }
    if (done < to - from)
        workspace_say(d, _("copied the first %u rows, %zu bytes, the limit of terminals; :write FILE.csv writes "
                           "all"), done, d->copy.n);
    else
        workspace_say(d, _("copied %zu bytes"), d->copy.n);
    return R_COPY;
}

static const char *complete_copy(const struct workspace *d, int i)
{
    static const char *const words[] = {"name", "row", "table"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

const struct command commands_table[] = {
    {"layout", "[NAME]", N_("choose the layout of the sides: both, target, golden, "
                            "stacked"), 0, run_layout, complete_layout},
    {"columns", "[FIELD …]", N_("choose the columns; `default` chooses them by the width"), 0, run_columns, complete_field},
    {"column", "FIELD", N_("add a column, or remove it"), 0, run_column, complete_field},
    {"group", "[NAME]", N_("group rows by modules, layers, frames or precision; Enter goes to the row"), NEEDS_BOTH | NEEDS_JUDGED, run_group, complete_group},
    {"left", "", N_("show the previous columns; fold a module; go to the previous layer"), 0, run_left, NULL},
    {"right", "", N_("show the next columns; unfold a module; go to the next layer"), 0, run_right, NULL},
    {"unfold", "", N_("unfold all, or fold all"), 0, run_unfold, NULL},
    {"width", "FIELD N", N_("set the width of a column in characters"), 0, run_width, complete_field},
    {"digits", "[N]", N_("choose the number of digits: significant, 4, 8, all"), 0, run_digits, NULL},
    {"sort", "[FIELD [asc|desc]]", N_("sort by a field; `none` is execution order, `next` and `prev` take the next "
                                      "column, `reverse` inverts the order"), 0, run_sort, complete_field},
    {"filter", "EXPRESSION", N_("show only matching rows, in addition to the active filters; `! EXPRESSION` shows only "
                                "the others"), 0, run_filter, complete_filter},
    {"filter-out", "EXPRESSION", N_("hide matching rows"), 0, run_filter_out, complete_filter},
    {"unfilter", "[N]", N_("remove all filters, or the Nth"), 0, run_unfilter, NULL},
    {"filters", "", N_("list the active and the saved filters"), 0, run_filters, NULL},
    {"save-filter", "NAME", N_("save the active filters under a name"), CHANGES, run_save_filter, NULL},
    {"values", "[FIELD]", N_("count the rows of each value of a field, such as family, module or layer, and the deviating "
                             "ones; Enter shows only these rows"), NEEDS_PAIRED, run_values, complete_field},
    {"fields", "", N_("list fields for filters, sorting and columns"), 0, run_fields, NULL},
    {"copy", "name|row|table", N_("copy to the terminal clipboard (OSC 52), and to a "
                                  "file"), NEEDS_ROW | ON_ROW, run_copy, complete_copy},
    {0},
};
