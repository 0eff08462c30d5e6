/* Reads values of steps with arbitrary names: one JSON object per line, tables with a header, and MLflow's files of
 * one value each. */
#include <cjson/cJSON.h>

#include "base/msg.h"
#include "fmt/sheet.h"
#include "log/series_builder.h"
#include "log/value_names.h"

static bool is_step_number(double x)
{
    return x >= 0 && x < (double)LOG_STEP && x == (double)(int64_t)x;
}

/* A learning rate alone is a setting: a step needs a measured value. */
static bool has_measured_value(unsigned has)
{
    return has & (1u << LOG_LOSS | 1u << LOG_NORM);
}

/* ---- objects ---- */

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
static bool is_values_key(struct str key)
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
    bool judged;    /* of validation */
    bool mlperf;    /* its "metadata" say the step */
    bool of_parameter; /* a norm of one weight, not the step's */
    /* of an object a value: {"step": 1, "name": "loss", "value": 2.5} */
    struct str value_name, value_text;
};


/* "[0, 100]" as a step: the epoch and the step in it. */
static bool step_pair(struct str value, double *epoch, double *step)
{
    struct str s = str_cut(value, 1);
    if (!str_starts(value, "[") || !scan_leading(&s, epoch, NULL) || !str_starts(str_trim(s), ","))
        return false;
    s = str_cut(str_trim(s), 1);
    return scan_leading(&s, step, NULL) && str_is(str_trim(s), "]");
}

static void take_step_number(struct step_object *o, double x)
{
    o->stepped = is_step_number(x);
    o->r.step = o->stepped ? (int64_t)x : 0;
}

/* What a member says about the object, whatever its value is. */
static void note_object_words(struct step_object *o, struct str key, struct str value, bool inside)
{
    double x;
    o->judged = o->judged || (value_is_split(key) && value_split_judged(scan_unquoted(value)));
    if (value_is_rank(key) && scan_number(value, &x, NULL) && is_step_number(x))
        o->r.rank = log_rank_said((int64_t)x);
    o->of_parameter = o->of_parameter || log_is_parameter(scan_unquoted(value));
    if (!inside && value_says_name(key))
        o->value_name = scan_unquoted(value);
    else if (!inside && value_says_value(key))
        o->value_text = scan_unquoted(value);
}

/* A value that is no number, where a number belongs. */
static void note_odd_member(struct step_object *o, struct str key, struct str value)
{
    enum log_value v;
    if (value.p[0] == '{' || value.p[0] == '[' || reading_is_nothing(scan_unquoted(value)))
        return;
    if (value_named(key, &v))
        o->odd = scan_unquoted(value);
    if (!o->stepped && value_is_step(key))
        o->odd_step = scan_unquoted(value);
}

/* Reads the members after a '{'; `inside` of a nested object. Whether they are complete. */
static bool take_members(struct step_object *o, struct str s, bool inside)
{
    struct str key, value;
    double x, digit;
    int rc;
    while ((rc = scan_member(&s, &key, &value)) == 1) {
        enum log_value v;
        double epoch;
        key = written_key(key, &o->plain);
        note_object_words(o, key, value, inside);
        if (!inside && value.n && value.p[0] == '{' && (is_values_key(key) || (o->mlperf && str_is(key, "metadata")))) {
            if (!take_members(o, str_cut(value, 1), true))
                return false;
        } else if (!o->stepped && value_is_step(key) && step_pair(value, &epoch, &x)) {
            take_step_number(o, x);
            o->epoch = epoch;
        } else if (!scan_number(scan_unquoted(value), &x, &digit)) {
            note_odd_member(o, key, value);
        } else if (!o->stepped && value_is_step(key)) {
            take_step_number(o, x);
            o->odd_step = scan_unquoted(value);
        } else if (o->mlperf && inside && str_is(key, "samples_count") && !o->stepped) {
            take_step_number(o, x);
            if (o->k)
                o->k->s->in_samples = true;
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

static void take_named_value(struct step_object *o)
{
    enum log_value v;
    double x, digit;
    if (!value_taken(&o->taken, o->value_name, &v))
        return;
    if (!scan_number(o->value_text, &x, &digit))
        o->odd = reading_is_nothing(o->value_text) ? o->odd : o->value_text;
    else if (o->k)
        log_set(o->k, &o->r, v, x, digit);
}

/* The line's object, without the mark that NVIDIA's DLLogger or MLPerf's logging writes before it. */
static struct str object_of_line(struct str line, bool *mlperf)
{
    struct str s = str_trim(line);
    if (str_starts(s, "DLLL "))
        s = str_trim(str_cut(s, strlen("DLLL ")));
    if ((*mlperf = str_starts(s, ":::MLLOG ")))
        s = str_trim(str_cut(s, strlen(":::MLLOG ")));
    return s;
}

/* Whether the line is one object with a step and a value that is known; k (may be NULL) takes it. */
static bool take_step_object(struct series_builder *k, struct str line)
{
    struct step_object o = {.k = k, .epoch = -1};
    struct str s = object_of_line(line, &o.mlperf);
    if (!s.n || s.p[0] != '{')
        return false;
    bool whole = take_members(&o, str_cut(s, 1), false);
    buf_release(&o.plain);
    if (whole && o.value_name.n && o.value_text.n && !has_measured_value(o.taken.has))
        take_named_value(&o);
    if (o.of_parameter)
        return false;
    if (whole && o.judged && o.stepped)
        return k != NULL; /* a line of its own, and no step of training */
    if (k && !whole && o.stepped && s.p[s.n - 1] == '}') { /* {"step": 3, "loss": 4,985} */
        log_odd_value(k, s);
        return true;
    }
    bool odd_step = !o.stepped && o.odd_step.n && has_measured_value(o.taken.has);
    if (odd_step)
        o.odd = o.odd_step;
    if (!whole || (!o.stepped && !odd_step) || (!has_measured_value(o.taken.has) && !o.odd.n))
        return false;
    if (k && o.odd.n)
        log_odd_value(k, o.odd);
    if (!o.taken.has || !o.stepped)
        return k || o.odd.n;
    if (k && o.r.has) {
        log_total_taken(k, &o.taken);
        log_join_epoch(k, &o.r, o.epoch);
        log_extra_values(k, o.r.step, &o.rl);
        log_add(k, &o.r);
    }
    return true;
}

bool json_values_words(struct str line)
{
    line = str_trim(line);
    return str_starts(line, "{") || str_starts(line, "DLLL {") || str_starts(line, ":::MLLOG {");
}

bool json_values_starts(struct str line)
{
    return take_step_object(NULL, line);
}

enum log_take json_values_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    (void)fresh;
    (void)last;
    return take_step_object(k, line) ? TAKE_DONE : TAKE_NOT;
}

/* ---- tables ---- */

#define COLUMNS 256

struct value_table {
    struct series_builder *k;
    bool alone; /* a file of one value each: a learning rate will do */
    bool head;
    const char *path;
    bool by_epoch;       /* the step is the epoch, which grows from row to row */
    bool rows;           /* they do not: the rows are numbered */
    double last_epoch;
    int64_t numbered;
    int8_t one;          /* enum log_value of a table without names */
    size_t n;
    int step, epoch, split, rank; /* their columns; -1: none */
    int name, value;     /* of a table of one value a row: its name (-1: the file's name says it), itself (-1: none) */
    int8_t as[COLUMNS];  /* enum log_value of a column, -1: another column */
};

/* TensorBoard's download has one tag's values, and the tag in the file's name: "run-.-tag-train_loss.csv". Of another
 * name they are losses, as whoever gives the file as a log says. */
static bool find_one_value_name(struct value_table *t)
{
    struct str base = path_base(str_of(t->path)), tag;
    enum log_value v = LOG_LOSS;
    bool known = !scan_behind(base, "-tag-", &tag);
    if (!known) {
        tag.n -= str_ends(tag, ".csv") ? strlen(".csv") : 0;
        known = value_named(tag, &v) || value_loss_rank(tag) >= 0;
    }
    t->one = (int8_t)v;
    return known;
}

/* A step, a value and the time it was written, as TensorBoard and Neptune download one series. */
static bool times_stand_in(const struct str *cell, size_t n)
{
    static const char *const times[] = {"wall time", "wall_time", "timestamp"};
    for (size_t i = 0; i < n && n <= 4; i++)
        for (size_t k = 0; k < ARRAY_LEN(times); k++)
            if (str_ieq(str_trim(cell[i]), str_of(times[k])))
                return true;
    return false;
}

/* The column that a cell of the head names, if it is none of a value and has not been named before; NULL otherwise. */
static int *named_column(struct value_table *t, struct str cell)
{
    return t->step < 0 && value_is_step(cell)                 ? &t->step
           : t->epoch < 0 && str_is(str_trim(cell), "epoch")  ? &t->epoch
           : t->split < 0 && value_is_split(cell)             ? &t->split
           : t->rank < 0 && value_is_rank(cell)               ? &t->rank
           : t->name < 0 && value_says_name(str_trim(cell))   ? &t->name
           : t->value < 0 && value_says_value(cell)           ? &t->value
                                                              : NULL;
}

static bool value_table_header(struct value_table *t, const struct str *cell, size_t n)
{
    struct values_taken taken = {0};
    t->step = t->epoch = t->split = t->rank = t->name = t->value = -1;
    t->n = n < COLUMNS ? n : COLUMNS;
    for (size_t i = 0; i < t->n; i++) {
        enum log_value v;
        t->as[i] = -1;
        int *named = named_column(t, cell[i]);
        if (named) {
            *named = (int)i;
        } else if (value_taken(&taken, cell[i], &v)) {
            for (size_t k = 0; k < i; k++) /* a part of it */
                t->as[k] = t->as[k] == (int8_t)v ? -1 : t->as[k];
            t->as[i] = (int8_t)v;
        }
    }
    if (t->k)
        log_total_taken(t->k, &taken);
    if (t->step < 0 && t->n && !str_trim(cell[0]).n) /* the index that pandas writes */
        t->step = 0;
    t->by_epoch = t->step < 0 && t->epoch >= 0;
    if (t->by_epoch) {
        t->step = t->epoch;
        t->epoch = -1;
    }
    if (taken.has)
        t->value = -1;
    else if (t->step >= 0 && t->value >= 0)
        return t->name >= 0 || (times_stand_in(cell, t->n) && find_one_value_name(t));
    return t->step >= 0 && (t->alone ? taken.has != 0 : has_measured_value(taken.has));
}

static int take_header_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    (void)line;
    (void)e;
    struct value_table *t = ctx;
    t->head = n > 1 && value_table_header(t, cell, n);
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
    t.path = path;
    struct sheet_sink sink = {.row = take_header_row, .unended_row = no_row, .ctx = &t};
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

static int take_value_row(struct value_table *t, const struct str *cell, size_t n, struct log_record *r)
{
    struct values_taken taken = {0};
    enum log_value v = (enum log_value)t->one;
    double x, digit;
    bool named = t->name < 0 || ((size_t)t->name < n && value_taken(&taken, cell[t->name], &v));
    if (named && (size_t)t->value < n && log_number(t->k, cell[t->value], &x, &digit) == READING_VALUE) {
        log_set(t->k, r, v, x, digit);
        log_add(t->k, r);
    }
    return log_cancelled(t->k) ? 1 : 0;
}

static int table_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct value_table *t = ctx;
    struct log_record r = {0};
    double x, digit;
    t->k->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    if (!t->head) {
        t->head = true;
        return value_table_header(t, cell, n)
                   ? 0
                   : err_line(e, t->k->file->name, line, _("expected a step column and a value column"));
    }
    if ((size_t)t->step >= n || !scan_number(cell[t->step], &x, NULL) || !is_step_number(x)) {
        if ((size_t)t->step >= n || reading_is_nothing(cell[t->step]))
            log_odd(t->k, ODD_STEP);
        else if (!value_is_step(cell[t->step])) /* the header again, after the run was resumed */
            log_odd_value(t->k, cell[t->step]);
        return 0;
    }
    r.step = t->rows ? ++t->numbered : (int64_t)x;
    if (t->split >= 0 && (size_t)t->split < n && value_split_judged(cell[t->split]))
        return 0;
    if (t->rank >= 0 && (size_t)t->rank < n && scan_number(cell[t->rank], &x, NULL) && is_step_number(x))
        r.rank = log_rank_said((int64_t)x);
    if (t->value >= 0)
        return take_value_row(t, cell, n, &r);
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

/* Whether the epochs of a table without steps grow; once they do not, nothing more is looked at. */
static int epoch_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct value_table *t = ctx;
    double x;
    (void)line, (void)e;
    if (!t->head) {
        t->head = true;
        return value_table_header(t, cell, n) && t->by_epoch ? 0 : 1;
    }
    if ((size_t)t->step >= n || !scan_number(cell[t->step], &x, NULL))
        return 0;
    t->rows = x <= t->last_epoch;
    t->last_epoch = x;
    return t->rows;
}

static int read_table(struct value_table t, struct err *e)
{
    struct series_builder *k = t.k;
    struct value_table epochs = {.path = k->file->name, .last_epoch = -1};
    struct sheet_sink look = {.row = epoch_row, .ctx = &epochs};
    t.path = k->file->name;
    struct sheet_sink sink = {.row = table_row, .unended_row = last_row, .ctx = &t};
    int rc = sheet_read(k->file, &look, e);
    t.rows = epochs.rows;
    k->stepless = k->stepless || t.rows;
    if (rc >= 0)
        rc = sheet_read(k->file, &sink, e);
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
            if (scan_number(scan_unquoted(value), &x, NULL))
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
        !scan_leading(&s, &x, NULL) || (s.n && s.p[0] != ' ') || !is_step_number(x))
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
