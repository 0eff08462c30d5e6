/* The contents of a file of rollouts in any form: named columns of sequences. A dense tensor [sequences, tokens], a
 * list of tensors or lists, and one line per sequence are all converted to cells of numbers, one per row. Only
 * columns with known names are read. */
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
    ROLLOUT_ROLE_EITHER,    /* log-probabilities of the program that wrote the file */
    ROLLOUT_ROLE_TOKENS,    /* token ids, of the response or the whole sequence */
    ROLLOUT_ROLE_MASK,      /* selects tokens */
    ROLLOUT_ROLE_ATTENTION, /* selects tokens that are not padding */
    ROLLOUT_ROLE_LENGTH,    /* number of response tokens */
    ROLLOUT_ROLE_INDEX,     /* number of the sequence */
    ROLLOUT_ROLE_ROUND,     /* dialogue turn of each token */
    ROLLOUT_ROLE_EXPERTS,   /* experts chosen for each token in each layer */
    ROLLOUT_ROLE_SIZE,      /* |difference of probabilities| */
    ROLLOUT_ROLES
};

#define ROLLOUT_CELL_AXES 4

struct rollout_cell {
    const char *name;
    enum rollout_role role;
    int64_t row;            /* -1: holds all rows, along its first axis */
    int axes;               /* 0: a single number */
    size_t shape[ROLLOUT_CELL_AXES], n;
    double *v;              /* owned */
};

struct rollout_columns {
    struct arena arena;
    const char *path, *format;
    VEC(struct rollout_cell) cells;
    VEC(const char *) others;  /* some unknown names in the file */
    VEC(const char *) unread;  /* sentences */
    struct nmap index;      /* (name, row) → cell, the first one */
    struct err why;         /* why the tensors could not be listed, if nothing else was found */
    uint64_t held;          /* total of numbers in all cells */
};

/* One row of a column. */
struct rollout_row {
    const double *v;
    size_t n, width; /* number of tokens, and numbers per token */
    bool there;
};

int rollout_columns_open(struct rollout_columns *c, const char *path, const atomic_bool *cancel, struct err *e);
void rollout_columns_release(struct rollout_columns *c);
/* The column with a role, the preferred one of several; NULL: none. */
const char *rollout_column(const struct rollout_columns *c, enum rollout_role role);
size_t rollout_column_rows(const struct rollout_columns *c, const char *name);
struct rollout_row rollout_column_row(const struct rollout_columns *c, const char *name, size_t row);

/* Length of the last axis of a row: experts chosen in one layer. */
size_t rollout_column_inner(const struct rollout_columns *c, const char *name, size_t row);
/* Moves a cell from another file to this one under a known name; x is left empty. */
void rollout_cell_take(struct rollout_columns *c, struct rollout_cell *x, const char *name);

/* ---- for readers ---- */

enum rollout_role rollout_role_of(struct str path, struct str *name, int64_t *row);
/* Adds a zeroed cell for `path` ("samples.3.rollout_log_probs") with that shape; NULL: unknown name, or too large (a
 * sentence then says so). Valid until the next one is added. */
struct rollout_cell *rollout_cell_add(struct rollout_columns *c, struct str path, int axes, const size_t *shape);
void rollout_cell_drop(struct rollout_columns *c); /* removes the last cell, which could not be filled */
void rollout_unread(struct rollout_columns *c, const char *text);

/* 1: read; 0: another kind of file; -1: error. */
int rollout_read_tensors(struct rollout_columns *c, const atomic_bool *cancel, struct err *e);
int rollout_read_pickle(struct rollout_columns *c, const atomic_bool *cancel, struct err *e);
int rollout_read_json(struct rollout_columns *c, const atomic_bool *cancel, struct err *e);

#endif
