/* Reads values of steps with arbitrary names: one JSON object per line, tables with a header, and MLflow's files of
 * one value each. */
#include <cjson/cJSON.h>

#include "base/msg.h"
#include "fmt/sheet.h"
#include "log/series_builder.h"
#include "log/value_names.h"

static bool is_step(double x)
{
    return x >= 0 && x < (double)LOG_STEP && x == (double)(int64_t)x;
}

/* A learning rate alone is a setting: a step needs a measured value. */
static bool measured(unsigned has)
{
    return has & (1u << LOG_LOSS | 1u << LOG_NORM);
}

/* ---- objects ---- */

static struct str unquoted(struct str v)
{
    return v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"' ? str_n(v.p + 1, v.n - 2) : v;
}

/* Undoes escapes of a key: "\\u635f\\u5931" is a name too. */
static struct str written_key(struct str key, struct buf *plain)
{
    if (str_find(key, '\\') < 0)
        return key;
    buf_clear(plain);
    buf_fmt(plain, "\"%.*s\"", STR_ARG(key));
    cJSON *text = cJSON_ParseWithLength(plain->p, plain->n);
    if (cJSON_IsString(text)) {
        buf_clear(plain);
        buf_cstr(plain, text->valuestring);
        key = buf_view(plain);
    }
    cJSON_Delete(text);
    return key;
}

/* The object that holds the step's values: verl's file logger writes {"step": 1, "data": {"actor/pg_loss": …}}. */
static bool holds_values(struct str key)
{
    static const char *const names[] = {"data", "metrics", "train", "log", "logs", "scalars"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(key, names[i]))
            return true;
    return false;
}

struct step_object {
    struct series_builder *k; /* may be NULL: then only checks whether there is one */
    struct log_record r;
    struct buf plain;
    bool stepped;
    double epoch;   /* -1: none is said */
    struct str odd_step; /* a step that is no whole number */
    struct str odd; /* a value of a known name that is no number */
    struct values_taken taken;
    struct extra_values rl;
};

/* Reads the members after a '{'; `inside` of a nested object. Whether they are complete. */
static bool take_members(struct step_object *o, struct str s, bool inside)
{
    struct str key, value;
    double x, digit;
    int rc;
    while ((rc = scan_member(&s, &key, &value)) == 1) {
        enum log_value v;
        key = written_key(key, &o->plain);
        if (!inside && value.n && value.p[0] == '{' && holds_values(key)) {
            if (!take_members(o, str_cut(value, 1), true))
                return false;
        } else if (!scan_number(unquoted(value), &x, &digit)) {
            bool odd = value.p[0] != '{' && value.p[0] != '[' && !reading_is_nothing(unquoted(value));
            if (odd && value_named(key, &v))
                o->odd = unquoted(value);
            if (odd && !o->stepped && value_is_step(key))
                o->odd_step = unquoted(value);
            continue;
        } else if (!o->stepped && value_is_step(key)) {
            o->stepped = is_step(x);
            o->odd_step = unquoted(value);
            o->r.step = o->stepped ? (int64_t)x : 0;
        } else if (str_is(key, "epoch")) {
            o->epoch = x;
        } else if (extra_value_take(&o->rl, key, x)) {
            continue;
        } else if (value_taken(&o->taken, key, &v) && o->k) {
            log_set(o->k, &o->r, v, x, digit);
            o->k->s->in_samples |= value_counts_samples(key);
        }
    }
    return rc == 0;
}

/* Whether the line is one object with a step and a value that is known; k (may be NULL) takes it. */
static bool object(struct series_builder *k, struct str line)
{
    struct step_object o = {.k = k, .epoch = -1};
    struct str s = str_trim(line);
    if (!s.n || s.p[0] != '{')
        return false;
    bool whole = take_members(&o, str_cut(s, 1), false);
    buf_release(&o.plain);
    if (k && !whole && o.stepped && s.p[s.n - 1] == '}') { /* {"step": 3, "loss": 4,985} */
        log_odd_value(k, s);
        return true;
    }
    bool odd_step = !o.stepped && o.odd_step.n && measured(o.taken.has);
    if (odd_step)
        o.odd = o.odd_step;
    if (!whole || (!o.stepped && !odd_step) || (!measured(o.taken.has) && !o.odd.n))
        return false;
    if (k && o.odd.n)
        log_odd_value(k, o.odd);
    if (!o.taken.has || !o.stepped)
        return k != NULL;
    if (k) {
        log_total_taken(k, &o.taken);
        log_join_epoch(k, &o.r, o.epoch);
        log_extra_values(k, o.r.step, &o.rl);
        log_add(k, &o.r);
    }
    return true;
}

bool json_values_words(struct str line)
{
    return str_starts(str_trim(line), "{");
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
    bool alone; /* a file of one value each: a learning rate will do */
    bool head;
    size_t n;
    int step, epoch;     /* their columns; -1: none */
    int8_t as[COLUMNS];  /* enum log_value of a column, -1: another column */
};

static bool header(struct value_table *t, const struct str *cell, size_t n)
{
    struct values_taken taken = {0};
    t->step = t->epoch = -1;
    t->n = n < COLUMNS ? n : COLUMNS;
    for (size_t i = 0; i < t->n; i++) {
        enum log_value v;
        t->as[i] = -1;
        if (t->step < 0 && value_is_step(cell[i])) {
            t->step = (int)i;
        } else if (t->epoch < 0 && str_is(str_trim(cell[i]), "epoch")) {
            t->epoch = (int)i;
        } else if (value_taken(&taken, cell[i], &v)) {
            for (size_t k = 0; k < i; k++) /* a part of it */
                t->as[k] = t->as[k] == (int8_t)v ? -1 : t->as[k];
            t->as[i] = (int8_t)v;
        }
    }
    if (t->k)
        log_total_taken(t->k, &taken);
    return t->step >= 0 && (t->alone ? taken.has != 0 : measured(taken.has));
}

static int first_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    (void)line;
    (void)e;
    struct value_table *t = ctx;
    t->head = n > 1 && header(t, cell, n);
    return 1;
}

/* A row cut off by the end of the examined text. */
static int no_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    (void)ctx, (void)cell, (void)n, (void)line, (void)e;
    return 1;
}

/* The first line of a table with columns we know. */
static bool table_begins(struct value_table t, struct str head, const char *path)
{
    struct sheet_sink sink = {.row = first_row, .unended_row = no_row, .ctx = &t};
    struct err quiet;
    return str_find(head, ',') >= 0 && sheet_read_text(head, path, &sink, &quiet) == 0 && t.head;
}

bool value_table_sniff(struct str head, const char *path)
{
    return table_begins((struct value_table){0}, head, path);
}

/* DeepSpeed's csv_monitor: Train_Samples_train_loss.csv, Train_Samples_lr.csv, "step,train_loss" on top. */
bool samples_table_sniff(struct str head, const char *path)
{
    return str_starts(path_base(str_of(path)), "Train_Samples_") &&
           table_begins((struct value_table){.alone = true}, head, path);
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
        if ((size_t)t->step >= n || reading_is_nothing(cell[t->step]))
            log_odd(t->k, ODD_STEP);
        else if (!value_is_step(cell[t->step])) /* the header again, after the run was resumed */
            log_odd_value(t->k, cell[t->step]);
        return 0;
    }
    r.step = (int64_t)x;
    double epoch = -1;
    if (t->epoch >= 0 && (size_t)t->epoch < n && !scan_number(cell[t->epoch], &epoch, NULL))
        epoch = -1;
    for (size_t i = 0; i < t->n && i < n; i++)
        if (t->as[i] >= 0 && log_number(t->k, cell[i], &x, &digit) == READING_VALUE)
            log_set(t->k, &r, (enum log_value)t->as[i], x, digit);
    if (r.has) {
        log_join_epoch(t->k, &r, epoch);
        log_add(t->k, &r);
    }
    return log_cancelled(t->k) ? 1 : 0;
}

/* The last number may be cut off; a single row is kept nevertheless. */
static int last_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct value_table *t = ctx;
    if (!t->k->s->records.n)
        return table_row(ctx, cell, n, line, e);
    log_odd(t->k, ODD_CUT);
    return 0;
}

static int read_table(struct value_table t, struct err *e)
{
    struct series_builder *k = t.k;
    struct sheet_sink sink = {.row = table_row, .unended_row = last_row, .ctx = &t};
    int rc = sheet_read(k->file, &sink, e);
    vec_last(&k->s->files)->lines = k->line;
    return rc;
}

int value_table_read(struct series_builder *k, struct err *e)
{
    return read_table((struct value_table){.k = k}, e);
}

int samples_table_read(struct series_builder *k, struct err *e)
{
    k->s->in_samples = true;
    return read_table((struct value_table){.k = k, .alone = true}, e);
}

/* ---- names nobody knows ---- */

struct unknown_names {
    struct buf *names;
    size_t n, numbers; /* names; numbers in the row below them */
};

static void add_name(struct unknown_names *u, struct str name)
{
    buf_fmt(u->names, "%s%.*s", u->n++ ? ", " : "", STR_ARG(name));
}

static int names_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct unknown_names *u = ctx;
    double x;
    (void)e;
    for (size_t i = 0; i < n && i < COLUMNS; i++)
        if (line == 1)
            add_name(u, str_trim(cell[i]));
        else
            u->numbers += scan_number(cell[i], &x, NULL);
    return line > 1;
}

bool value_columns_unknown(struct str head, const char *path, struct buf *names)
{
    struct unknown_names u = {.names = names};
    struct str line, rest, key, value;
    struct buf plain = {0};
    double x;
    str_split(head, '\n', &line, &rest);
    line = str_trim(line);
    if (str_starts(line, "{") && str_ends(line, "}")) {
        struct str s = str_cut(line, 1);
        while (u.n < COLUMNS && scan_member(&s, &key, &value) == 1)
            if (scan_number(unquoted(value), &x, NULL))
                add_name(&u, written_key(key, &plain));
        buf_release(&plain);
        return u.n > 1;
    }
    struct sheet_sink sink = {.row = names_row, .ctx = &u};
    struct err quiet;
    return sheet_read_text(head, path, &sink, &quiet) == 0 && u.n > 1 && u.numbers > 1;
}

/* ---- MLflow: mlruns/0/RUN/metrics/train/loss with "TIMESTAMP VALUE STEP" a line, and a data set's name and digest
 * behind them or not ---- */

static bool metric_line(struct str line, double *value, double *digit, int64_t *step)
{
    double stamp, x;
    struct str s = str_trim(line);
    if (!scan_leading(&s, &stamp, NULL) || stamp < 1e12 || !scan_leading(&s, value, digit) ||
        !scan_leading(&s, &x, NULL) || (s.n && s.p[0] != ' ') || !is_step(x))
        return false;
    *step = (int64_t)x;
    return true;
}

/* The file's path below "metrics/". */
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
    struct str line, rest = head;
    double x, digit;
    int64_t step;
    for (int i = 0; i < 4 && rest.n && value_named(metric_name(path), &v); i++) { /* one may be damaged */
        str_split(rest, '\n', &line, &rest);
        if (line.n < 200 && metric_line(line, &x, &digit, &step))
            return true;
    }
    return false;
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
        if (!metric_line(line, &x, &digit, &r.step)) {
            if (str_trim(line).n)
                log_odd_value(k, line);
            continue;
        }
        log_set(k, &r, v, x, digit);
        log_add(k, &r);
    }
    vec_last(&k->s->files)->lines = l.line;
    log_line_close(&l);
    return rc < 0 ? -1 : 0;
}
