/* Reads databases by SQLite; without it, every database is refused with what to do. */
#include "base/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/num.h"

#define FIRST_PAGE 65536 /* the largest page of SQLite; the first one has the tables' definitions */

bool database_holds(const char *path, const char *table)
{
    struct buf want = {0};
    char *head = mem_alloc(FIRST_PAGE);
    struct str page = file_head(path, head, FIRST_PAGE);
    bool yes = false;
    if (str_starts(page, "SQLite format 3")) {
        /* a definition may be quoted, and "IF NOT EXISTS" is not kept in the file */
        buf_fmt(&want, "CREATE TABLE %s", table);
        yes = str_search(page, want.p) >= 0;
    }
    buf_release(&want);
    free(head);
    return yes;
}

#ifdef HAVE_SQLITE
#include <sqlite3.h>

#define LONGEST (64 << 20) /* bytes of a value, and of a row */
#define STEPS 10000        /* of SQLite's machine between two looks at stop */

static int database_error(const struct database *db, struct err *e)
{
    int code = sqlite3_errcode(db->handle) & 0xff;
    if (code == SQLITE_INTERRUPT)
        return err_set(e, ERR_CANCEL, "%s", _("stopped"));
    return err_set(e, code == SQLITE_NOMEM ? ERR_RESOURCE : code == SQLITE_IOERR ? ERR_IO : ERR_DATA,
                   _("%s: SQLite: %s"), db->path, sqlite3_errmsg(db->handle));
}

static int stop_requested(void *of)
{
    const struct database *db = of;
    return db->stop && db->stop(db->ctx);
}

/* What a writer left beside the file is not read with `immutable`, and may hold the newest rows. */
static int refuse_files_beside(const char *path, struct err *e)
{
    static const char *const ends[] = {"-wal", "-journal"};
    struct buf name = {0};
    int rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(ends) && rc == 0; i++) {
        struct stat s;
        buf_clear(&name);
        buf_fmt(&name, "%s%s", path, ends[i]);
        if (stat(name.p, &s) == 0 && s.st_size > 0)
            rc = err_set(e, ERR_DATA, _("%s: %s has changes that are not in the database yet: end the program that "
                                        "writes it, or run sqlite3 FILE .tables once, and open it again"), path,
                         name.p);
    }
    buf_release(&name);
    return rc;
}

static uint32_t big_endian(const char *p, size_t bytes)
{
    uint32_t x = 0;
    for (size_t i = 0; i < bytes; i++)
        x = x << 8 | (unsigned char)p[i];
    return x;
}

/* The header counts the pages: what is missing at the end may be what nobody asks for, so SQLite would not notice. */
static int look_whole(const char *path, struct err *e)
{
    char head[100];
    struct stat s;
    struct str h = file_head(path, head, sizeof head);
    if (h.n < sizeof head || stat(path, &s))
        return err_set(e, ERR_DATA, _("%s: too short for a database of SQLite; copy the file again"), path);
    uint32_t page = big_endian(head + 16, 2), pages = big_endian(head + 28, 4);
    bool counted = big_endian(head + 24, 4) == big_endian(head + 92, 4); /* not by versions before 3.7 */
    page = page == 1 ? 65536 : page;
    if (counted && (uint64_t)s.st_size < (uint64_t)page * pages)
        return err_set(e, ERR_DATA, _("%s: the database ends early: %llu of %llu bytes; copy the file again"), path,
                       (unsigned long long)s.st_size, (unsigned long long)page * pages);
    return 0;
}

/* "file:" and the path, in which SQLite would take "?", "#" and "%" for its own. */
static void write_uri(const char *path, struct buf *out)
{
    buf_cstr(out, path[0] == '/' ? "file://" : "file:");
    for (const char *c = path; *c; c++)
        if (strchr("?#%", *c))
            buf_fmt(out, "%%%02X", (unsigned)(unsigned char)*c);
        else
            buf_char(out, *c);
    buf_cstr(out, "?mode=ro&immutable=1");
}

static void set_limits(sqlite3 *handle)
{
    static const struct {
        int what, most;
    } limits[] = {{SQLITE_LIMIT_LENGTH, LONGEST}, {SQLITE_LIMIT_SQL_LENGTH, 65536}, {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_EXPR_DEPTH, 100}, {SQLITE_LIMIT_COLUMN, 200},       {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                  {SQLITE_LIMIT_COMPOUND_SELECT, 2}, {SQLITE_LIMIT_WORKER_THREADS, 0}};
    static const struct {
        int what, on;
    } settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},  {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                    {SQLITE_DBCONFIG_DQS_DDL, 0},      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}};
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        sqlite3_limit(handle, limits[i].what, limits[i].most);
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        sqlite3_db_config(handle, settings[i].what, settings[i].on, NULL);
}

/* Virtual tables are read by modules that were not written for hostile files; none of the tables read here is one. */
static int look_plain(struct database *db, struct err *e)
{
    struct query q;
    if (query_begin(&q, db, "SELECT 1 FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'", e))
        return -1;
    int more = query_next(&q, e);
    query_end(&q);
    return more == 1 ? err_set(e, ERR_DATA, _("%s: expected plain tables, found a virtual one"), db->path) : more;
}

int database_open(struct database *db, const char *path, struct err *e)
{
    sqlite3 *handle = NULL;
    struct buf uri = {0};
    *db = (struct database){.path = path};
    if (refuse_files_beside(path, e) || look_whole(path, e))
        return -1;
    write_uri(path, &uri);
    int rc = sqlite3_open_v2(uri.p, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    buf_release(&uri);
    db->handle = handle;
    if (rc == SQLITE_OK) {
        set_limits(handle);
        sqlite3_progress_handler(handle, STEPS, stop_requested, db);
        rc = sqlite3_exec(handle, "PRAGMA query_only=1; PRAGMA cell_size_check=1; PRAGMA temp_store=2", NULL, NULL,
                          NULL);
    }
    if (rc == SQLITE_OK && look_plain(db, e) == 0)
        return 0;
    if (!handle)
        err_set(e, ERR_RESOURCE, _("%s: SQLite: %s"), path, sqlite3_errstr(rc));
    else if (rc != SQLITE_OK)
        database_error(db, e);
    database_close(db);
    return -1;
}

void database_close(struct database *db)
{
    sqlite3_close(db->handle);
    db->handle = NULL;
}

int query_begin(struct query *q, struct database *db, const char *sql, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    *q = (struct query){.of = db};
    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK)
        return database_error(db, e);
    q->statement = statement;
    return 0;
}

void query_set_whole(struct query *q, int value, int64_t x)
{
    sqlite3_reset(q->statement);
    sqlite3_bind_int64(q->statement, value + 1, x);
}

void query_set_text(struct query *q, int value, struct str x)
{
    sqlite3_reset(q->statement);
    sqlite3_bind_text64(q->statement, value + 1, x.p, x.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int query_next(struct query *q, struct err *e)
{
    if (stop_requested(q->of)) /* a query of few steps never asks */
        return err_set(e, ERR_CANCEL, "%s", _("stopped"));
    switch (sqlite3_step(q->statement)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        return database_error(q->of, e);
    }
}

int query_columns(const struct query *q)
{
    return sqlite3_column_count(q->statement);
}

struct str query_column(const struct query *q, int column)
{
    const char *name = sqlite3_column_name(q->statement, column);
    return str_of(name ? name : "");
}

enum reading query_whole(const struct query *q, int column, int64_t *out)
{
    int type = sqlite3_column_type(q->statement, column);
    if (type == SQLITE_INTEGER)
        *out = sqlite3_column_int64(q->statement, column);
    return type == SQLITE_INTEGER ? READING_VALUE : type == SQLITE_NULL ? READING_ABSENT : READING_UNREADABLE;
}

enum reading query_number(const struct query *q, int column, double *out)
{
    int type = sqlite3_column_type(q->statement, column);
    if (type == SQLITE_NULL)
        return READING_ABSENT;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return READING_UNREADABLE;
    *out = sqlite3_column_double(q->statement, column);
    return READING_VALUE;
}

enum reading query_text(const struct query *q, int column, struct str *out)
{
    int type = sqlite3_column_type(q->statement, column);
    if (type == SQLITE_NULL)
        return READING_ABSENT;
    if (type != SQLITE_TEXT)
        return READING_UNREADABLE;
    const char *text = (const char *)sqlite3_column_text(q->statement, column);
    *out = str_n(text, text ? (size_t)sqlite3_column_bytes(q->statement, column) : 0);
    return text ? READING_VALUE : READING_UNREADABLE;
}

void query_end(struct query *q)
{
    sqlite3_finalize(q->statement);
    q->statement = NULL;
}
#else
int database_open(struct database *db, const char *path, struct err *e)
{
    *db = (struct database){.path = path};
    return err_set(e, ERR_USAGE, _("%s: a database of SQLite, and this diverge was built without it: install SQLite's "
                                   "development package (libsqlite3-dev, sqlite-devel) and build again, or open the "
                                   "folder the database was made from"), path);
}

void database_close(struct database *db)
{
    db->handle = NULL;
}

int query_begin(struct query *q, struct database *db, const char *sql, struct err *e)
{
    (void)sql;
    *q = (struct query){.of = db};
    return err_set(e, ERR_USAGE, "%s", db->path);
}

void query_set_whole(struct query *q, int value, int64_t x)
{
    (void)q;
    (void)value;
    (void)x;
}

void query_set_text(struct query *q, int value, struct str x)
{
    (void)q;
    (void)value;
    (void)x;
}

int query_next(struct query *q, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s", q->of->path);
}

int query_columns(const struct query *q)
{
    (void)q;
    return 0;
}

struct str query_column(const struct query *q, int column)
{
    (void)q;
    (void)column;
    return STR("");
}

enum reading query_whole(const struct query *q, int column, int64_t *out)
{
    (void)q;
    (void)column;
    *out = 0;
    return READING_UNREADABLE;
}

enum reading query_number(const struct query *q, int column, double *out)
{
    (void)q;
    (void)column;
    *out = 0;
    return READING_UNREADABLE;
}

enum reading query_text(const struct query *q, int column, struct str *out)
{
    (void)q;
    (void)column;
    *out = STR("");
    return READING_UNREADABLE;
}

void query_end(struct query *q)
{
    q->statement = NULL;
}
#endif
