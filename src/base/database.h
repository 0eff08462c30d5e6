/* SQLite databases, read only: nothing is written, no view, trigger or foreign function of the file is run, and a query
 * ends when its reader is stopped. Optional at build time. */
#ifndef BASE_DATABASE_H
#define BASE_DATABASE_H

#include "base/err.h"
#include "base/reading.h"

/* Whether a file begins as a database of SQLite that has this table. */
bool database_holds(const char *path, const char *table);

struct database {
    void *handle;
    const char *path;          /* the caller's */
    bool (*stop)(void *ctx);   /* asked while a query runs; NULL: it is never stopped */
    void *ctx;
};

/* Sets db, whose stop and ctx the caller may set afterwards; database_close after 0 only. -1 too where changes beside
 * the file are not in it yet, or where there is no SQLite. */
int database_open(struct database *db, const char *path, struct err *e);
void database_close(struct database *db);

/* One query; its values are counted from 0, columns from 0. */
struct query {
    void *statement; /* NULL: not begun */
    struct database *of;
};

int query_begin(struct query *q, struct database *db, const char *sql, struct err *e);
/* Sets a value and begins the query anew. */
void query_set_whole(struct query *q, int value, int64_t x);
void query_set_text(struct query *q, int value, struct str x);
/* 1: a row, whose texts are valid until the next call; 0: no more; -1. */
int query_next(struct query *q, struct err *e);
int query_columns(const struct query *q);
struct str query_column(const struct query *q, int column); /* its name */
enum reading query_whole(const struct query *q, int column, int64_t *out);
enum reading query_number(const struct query *q, int column, double *out);
enum reading query_text(const struct query *q, int column, struct str *out);
void query_end(struct query *q); /* a zeroed query is allowed */

#endif
