/* dump_data.trend.db, made by msprobe data2db of a dump: the figures of every float tensor, step and rank. Forward
 * calls are in their order; data2db may renumber calls, forward and backward ones apart, so that they are not linked.
 */
#include "fmt/msprobe_trend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "fmt/msprobe.h"

#define PLACES 65536
#define BATCH 4096
/* msprobe keeps no larger number: it writes the limit, and for infinity the limit and one */
#define LARGEST 1e9

static bool trend_probe(const char *path)
{
    return path_is_file(path) && database_holds(path, "trend_data") && trend_holds_dump(path);
}

enum reading trend_figure(const struct query *q, int column, double *out)
{
    enum reading found = query_number(q, column, out);
    if (found != READING_VALUE || fabs(*out) < LARGEST)
        return found;
    if (fabs(*out) > LARGEST) {
        *out = copysign(INFINITY, *out);
        return READING_VALUE;
    }
    return READING_UNREADABLE; /* any number beyond the limit */
}

bool trend_holds_dump(const char *path)
{
    struct str name = path_base(str_of(path));
    struct database db;
    struct query q = {0};
    struct err quiet;
    int64_t n;
    bool yes = false;
    if (database_open(&db, path, &quiet)) /* the name alone says it */
        return str_starts(name, "dump_data");
    if (query_begin(&q, &db, "SELECT count(*) FROM monitoring_metrics WHERE metric_name IN ('forward', 'backward', "
                    "'recompute', 'parameters_grad')", &quiet) == 0)
        yes = query_next(&q, &quiet) == 1 && query_whole(&q, 0, &n) == READING_VALUE && n > 0;
    query_end(&q);
    database_close(&db);
    return yes;
}

/* One that cannot be read is a place still: opening it says why. */
static void trend_places(const char *path, place_list *out)
{
    struct database db;
    struct query q = {0};
    struct err quiet;
    size_t before = out->n;
    int64_t step = -1, rank = -1;
    if (database_open(&db, path, &quiet) == 0) {
        /* one search of the primary key a place; DISTINCT would read all rows */
        int rc = query_begin(&q, &db, "SELECT rank, step FROM trend_data WHERE (rank, step) > (?1, ?2) "
                             "ORDER BY rank, step LIMIT 1", &quiet);
        while (rc == 0 && out->n - before < PLACES) {
            query_set_whole(&q, 0, rank);
            query_set_whole(&q, 1, step);
            if (query_next(&q, &quiet) != 1 || query_whole(&q, 0, &rank) != READING_VALUE ||
                query_whole(&q, 1, &step) != READING_VALUE || rank < 0 || step < 0 || rank > INT32_MAX ||
                step > INT32_MAX)
                break;
            place_list_add(out, &reader_msprobe_trend, path, (int)step, (int)rank);
        }
        query_end(&q);
        database_close(&db);
    }
    if (out->n == before)
        place_list_add(out, &reader_msprobe_trend, path, -1, -1);
}

/* ---- rows ---- */

/* A tensor of the database; texts are in the dump's arena. */
struct trend_row {
    const char *call, *slot;
    enum row_io io;
    bool backward, gradient;
    size_t at;               /* order of target_id */
    double stat[STAT_COUNT];
    uint16_t has;
    uint8_t odd;             /* a bit for every figure that cannot be read */
};

struct trend_reading {
    struct dump *d;
    VEC(struct trend_row) rows;
    bool mindspore;
};

/* "Module.a.B", 3, forward → "Module.a.B.forward.3"; "Functional.linear", 3 → "Functional.linear.3.forward". */
static const char *call_named(struct dump *d, struct str name, int64_t number, const char *phase)
{
    if (str_starts(name, "Module.") || str_starts(name, "Cell."))
        return arena_fmt(&d->arena, "%.*s.%s.%lld", STR_ARG(name), phase, (long long)number);
    return arena_fmt(&d->arena, "%.*s.%lld.%s", STR_ARG(name), (long long)number, phase);
}

/* Splits "Module.a.B.input.0" after the call; false where it has no such part. */
static bool split_target(struct str name, struct str *call, struct str *slot, enum row_io *io)
{
    static const struct {
        const char *word;
        enum row_io io;
    } words[] = {{".input.", IO_INPUT}, {".output.", IO_OUTPUT}, {".parameters.", IO_PARAMETER}};
    ptrdiff_t best = -1;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        for (size_t from = 0;;) {
            ptrdiff_t at = str_search(str_cut(name, from), words[i].word);
            if (at < 0)
                break;
            if ((ptrdiff_t)from + at > best) {
                best = (ptrdiff_t)from + at;
                *io = words[i].io;
            }
            from += (size_t)at + 1;
        }
    if (best < 1)
        return false;
    *call = str_n(name.p, (size_t)best);
    *slot = str_cut(name, (size_t)best + 1);
    return true;
}

static int trend_take_row(struct trend_reading *x, const struct query *q, struct err *e)
{
    static const unsigned has[STAT_COUNT] = {[STAT_MAX] = HAS_MAX, [STAT_MIN] = HAS_MIN, [STAT_MEAN] = HAS_MEAN,
                                             [STAT_NORM] = HAS_NORM};
    struct dump *d = x->d;
    struct trend_row r = {.at = x->rows.n};
    struct str name, metric, call, slot;
    int64_t number;
    if (query_text(q, 0, &name) != READING_VALUE || query_whole(q, 1, &number) != READING_VALUE || number < 0 ||
        query_text(q, 2, &metric) != READING_VALUE)
        return err_set(e, ERR_DATA, _("%s: expected the name, number and kind of a tensor"), d->path);
    r.backward = !str_is(metric, "forward") && !str_is(metric, "recompute");
    r.gradient = str_is(metric, "parameters_grad");
    if (r.gradient) {
        ptrdiff_t dot = str_rfind(name, '.');
        call = str_n(name.p, dot < 0 ? name.n : (size_t)dot);
        slot = str_cut(name, (size_t)(dot + 1));
        r.io = IO_GRADIENT;
    } else if ((r.backward && !str_is(metric, "backward")) || !split_target(name, &call, &slot, &r.io)) {
        return err_set(e, ERR_DATA, _("%s: %.*s, %.*s: expected a tensor of a forward or backward call"), d->path,
                       STR_ARG(name), STR_ARG(metric));
    }
    r.call = call_named(d, call, number, r.gradient ? "parameters_grad" : r.backward ? "backward" : "forward");
    r.slot = arena_cstr(&d->arena, slot);
    x->mindspore = x->mindspore || str_starts(name, "Cell.") || str_starts(name, "Mint.") ||
                   str_starts(name, "Primitive.");
    for (int i = 0; i < STAT_COUNT; i++) {
        /* only tensors with figures are written, and NaN is written as nothing */
        if (trend_figure(q, 3 + i, &r.stat[i]) == READING_VALUE)
            r.has = (uint16_t)(r.has | has[i]);
        else
            r.odd = (uint8_t)(r.odd | 1u << i);
    }
    vec_push(&x->rows, r);
    return 0;
}

/* Forward calls in their order, backward calls in the opposite one, gradients of parameters last. */
static int by_order(const void *a, const void *b)
{
    const struct trend_row *x = a, *y = b;
    if (x->gradient != y->gradient || x->backward != y->backward)
        return x->gradient + x->backward - y->gradient - y->backward;
    if (x->backward && !x->gradient && strcmp(x->call, y->call) != 0)
        return x->at < y->at ? 1 : -1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void add_rows(struct trend_reading *x)
{
    struct dump *d = x->d;
    struct map calls = {0}, first = {0};
    char found[64];
    /* all rows of a call stand where its first one does */
    for (size_t i = 0; i < x->rows.n; i++) {
        struct trend_row *r = &x->rows.v[i];
        uint32_t at = map_get(&first, str_of(r->call));
        if (at == MAP_NONE)
            map_add(&first, str_of(r->call), (uint32_t)i);
        r->at = at == MAP_NONE ? i : at;
    }
    qsort(x->rows.v, x->rows.n, sizeof *x->rows.v, by_order);
    for (size_t i = 0; i < x->rows.n; i++) {
        const struct trend_row *r = &x->rows.v[i];
        struct str name = str_of(r->call);
        uint32_t c = map_get(&calls, name);
        if (c == MAP_NONE) {
            c = msprobe_add_call(d, name, 0);
            map_add(&calls, name, c);
        }
        struct row row = {.slot = dump_slot(d, str_of(r->slot)), .shape = NONE, .extra = NONE, .io = (uint8_t)r->io,
                          .kind = ROW_TENSOR, .has = r->has};
        memcpy(row.stat, r->stat, sizeof row.stat);
        uint32_t at = dump_add_row(d, c, row);
        if (r->odd) {
            struct err e;
            snprintf(found, sizeof found, "%s.%s", r->call, r->slot);
            err_set(&e, ERR_DATA, _("%s: figures that are NaN or beyond 1e9 are not in a database of msprobe"), found);
            dump_unparsed(d, at, arena_cstr(&d->arena, str_of(e.text)));
        }
    }
    map_release(&calls);
    map_release(&first);
}

static bool load_is_stopped(void *load)
{
    return load_cancelled(load);
}

static int read_rows(struct trend_reading *x, struct load *load, struct err *e)
{
    struct database db;
    struct query q = {0};
    int more = 0;
    if (database_open(&db, x->d->path, e))
        return -1;
    db.stop = load_is_stopped;
    db.ctx = load;
    int rc = query_begin(&q, &db, "SELECT t.target_name, t.micro_step, m.metric_name, d.max, d.min, d.mean, d.norm "
                         "FROM trend_data d LEFT JOIN monitoring_targets t ON t.target_id = d.target_id "
                         "LEFT JOIN monitoring_metrics m ON m.metric_id = d.metric_id "
                         "WHERE d.rank = ?1 AND d.step = ?2 ORDER BY d.target_id, d.metric_id", e);
    if (rc == 0) {
        query_set_whole(&q, 0, x->d->rank);
        query_set_whole(&q, 1, x->d->step);
    }
    while (rc == 0 && (more = query_next(&q, e)) > 0)
        rc = trend_take_row(x, &q, e);
    query_end(&q);
    database_close(&db);
    return rc || more < 0 ? -1 : 0;
}

static int trend_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct trend_reading x = {.d = d};
    load_begin(load);
    d->level = "mix";
    d->task = "statistics";
    d->joint = '.';
    int rc = read_rows(&x, load, e);
    if (rc == 0 && !x.rows.n)
        rc = err_set(e, ERR_DATA, _("%s: no row in this file"), d->path);
    if (rc == 0) {
        d->framework = x.mindspore ? "mindspore" : "pytorch";
        add_rows(&x);
        dump_warn(d, _("a database of msprobe has no shapes, types and stacks and its own numbers of calls: compare it "
                       "with one that was made with the same options, or open the dump"));
    }
    load_end(load);
    vec_release(&x.rows);
    return rc;
}

const struct reader reader_msprobe_trend = {
    .name = "msprobe-trend",
    .title = N_("figures of dumps in a database of msprobe data2db (SQLite)"),
    .what = "dump_data.trend.db, with the table trend_data",
    .versions = "msprobe 26.2",
    .unread = N_("tags"),
    .probe = trend_probe,
    .places = trend_places,
    .open = trend_open_dump,
    .without = NULL,
};
