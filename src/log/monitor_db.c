/* monitor_data.trend.db, made by msprobe data2db of the monitor's tables: a row a weight, kind and step, a column a
 * figure. Numbers beyond 1e9 and NaN are not kept (fmt/msprobe_trend.h). */
#include <math.h>

#include "base/msg.h"
#include "fmt/msprobe_trend.h"
#include "log/series_builder.h"

#define COLUMNS 64

bool monitor_db_sniff(struct str head, const char *path)
{
    return str_starts(head, "SQLite format 3") && database_holds(path, "trend_data") && !trend_holds_dump(path);
}

/* A column of trend_data; the four of its key are no figures. */
enum part { PART_RANK, PART_STEP, PART_TARGET, PART_METRIC, PART_NAME, PART_STAGE, PART_MICRO, PART_KIND, PARTS };

struct db_reading {
    struct series_builder *k;
    struct map has;   /* "grad_reduced\nnorm": that kind has this figure */
    bool told;        /* the database says which kind has which figures */
    int part[PARTS];  /* columns */
    int64_t rank;     /* the one that is read */
};

static bool is_db_reading_stopped(void *k)
{
    return log_cancelled(k);
}

static uint32_t figure_of(struct db_reading *x, struct str kind, struct str figure, bool add)
{
    struct buf key = {0};
    buf_fmt(&key, "%.*s\n%.*s", STR_ARG(kind), STR_ARG(figure));
    uint32_t at = map_get(&x->has, buf_view(&key));
    if (add && at == MAP_NONE)
        map_add(&x->has, arena_str(&x->k->s->arena, buf_view(&key)), 1);
    buf_release(&key);
    return at;
}

/* global_stats: a column a kind, "norm,max,min" in it. */
static int read_kinds(struct db_reading *x, struct database *db, struct err *e)
{
    struct query q = {0};
    if (query_begin(&q, db, "SELECT * FROM global_stats ORDER BY rowid DESC LIMIT 1", e))
        return -1;
    int more = query_next(&q, e);
    for (int c = 0; more == 1 && c < query_columns(&q); c++) {
        struct str list;
        if (query_text(&q, c, &list) != READING_VALUE)
            continue;
        x->told = true;
        while (list.n)
            figure_of(x, query_column(&q, c), str_trim(str_next(&list, ',')), true);
    }
    query_end(&q);
    return more < 0 ? -1 : 0;
}

static void find_part_columns(struct db_reading *x, const struct query *q)
{
    static const char *const names[PARTS] = {"rank", "step", "target_id", "metric_id", "target_name", "vpp_stage",
                                             "micro_step", "metric_name"};
    for (int p = 0; p < PARTS; p++) {
        x->part[p] = -1;
        for (int c = 0; c < query_columns(q) && c < COLUMNS; c++)
            if (str_is(query_column(q, c), names[p]))
                x->part[p] = c;
    }
}

static bool is_part_column(const struct db_reading *x, int column)
{
    for (int p = 0; p < PARTS; p++)
        if (x->part[p] == column)
            return true;
    return false;
}

/* A module without a tensor has no counts; where it has some, a figure that is missing was NaN. */
static bool has_no_tensor(struct db_reading *x, const struct query *q, struct str kind)
{
    double v;
    bool figures = false;
    for (int c = 0; c < query_columns(q) && c < COLUMNS; c++) {
        struct str name = query_column(q, c);
        if (is_part_column(x, c))
            continue;
        enum reading found = query_number(q, c, &v);
        if ((str_is(name, "nans") || str_is(name, "zeros")) && figure_of(x, kind, name, false) != MAP_NONE)
            return found == READING_ABSENT;
        figures = figures || found != READING_ABSENT;
    }
    return !figures && !x->told;
}

static int monitor_db_take_row(struct db_reading *x, const struct query *q, struct err *e)
{
    struct series_builder *k = x->k;
    struct monitor_at at;
    int64_t rank, step, stage, micro;
    if (query_whole(q, x->part[PART_RANK], &rank) != READING_VALUE ||
        query_whole(q, x->part[PART_STEP], &step) != READING_VALUE ||
        query_whole(q, x->part[PART_STAGE], &stage) != READING_VALUE ||
        query_whole(q, x->part[PART_MICRO], &micro) != READING_VALUE ||
        query_text(q, x->part[PART_NAME], &at.name) != READING_VALUE ||
        query_text(q, x->part[PART_KIND], &at.what) != READING_VALUE)
        return err_set(e, ERR_DATA, _("%s: expected rank, step, weight and kind of a figure"), k->file->name);
    k->line += k->line < UINT32_MAX;
    x->rank = x->rank < 0 ? rank : x->rank;
    if (step < 0 || step >= LOG_STEP) {
        log_odd(k, ODD_STEP);
        return 0;
    }
    k->replica = rank == x->rank ? 0 : log_rank_said(rank);
    struct buf number[2] = {{0}};
    buf_fmt(&number[0], "%lld", (long long)stage);
    buf_fmt(&number[1], "%lld", (long long)micro);
    at.stage = buf_view(&number[0]);
    at.micro = buf_view(&number[1]);
    bool none = has_no_tensor(x, q, at.what);
    for (int c = 0; c < query_columns(q) && c < COLUMNS && !none; c++) {
        struct str figure = query_column(q, c);
        double v = NAN;
        if (is_part_column(x, c))
            continue;
        enum reading found = trend_figure(q, c, &v);
        if (found == READING_ABSENT && figure_of(x, at.what, figure, false) == MAP_NONE)
            continue;
        if (found == READING_UNREADABLE)
            log_odd_value(k, STR("1e9"));
        else
            monitor_value(k, &at, figure, step, v);
    }
    buf_release(&number[0]);
    buf_release(&number[1]);
    return 0;
}

int monitor_db_read(struct series_builder *k, struct err *e)
{
    struct db_reading x = {.k = k, .rank = -1};
    struct database db;
    struct query q = {0};
    int more = 0;
    if (database_open(&db, k->file->name, e))
        return -1;
    db.stop = is_db_reading_stopped;
    db.ctx = k;
    int rc = read_kinds(&x, &db, e);
    if (rc == 0)
        rc = query_begin(&q, &db, "SELECT d.*, t.target_name, t.vpp_stage, t.micro_step, m.metric_name "
                         "FROM trend_data d LEFT JOIN monitoring_targets t ON t.target_id = d.target_id "
                         "LEFT JOIN monitoring_metrics m ON m.metric_id = d.metric_id "
                         "ORDER BY d.rank, d.step, d.target_id", e);
    if (rc == 0)
        find_part_columns(&x, &q);
    while (rc == 0 && (more = query_next(&q, e)) > 0)
        rc = monitor_db_take_row(&x, &q, e);
    vec_last(&k->s->files)->lines = k->line;
    vec_last(&k->s->files)->rank = x.rank < 0 || x.rank > INT32_MAX ? -1 : (int)x.rank;
    query_end(&q);
    database_close(&db);
    map_release(&x.has);
    return rc || (more < 0 && e->code != ERR_CANCEL) ? -1 : 0;
}
