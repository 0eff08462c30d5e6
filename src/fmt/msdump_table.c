/* statistic.csv of MindSpore Dump, read with libcsv: one row per tensor, columns by version and configuration. */
#include "fmt/msdump.h"
#include "fmt/sheet.h"

#include <csv.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/reading.h"
#include "dump/checksum.h"

#define BATCH 4096
#define CHUNK (256 * 1024)

enum statistic_column {
    COL_TYPE,
    COL_OP,
    COL_TASK,
    COL_STREAM,
    COL_IO,
    COL_SLOT,
    COL_DTYPE,
    COL_SHAPE,
    COL_MAX,
    COL_MIN,
    COL_AVG,
    COL_NORM,
    COL_NAN,
    COL_NEG_INF,
    COL_POS_INF,
    COL_ZERO,
    COL_CHECKSUM,
    COL_ELEMENTS,
    COL_BYTES,
    COL_COUNT
};

/* The names of columns in all versions (MindSpore 2.0 to 2.10, msprobe's acl dump). */
static const struct {
    const char *name;
    enum statistic_column column;
} columns[] = {
    {"Op Type", COL_TYPE},
    {"Op Name", COL_OP},
    {"Task ID", COL_TASK},
    {"Stream ID", COL_STREAM},
    {"IO", COL_IO},
    {"Input/Output", COL_IO},
    {"Slot", COL_SLOT},
    {"Data Type", COL_DTYPE},
    {"Shape", COL_SHAPE},
    {"Max Value", COL_MAX},
    {"Min Value", COL_MIN},
    {"Avg Value", COL_AVG},
    {"L2Norm Value", COL_NORM},
    {"L2 Value", COL_NORM},
    {"L2 Norm Value", COL_NORM},
    {"Nan Count", COL_NAN},
    {"Negative Inf Count", COL_NEG_INF},
    {"Positive Inf Count", COL_POS_INF},
    {"Zero Count", COL_ZERO},
    {"Count", COL_ELEMENTS},
    {"Data Size", COL_BYTES},
    {"MD5", COL_CHECKSUM},
    {"SHA1", COL_CHECKSUM},
};

#define ROW_MOST (16u << 20)

struct statistics_table {
    struct dump *d;
    const char *path;
    struct load *load;
    struct msdump_tasks *tasks;
    struct map runs;
    int at[COL_COUNT]; /* index of the column in this file, or -1 */
    const char *title[COL_COUNT]; /* the columns as the file calls them */
    int fields;        /* in the header */
    unsigned odd;      /* bits by column: what could not be read in the current row */
    uint64_t line;
    bool unended;      /* the current row has no line end */
    bool header_read, named; /* named: the header has the columns that identify a row */
    bool told;         /* missing columns were reported */
    VEC(size_t) ends; /* ends of the current row's fields */
    struct buf text;
    uint64_t row_at, at_now; /* file offsets: after the last complete row, and of the bytes being parsed */
    size_t pending;   /* rows appended since the lock was taken */
    size_t breaks;    /* line ends inside fields of the current row, which no valid field has */
};

static void on_field(void *s, size_t n, void *ctx)
{
    struct statistics_table *t = ctx;
    for (const char *p = s; p && (p = memchr(p, '\n', n - (size_t)(p - (const char *)s))); p++)
        t->breaks++;
    buf_add(&t->text, s, n);
    vec_push(&t->ends, t->text.n);
}

static struct str table_field(const struct statistics_table *t, int i)
{
    if (i < 0 || (size_t)i >= t->ends.n)
        return STR("");
    size_t from = i ? t->ends.v[i - 1] : 0;
    return str_n(t->text.p + from, t->ends.v[i] - from);
}

static struct str statistic_cell(const struct statistics_table *t, enum statistic_column c)
{
    return str_trim(table_field(t, t->at[c]));
}

static void take_title(struct statistics_table *t, enum statistic_column c, int i)
{
    t->at[c] = i;
    t->title[c] = arena_cstr(&t->d->arena, str_trim(table_field(t, i)));
}

static void statistic_read_header(struct statistics_table *t)
{
    for (int c = 0; c < COL_COUNT; c++)
        t->at[c] = -1;
    t->fields = (int)t->ends.n;
    for (int i = 0; i < t->fields; i++)
        for (size_t k = 0; k < ARRAY_LEN(columns); k++)
            if (str_ieq(str_trim(table_field(t, i)), str_of(columns[k].name)))
                take_title(t, columns[k].column, i);
}

/* Notes that a column of this row could not be read. */
static void note_odd_column(struct statistics_table *t, enum statistic_column c)
{
    t->odd |= 1u << c;
}

static void read_type(struct statistics_table *t, struct row *r)
{
    struct str name = statistic_cell(t, COL_DTYPE);
    r->dtype = (uint8_t)dtype_find(name);
    if (r->dtype == DTYPE_UNKNOWN && !reading_is_nothing(name) && !dtype_is_other(name))
        note_odd_column(t, COL_DTYPE);
}

static void read_shape(struct statistics_table *t, struct row *r)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    enum reading how = reading_sizes(statistic_cell(t, COL_SHAPE), TENSOR_DIMS, dim, &n);
    r->shape = how == READING_VALUE ? dump_shape(t->d, dim, n) : NONE;
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
    else if (how != READING_ABSENT)
        note_odd_column(t, COL_SHAPE);
}

/* "null": there was no finite value, so nothing was recorded. */
static void read_figure(struct statistics_table *t, enum statistic_column c, struct row *r, int stat, int bit)
{
    enum reading how = reading_number(statistic_cell(t, c), &r->stat[stat]);
    if (how == READING_VALUE)
        r->has |= (uint8_t)bit;
    else if (how == READING_UNREADABLE)
        note_odd_column(t, c);
}

static void read_count(struct statistics_table *t, enum statistic_column c, struct row_extra *x, uint64_t *to, int bit)
{
    enum reading how = reading_count(statistic_cell(t, c), to);
    if (how == READING_VALUE)
        x->counts |= (uint8_t)bit;
    else if (how == READING_UNREADABLE)
        note_odd_column(t, c);
}

/* The table says the size of a tensor again, in elements and in bytes: it is that of its shape and type. */
static void check_size(struct statistics_table *t, enum statistic_column c, const struct row *r, uint64_t each)
{
    uint64_t said;
    enum reading how = reading_count(statistic_cell(t, c), &said);
    if (how == READING_UNREADABLE ||
        (how == READING_VALUE && r->shape != NONE && each && said != t->d->shapes.v[r->shape]->numel * each))
        note_odd_column(t, c);
}

static const char *expected_in(enum statistic_column c)
{
    return c == COL_ELEMENTS || c == COL_BYTES ? _("the size of its shape")
           : c == COL_DTYPE                      ? _("an element type")
           : c == COL_SHAPE                      ? _("sizes in brackets")
           : c == COL_IO                         ? _("input or output")
           : c == COL_CHECKSUM                   ? _("a checksum")
                                                 : _("a number");
}

/* Reports the columns of a row that could not be read, each with its place. */
static void tell_odd(struct statistics_table *t, uint32_t row)
{
    struct err e;
    char found[READING_FOUND];
    for (enum statistic_column c = 0; c < COL_COUNT; c++) {
        if (!(t->odd >> c & 1))
            continue;
        err_line(&e, t->path, t->line, _("column \"%s\": expected %s, found %s"), t->title[c], expected_in(c),
                 reading_found(found, statistic_cell(t, c)));
        dump_unparsed(t->d, row, e.text);
    }
    t->odd = 0;
}

static void statistic_read_row(struct statistics_table *t)
{
    struct dump *d = t->d;
    struct row r = {.shape = NONE, .extra = NONE, .kind = ROW_TENSOR};
    struct row_extra x = {0};
    struct str io = statistic_cell(t, COL_IO);
    bool cut = t->unended || (int)t->ends.n < t->fields;
    r.slot = msdump_slot(d, io, statistic_cell(t, COL_SLOT));
    r.io = str_is(io, "output") ? IO_OUTPUT : IO_INPUT;
    if (!cut && !str_is(io, "output") && !str_is(io, "input"))
        note_odd_column(t, COL_IO);
    uint32_t call = msdump_call(d, &t->runs, statistic_cell(t, COL_TYPE), statistic_cell(t, COL_OP), r.slot, t->line);
    uint64_t stream, task;
    enum reading at[2] = {reading_count(statistic_cell(t, COL_STREAM), &stream),
                          reading_count(statistic_cell(t, COL_TASK), &task)};
    if (at[0] == READING_VALUE && at[1] == READING_VALUE)
        msdump_task_add(t->tasks, stream, task, call);
    if (!cut) {
        if (at[0] == READING_UNREADABLE)
            note_odd_column(t, COL_STREAM);
        if (at[1] == READING_UNREADABLE)
            note_odd_column(t, COL_TASK);
        read_type(t, &r);
        read_shape(t, &r);
        read_figure(t, COL_MAX, &r, STAT_MAX, HAS_MAX);
        read_figure(t, COL_MIN, &r, STAT_MIN, HAS_MIN);
        read_figure(t, COL_AVG, &r, STAT_MEAN, HAS_MEAN);
        read_figure(t, COL_NORM, &r, STAT_NORM, HAS_NORM);
        read_count(t, COL_NAN, &x, &x.nan, COUNT_NAN);
        read_count(t, COL_NEG_INF, &x, &x.neg_inf, COUNT_NEG_INF);
        read_count(t, COL_POS_INF, &x, &x.pos_inf, COUNT_POS_INF);
        read_count(t, COL_ZERO, &x, &x.zero, COUNT_ZERO);
        check_size(t, COL_ELEMENTS, &r, 1);
        check_size(t, COL_BYTES, &r, dtype_table[r.dtype].size);
        struct str sum = statistic_cell(t, COL_CHECKSUM);
        if (!reading_is_nothing(sum) && !checksum_is_one(sum)) {
            note_odd_column(t, COL_CHECKSUM);
        } else if (!reading_is_nothing(sum)) {
            r.text = arena_cstr(&d->arena, sum);
            r.has |= HAS_CHECKSUM;
            d->checksums = true;
        }
        if (x.counts)
            r.extra = msdump_extra(d, x);
    }
    uint32_t row = dump_add_row(d, call, r);
    if (t->odd)
        tell_odd(t, row);
    if (t->breaks) {
        struct err e;
        err_line(&e, t->path, t->line, _("a quoted field spans %zu lines: a quote may be missing; the rows in it are "
                                         "not read"),
                 t->breaks + 1);
        dump_problem(d, row, "damaged", e.text);
    }
    if (cut) {
        struct err e;
        if ((int)t->ends.n < t->fields)
            err_line(&e, t->path, t->line, _("expected %2$d fields, found %1$zu"), t->ends.n, t->fields);
        else
            err_line(&e, t->path, t->line, "%s", sheet_unended());
        dump_problem(d, row, "damaged", e.text);
    }
}

/* The first required column that the header lacks, or NULL. */
static const char *missing_column(const struct statistics_table *t)
{
    static const struct {
        enum statistic_column column;
        const char *name;
    } must[] = {{COL_TYPE, "Op Type"}, {COL_OP, "Op Name"}, {COL_IO, "IO"}, {COL_SLOT, "Slot"}};
    for (size_t i = 0; i < ARRAY_LEN(must); i++)
        if (t->at[must[i].column] < 0)
            return must[i].name;
    return NULL;
}

/* Reports missing columns: those that settings may omit, and those that every version writes. */
static void tell_missing(const struct statistics_table *t)
{
    static const struct {
        enum statistic_column column;
        const char *name;
    } usual[] = {{COL_DTYPE, "Data Type"}, {COL_SHAPE, "Shape"}};
    static const enum statistic_column figures[] =
        {COL_MAX, COL_MIN, COL_AVG, COL_NORM, COL_NAN, COL_NEG_INF, COL_POS_INF, COL_ZERO, COL_CHECKSUM};
    struct err e;
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(figures); i++)
        any = any || t->at[figures[i]] >= 0;
    for (size_t i = 0; i < ARRAY_LEN(usual); i++)
        if (t->at[usual[i].column] < 0) {
            err_line(&e, t->path, 1, _("no column \"%s\" in the header: its values are unknown for all "
                                       "rows"), usual[i].name);
            dump_warn(t->d, e.text);
        }
    if (!any) {
        err_line(&e, t->path, 1, _("no column of statistics in the header (Max Value, L2Norm Value, MD5 …): nothing to "
                                   "compare"));
        dump_warn(t->d, e.text);
    }
}

static void on_row(int c, void *ctx)
{
    struct statistics_table *t = ctx;
    t->unended = c < 0; /* of a last row without a line end */
    t->line++;
    t->row_at = t->at_now;
    bool empty = t->ends.n == 0 || (t->ends.n == 1 && t->text.n == 0);
    if (!t->header_read) {
        statistic_read_header(t);
        t->header_read = true;
        t->named = !missing_column(t);
    } else if (!empty && t->named) {
        if (!t->told)
            tell_missing(t);
        t->told = true;
        statistic_read_row(t);
        if (++t->pending % BATCH == 0) { /* release the lock for readers */
            load_end(t->load);
            load_begin(t->load);
        }
    }
    t->line += t->breaks;
    t->breaks = 0;
    vec_clear(&t->ends);
    buf_clear(&t->text);
}

static int header_error(const struct statistics_table *t, struct err *e)
{
    if (!t->header_read)
        return err_line(e, t->path, 1, _("empty file; expected a header with \"Op Type\""));
    return t->named ? 0 : err_line(e, t->path, 1, _("no column \"%s\" in the header"), missing_column(t));
}

int msdump_read_table(struct dump *d, const char *path, struct msdump_tasks *tasks, struct load *load, struct err *e)
{
    struct file f;
    struct csv_parser csv;
    struct statistics_table t = {.d = d, .path = path, .load = load, .tasks = tasks};
    struct earlier_runs earlier = msdump_earlier_rows(path);
    char *chunk;
    int rc = 0;
    if (file_open(&f, path, e))
        return -1;
    chunk = mem_alloc(CHUNK);
    csv_init(&csv, 0);
    csv_set_realloc_func(&csv, mem_resize);
    csv_set_blk_size(&csv, 64 * 1024); /* the default growth of 128 bytes is quadratic for long fields */
    d->bytes += f.size;
    load_begin(load);
    for (uint64_t at = 0; rc == 0;) {
        size_t most = at < earlier.begin && earlier.begin - at < CHUNK ? (size_t)(earlier.begin - at) : CHUNK;
        long n = file_read_some(&f, at, chunk, most, e);
        if (n <= 0) {
            rc = (int)n;
            break;
        }
        t.at_now = at;
        if (at - t.row_at > ROW_MOST)
            rc = err_line(e, path, t.line + 1, _("a row of more than 16 MB; a quote may be missing"));
        else if (csv_parse(&csv, chunk, (size_t)n, on_field, on_row, &t) != (size_t)n)
            rc = err_line(e, path, t.line + 1, "%s", csv_strerror(csv_error(&csv)));
        at += (uint64_t)n;
        d->bytes_done += (uint64_t)n;
        if (earlier.rows && at == earlier.begin) {
            d->bytes_done += earlier.end - at;
            t.row_at = at = earlier.end;
            t.line += earlier.rows;
        }
        if (rc == 0 && t.header_read)
            rc = header_error(&t, e);
        if (rc == 0 && load_cancelled(load))
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
    }
    if (rc == 0) {
        csv_fini(&csv, on_field, on_row, &t);
        rc = header_error(&t, e);
    }
    if (earlier.rows)
        msdump_tell_earlier(d, path, earlier.rows);
    load_end(load);
    csv_free(&csv);
    free(chunk);
    map_release(&t.runs);
    vec_release(&t.ends);
    buf_release(&t.text);
    file_close(&f);
    return rc;
}
