/* Reads values of steps with arbitrary names: one JSON object per line, tables with a header, and MLflow's files of
 * one value each. */
#include "base/msg.h"
#include "fmt/sheet.h"
#include "log/series_builder.h"
#include "log/value_names.h"

static bool is_step(double x)
{
    return x >= 0 && x < (double)LOG_STEP && x == (double)(int64_t)x;
}

/* A rate alone is a setting: of a step something has to be measured. */
static bool measured(unsigned has)
{
    return has & (1u << LOG_LOSS | 1u << LOG_NORM);
}

/* ---- objects ---- */

static struct str unquoted(struct str v)
{
    return v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"' ? str_n(v.p + 1, v.n - 2) : v;
}

/* Whether the line is one object with a step and a value that is known; k (may be NULL) takes it. */
static bool object(struct series_builder *k, struct str line)
{
    struct log_record r = {0};
    struct str s = str_trim(line), key, value;
    double x, digit;
    bool stepped = false;
    unsigned has = 0;
    int rc;
    if (!s.n || s.p[0] != '{')
        return false;
    s = str_cut(s, 1);
    while ((rc = scan_member(&s, &key, &value)) == 1) {
        enum log_value v;
        if (!scan_number(unquoted(value), &x, &digit))
            continue;
        if (!stepped && value_is_step(key) && is_step(x)) {
            stepped = true;
            r.step = (int64_t)x;
        } else if (value_named(key, &v) && !(has >> v & 1)) {
            has |= 1u << v;
            if (k)
                log_set(k, &r, v, x, digit);
        }
    }
    if (rc || !stepped || !measured(has))
        return false;
    if (k)
        log_add(k, &r);
    return true;
}

bool json_values_starts(struct str line)
{
    return object(NULL, line);
}

enum log_take json_values_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    (void)fresh;
    (void)last;
    return object(k, line) ? TAKE_DONE : TAKE_NOT;
}

/* ---- tables ---- */

#define COLUMNS 256

struct value_table {
    struct series_builder *k;
    bool head;
    size_t n;
    int step;            /* its column */
    int8_t as[COLUMNS];  /* enum log_value of a column, -1: none of ours */
};

static bool header(struct value_table *t, const struct str *cell, size_t n)
{
    unsigned has = 0;
    t->step = -1;
    t->n = n < COLUMNS ? n : COLUMNS;
    for (size_t i = 0; i < t->n; i++) {
        enum log_value v;
        t->as[i] = -1;
        if (t->step < 0 && value_is_step(cell[i])) {
            t->step = (int)i;
        } else if (value_named(cell[i], &v) && !(has >> v & 1)) {
            has |= 1u << v;
            t->as[i] = (int8_t)v;
        }
    }
    return t->step >= 0 && measured(has);
}

/* The first line of a table with columns we know. */
bool value_table_sniff(struct str head, const char *path)
{
    struct value_table t = {0};
    struct str line, rest, cell[COLUMNS];
    size_t n = 0;
    (void)path;
    if (str_starts(head, "\xef\xbb\xbf"))
        head = str_cut(head, 3);
    if (!str_split(head, '\n', &line, &rest) || str_find(line, ',') < 0 || line.n > 65536)
        return false;
    line = str_trim(line);
    while (line.n && n < COLUMNS) {
        str_split(line, ',', &cell[n], &line);
        cell[n] = unquoted(str_trim(cell[n]));
        n++;
    }
    return header(&t, cell, n);
}

static int table_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct value_table *t = ctx;
    struct log_record r = {0};
    double x, digit;
    t->k->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    if (!t->head) {
        t->head = true;
        return header(t, cell, n) ? 0 : err_line(e, t->k->file->name, line, _("expected a step column and a value "
                                                                              "column"));
    }
    if ((size_t)t->step >= n || !scan_number(cell[t->step], &x, NULL) || !is_step(x)) {
        log_odd(t->k, ODD_STEP);
        return 0;
    }
    r.step = (int64_t)x;
    for (size_t i = 0; i < t->n && i < n; i++)
        if (t->as[i] >= 0 && scan_number(cell[i], &x, &digit))
            log_set(t->k, &r, (enum log_value)t->as[i], x, digit);
    if (r.has)
        log_add(t->k, &r);
    return log_cancelled(t->k) ? 1 : 0;
}

/* More digits may have been meant to follow; of a single row nothing else would be left. */
static int last_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct value_table *t = ctx;
    if (!t->k->s->records.n)
        return table_row(ctx, cell, n, line, e);
    log_odd(t->k, ODD_CUT);
    return 0;
}

int value_table_read(struct series_builder *k, struct err *e)
{
    struct value_table t = {.k = k};
    struct sheet_sink sink = {.row = table_row, .unended_row = last_row, .ctx = &t};
    int rc = sheet_read(k->file, &sink, e);
    vec_last(&k->s->files)->lines = k->line;
    return rc;
}

/* ---- names nobody knows ---- */

bool value_columns_unknown(struct str head, struct buf *names)
{
    struct str line, rest, s, key, value;
    double x;
    size_t n = 0;
    if (str_starts(head, "\xef\xbb\xbf"))
        head = str_cut(head, 3);
    str_split(head, '\n', &line, &rest);
    line = str_trim(line);
    if (line.n > 65536)
        return false;
    if (str_starts(line, "{") && str_ends(line, "}")) {
        s = str_cut(line, 1);
        while (n < COLUMNS && scan_member(&s, &key, &value) == 1)
            if (scan_number(unquoted(value), &x, NULL))
                buf_fmt(names, "%s%.*s", n++ ? ", " : "", STR_ARG(key));
        return n > 1;
    }
    str_split(rest, '\n', &s, &rest);
    size_t numbers = 0;
    while (s.n) {
        str_split(s, ',', &value, &s);
        numbers += scan_number(unquoted(str_trim(value)), &x, NULL);
    }
    if (numbers < 2 || str_find(line, ',') < 0)
        return false;
    while (line.n && n < COLUMNS) {
        str_split(line, ',', &key, &line);
        buf_fmt(names, "%s%.*s", n++ ? ", " : "", STR_ARG(unquoted(str_trim(key))));
    }
    return n > 1;
}

/* ---- MLflow: mlruns/0/RUN/metrics/train/loss with "TIMESTAMP VALUE STEP" a line ---- */

static bool metric_line(struct str line, double *value, double *digit, int64_t *step)
{
    double stamp, x;
    struct str s = str_trim(line);
    if (!scan_leading(&s, &stamp, NULL) || stamp < 1e12 || !scan_leading(&s, value, digit) || !scan_number(s, &x,
            NULL) || !is_step(x))
        return false;
    *step = (int64_t)x;
    return true;
}

/* What the file is called below "metrics/". */
static struct str metric_name(const char *path)
{
    struct str at = str_of(path), name = {0};
    ptrdiff_t k;
    while ((k = str_search(at, "metrics/")) >= 0)
        name = at = str_cut(at, (size_t)k + 8);
    return name;
}

bool mlflow_sniff(struct str head, const char *path)
{
    enum log_value v;
    struct str line, rest;
    double x, digit;
    int64_t step;
    str_split(head, '\n', &line, &rest);
    return value_named(metric_name(path), &v) && line.n < 200 && metric_line(line, &x, &digit, &step);
}

int mlflow_read(struct series_builder *k, struct err *e)
{
    struct log_lines l = {.file = k->file, .cancel = k->cancel};
    struct str line;
    enum log_value v = LOG_LOSS;
    int rc;
    value_named(metric_name(k->file->name), &v);
    while ((rc = log_line_next(&l, &line, e)) == 1 && !log_cancelled(k)) {
        struct log_record r = {0};
        double x, digit;
        k->line = l.line < UINT32_MAX ? (uint32_t)l.line : UINT32_MAX;
        if (!metric_line(line, &x, &digit, &r.step))
            continue;
        log_set(k, &r, v, x, digit);
        log_add(k, &r);
    }
    vec_last(&k->s->files)->lines = l.line;
    log_line_close(&l);
    return rc < 0 ? -1 : 0;
}
