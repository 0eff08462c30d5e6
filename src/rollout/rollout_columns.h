/* What a file of rollouts holds, whatever its form: named columns of sequences. A dense tensor [sequences, tokens], a
 * list of tensors or of lists, and a line a sequence come to the same: cells of numbers, each of a row. Only what is
 * known by its name is read. */
#ifndef ROLLOUT_ROLLOUT_COLUMNS_H
#define ROLLOUT_ROLLOUT_COLUMNS_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

enum rollout_role {
    ROLLOUT_ROLE_NONE,
    ROLLOUT_ROLE_TRAIN,     /* the trainer's log-probabilities */
    ROLLOUT_ROLE_ENGINE,    /* the rollout engine's */
    ROLLOUT_ROLE_EITHER,    /* log-probabilities of whoever wrote the file */
    ROLLOUT_ROLE_TOKENS,    /* ids, of the response or of all */
    ROLLOUT_ROLE_MASK,      /* which tokens count */
    ROLLOUT_ROLE_ATTENTION, /* which are no padding */
    ROLLOUT_ROLE_LENGTH,    /* tokens of the response */
    ROLLOUT_ROLE_INDEX,     /* a number of the sequence */
    ROLLOUT_ROLE_ROUND,     /* of each token */
    ROLLOUT_ROLE_EXPERTS,   /* chosen for each token in each layer */
    ROLLOUT_ROLE_SIZE,      /* |difference of probabilities| */
    ROLLOUT_ROLES
};

#define ROLLOUT_CELL_AXES 4

struct rollout_cell {
    const char *name;
    enum rollout_role role;
    int64_t row;            /* -1: of all rows, which are its first axis */
    int axes;               /* 0: one number */
    size_t shape[ROLLOUT_CELL_AXES], n;
    double *v;              /* owned */
};

struct rollout_columns {
    struct arena arena;
    const char *path, *format;
    VEC(struct rollout_cell) cells;
    VEC(const char *) others;  /* names that are there and not known, some */
    VEC(const char *) unread;  /* sentences */
    struct nmap index;      /* name and row → cell, the first one */
    struct err why;         /* why the tensors could not be listed, where nothing else was found */
    uint64_t held;          /* numbers in all cells */
};

/* A row of one column. */
struct rollout_row {
    const double *v;
    size_t n, width; /* tokens, and numbers of each */
    bool there;
};

int rollout_columns_open(struct rollout_columns *c, const char *path, const atomic_bool *cancel, struct err *e);
void rollout_columns_release(struct rollout_columns *c);
/* The name a role has here, the preferred one of several; NULL: none. */
const char *rollout_column(const struct rollout_columns *c, enum rollout_role role);
size_t rollout_column_rows(const struct rollout_columns *c, const char *name);
struct rollout_row rollout_column_row(const struct rollout_columns *c, const char *name, size_t row);

/* Numbers along the last axis of a row: experts chosen in one layer. */
size_t rollout_column_inner(const struct rollout_columns *c, const char *name, size_t row);
/* Another file's column becomes one of this, under a known name; x is left empty. */
void rollout_cell_take(struct rollout_columns *c, struct rollout_cell *x, const char *name);

/* ---- for readers ---- */

enum rollout_role rollout_role_of(struct str path, struct str *name, int64_t *row);
/* A cell for `path` ("samples.3.rollout_log_probs"), zeroed, of so many numbers; NULL: not a known name, or too large
 * (then a sentence says so). Valid until the next one is made. */
struct rollout_cell *rollout_cell_add(struct rollout_columns *c, struct str path, int axes, const size_t *shape);
void rollout_cell_drop(struct rollout_columns *c); /* the last one: it could not be filled */
void rollout_unread(struct rollout_columns *c, const char *text);

/* 1: read; 0: no file of this kind; -1. */
int rollout_read_tensors(struct rollout_columns *c, const atomic_bool *cancel, struct err *e);
int rollout_read_pickle(struct rollout_columns *c, struct err *e);
int rollout_read_json(struct rollout_columns *c, const atomic_bool *cancel, struct err *e);

#endif
