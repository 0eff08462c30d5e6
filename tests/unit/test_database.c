/* msprobe's databases: the same figures as the files they were made from, nothing taken from one that is damaged. */
#include "opened.h"

#include <math.h>

#include "base/database.h"
#include "fmt/result_table.h"
#include "log/series.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

static const char *copy_of(const char *name)
{
    struct buf b = {0};
    struct err e;
    assert_int_equal(file_slurp(sample(name), 1 << 24, &b, &e), 0);
    struct str base = path_base(str_of(name));
    const char *out = put_bytes(scratch(), base.p, b.p, b.n);
    buf_release(&b);
    return out;
}

static void change(const char *path, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL) || sqlite3_exec(db, sql, NULL, NULL, &why))
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
}

/* The rows of a recording: how many, and how many of them cannot be parsed. -1 if it cannot be read. */
static int rows_of(const char *path, const char *format, size_t *unparsed)
{
    struct opened o;
    int rc = open_as(&o, path, format);
    *unparsed = 0;
    for (size_t i = 0; i < o.d.rows.n && rc == 0; i++)
        *unparsed += (o.d.rows.v[i].has & IS_UNPARSED) != 0;
    int n = rc ? -1 : (int)o.d.rows.n;
    shut_opened(&o);
    return n;
}

static void graphs_have_the_tables_figures(void **state)
{
    struct opened o, dump;
    size_t seen = 0;
    (void)state;
    assert_int_equal(open_as(&o, sample("open/databases/compare.vis.db"), "msprobe-vis-db"), 0);
    assert_int_equal(o.places.n, 2); /* steps 0 and 1 */
    shut_opened(&o);
    assert_int_equal(open_as(&dump, sample("open/databases/dump/target/step0"), "msprobe"), 0);
    for (int column = TARGET; column <= GOLDEN; column++) {
        struct opened x;
        memset(&x, 0, sizeof x);
        pthread_mutex_init(&x.lock, NULL);
        x.load.lock = &x.lock;
        dump_init(&x.d);
        assert_int_equal(find_recordings(sample("open/databases/compare.vis.db"), &x.places, &x.e), 0);
        place_set(&x.d, &x.places.v[0]);
        x.d.column = (uint8_t)column;
        assert_int_equal(x.d.reader->open(&x.d, &x.load, &x.e), 0);
        assert_int_equal(x.d.rows.n, 43);
        assert_false(result_of(&x.d)->tests); /* its "pass" is no verdict of ours */
        for (uint32_t r = 0; column == TARGET && r < dump.d.rows.n; r++) {
            struct buf name = {0};
            dump_row_name(&dump.d, r, &name);
            uint32_t at = dump_find_row(&x.d, buf_view(&name));
            buf_release(&name);
            if (at == NONE || dump.d.rows.v[r].kind != ROW_TENSOR)
                continue;
            seen++;
            for (int s = 0; s < STAT_COUNT; s++)
                if (dump.d.rows.v[r].has & HAS_MEAN)
                    assert_true(dump.d.rows.v[r].stat[s] == x.d.rows.v[at].stat[s]);
        }
        shut_opened(&x);
    }
    assert_true(seen > 30);
    shut_opened(&dump);
}

static void figures_of_dumps(void **state)
{
    struct opened o, dump;
    (void)state;
    assert_int_equal(open_as(&o, sample("open/databases/target/dump_data.trend.db"), "msprobe-trend"), 0);
    assert_int_equal(o.places.n, 2);
    assert_int_equal(open_as(&dump, sample("open/databases/dump/target/step0"), "msprobe"), 0);
    assert_string_equal(o.d.framework, "pytorch");
    size_t forward = 0;
    for (uint32_t r = 0; r < o.d.rows.n; r++) {
        struct buf name = {0};
        dump_row_name(&o.d, r, &name);
        uint32_t at = dump_find_row(&dump.d, buf_view(&name));
        if (str_has(buf_view(&name), ".forward")) { /* backward calls are numbered anew */
            forward++;
            assert_true(at != NONE);
            for (int s = 0; s < STAT_COUNT; s++)
                assert_true(o.d.rows.v[r].stat[s] == dump.d.rows.v[at].stat[s]);
        }
        buf_release(&name);
    }
    assert_true(forward > 15);
    shut_opened(&dump);
    shut_opened(&o);
}

/* A field at a time that is no longer what it has to be: the whole is refused, or the row is said to be unreadable. */
static void every_field_unreadable(void **state)
{
    static const struct {
        const char *file, *format, *set;
        bool row; /* its row alone is unreadable */
    } cases[] = {
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET node_name = x'00' WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET node_name = '' WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET matched_node_link = '{' WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET matched_node_link = 4 WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET input_data = '[1' WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET input_data = '[]' WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET output_data = x'ff' WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db", "UPDATE tb_nodes SET output_data = '{\"a\": 1}' WHERE node_order = 3", false},
        {"compare.vis.db", "msprobe-vis-db",
         "UPDATE tb_nodes SET input_data = replace(input_data, '\"value\": \"1e-06\"', '\"value\": \"0.01\"')", true},
        {"compare.vis.db", "msprobe-vis-db",
         "UPDATE tb_nodes SET input_data = replace(input_data, '\"value\": \"True\"', '\"value\": \"1,5\"')", true},
        {"compare.vis.db", "msprobe-vis-db", "ALTER TABLE tb_nodes RENAME COLUMN input_data TO other", false},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE trend_data SET norm = 'x' WHERE target_id = 3", true},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE trend_data SET max = NULL WHERE target_id = 3", true},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE trend_data SET min = 1e9 WHERE target_id = 3", true},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE trend_data SET mean = x'00' WHERE target_id = 3", true},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE trend_data SET metric_id = 99 WHERE target_id = 3", false},
        {"target/dump_data.trend.db", "msprobe-trend", "DELETE FROM monitoring_targets WHERE target_id = 3", false},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE monitoring_targets SET target_name = 7.5 WHERE target_id = 3", false},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE monitoring_targets SET target_name = 'fc' WHERE target_id = 3", false},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE monitoring_targets SET micro_step = 'x' WHERE target_id = 3", false},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE monitoring_targets SET micro_step = -1 WHERE target_id = 3", false},
        {"target/dump_data.trend.db", "msprobe-trend", "UPDATE monitoring_metrics SET metric_name = 'x' WHERE metric_id = 1", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char name[200];
        size_t before, after;
        snprintf(name, sizeof name, "open/databases/%s", cases[i].file);
        const char *path = copy_of(name);
        int rows = rows_of(path, cases[i].format, &before);
        assert_true(rows > 0);
        change(path, cases[i].set);
        int left = rows_of(path, cases[i].format, &after);
        if (cases[i].row ? left != rows || after <= before : left != -1)
            fail_msg("%s: %d of %d rows, %zu unparsed", cases[i].set, left, rows, after);
    }
}

static void infinity_is_kept(void **state)
{
    struct opened o;
    const char *path = copy_of("open/databases/target/dump_data.trend.db");
    bool found = false;
    (void)state;
    change(path, "UPDATE trend_data SET max = 1000000001, min = -1000000001 WHERE target_id = 3");
    assert_int_equal(open_as(&o, path, "msprobe-trend"), 0);
    for (size_t i = 0; i < o.d.rows.n; i++)
        found = found || (isinf(o.d.rows.v[i].stat[STAT_MAX]) && isinf(o.d.rows.v[i].stat[STAT_MIN]));
    assert_true(found);
    shut_opened(&o);
}

/* Files made to harm or to mislead. */
static void hostile_ones(void **state)
{
    struct database db;
    struct err e;
    size_t n;
    (void)state;
    /* a view in the table's place could run for ever */
    const char *path = copy_of("open/databases/compare.vis.db");
    change(path, "DROP TABLE tb_nodes; CREATE TABLE tb_nodes_2 (id); "
                 "CREATE VIEW tb_nodes AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
                 "SELECT n AS step, n AS rank FROM r; VACUUM");
    assert_int_equal(rows_of(path, "msprobe-vis-db", &n), -1);
    /* a module in its place */
    path = copy_of("open/databases/compare.vis.db");
    change(path, "CREATE VIRTUAL TABLE t USING fts4(a)");
    assert_int_equal(rows_of(path, "msprobe-vis-db", &n), -1);
    /* changes that are only in the file beside it */
    path = copy_of("open/databases/compare.vis.db");
    char beside[1300];
    snprintf(beside, sizeof beside, "%s-wal", path);
    FILE *f = fopen(beside, "w");
    fputs("x", f);
    fclose(f);
    assert_int_equal(database_open(&db, path, &e), -1);
    assert_non_null(strstr(e.text, "-wal"));
    /* cut off within its pages */
    struct buf b = {0};
    assert_int_equal(file_slurp(sample("open/databases/compare.vis.db"), 1 << 24, &b, &e), 0);
    for (size_t cut = 4096; cut < b.n; cut += 9000) {
        const char *dir = scratch();
        assert_int_equal(rows_of(put_bytes(dir, "compare.vis.db", b.p, cut), "msprobe-vis-db", &n), -1);
    }
    /* a name that SQLite would take for options */
    path = put_bytes(scratch(), "a?mode=rwc#%20.vis.db", b.p, b.n);
    assert_int_equal(rows_of(path, "msprobe-vis-db", &n), 43);
    buf_release(&b);
}

static bool always(void *ctx)
{
    (void)ctx;
    return true;
}

static void stops(void **state)
{
    struct database db;
    struct query q;
    struct err e;
    (void)state;
    assert_int_equal(database_open(&db, sample("open/databases/compare.vis.db"), &e), 0);
    db.stop = always;
    assert_int_equal(query_begin(&q, &db, "SELECT id FROM tb_nodes", &e), 0);
    assert_int_equal(query_next(&q, &e), -1);
    assert_int_equal(e.code, ERR_CANCEL);
    query_end(&q);
    database_close(&db);
}

static size_t points_named(const struct series *s, const char *tag, const char *name, int64_t step, double *v)
{
    size_t n = 0;
    for (size_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.v[i].tag, tag) == 0 && strcmp(s->names.v[i].name, name) == 0)
            n += log_name_at(s, &s->names.v[i], step, v);
    return n;
}

/* The monitor's database has what its tables have; a NaN that it lost comes back. */
static void figures_of_the_monitor(void **state)
{
    struct series db, tables;
    struct log_options o = {0};
    struct err e;
    size_t seen = 0;
    (void)state;
    assert_int_equal(series_open(&db, sample("open/databases/monitor_data.trend.db"), &o, &e), 0);
    assert_int_equal(series_open(&tables, sample("msprobe_checks/monitor"), &o, &e), 0);
    assert_string_equal(db.format, "msprobe-monitor-db");
    assert_int_equal(db.names.n, tables.names.n);
    for (size_t i = 0; i < tables.names.n; i++) {
        const struct log_name *x = &tables.names.v[i];
        for (int64_t step = 0; step < 6; step++) {
            double a = 0, b = 0;
            bool one = log_name_at(&tables, x, step, &a), two = points_named(&db, x->tag, x->name, step, &b);
            assert_int_equal(one, two);
            assert_true(!one || a == b);
            seen += one;
        }
    }
    assert_true(seen > 100);
    size_t nan[2] = {0};
    for (size_t i = 0; i < db.points.n; i++)
        nan[0] += isnan(db.points.v[i].value) != 0;
    for (size_t i = 0; i < tables.points.n; i++)
        nan[1] += isnan(tables.points.v[i].value) != 0;
    assert_true(nan[0] > 0);
    assert_int_equal(nan[0], nan[1]);
    series_release(&db);
    series_release(&tables);
}
#else
static void says_what_to_do(void **state)
{
    struct database db;
    struct err e;
    (void)state;
    assert_int_equal(database_open(&db, sample("open/databases/compare.vis.db"), &e), -1);
    assert_non_null(strstr(e.text, "libsqlite3-dev"));
}

static void what_databases_hold(void **state)
{
    (void)state;
    print_message("built without SQLite: graphs, figures of dumps and of the monitor are not tested\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef HAVE_SQLITE
        cmocka_unit_test(graphs_have_the_tables_figures), cmocka_unit_test(figures_of_dumps),
        cmocka_unit_test(every_field_unreadable), cmocka_unit_test(infinity_is_kept), cmocka_unit_test(hostile_ones),
        cmocka_unit_test(stops), cmocka_unit_test(figures_of_the_monitor),
#else
        cmocka_unit_test(says_what_to_do), cmocka_unit_test(what_databases_hold),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
