/* Runs of neighbouring lines without a partner, of either side, each shown as one line until it is opened. Screen
 * positions skip the lines that closed runs hide. */
#ifndef TABLE_ROW_FOLDS_H
#define TABLE_ROW_FOLDS_H

#include "pair/pairing.h"

struct row_fold {
    uint32_t first, n;  /* lines */
    uint32_t row[2];    /* of the first line, to identify the run when lines are renumbered */
    uint32_t before;    /* lines hidden by closed runs before it */
    bool has[2];        /* the sides that have lines of it */
    bool open;
};

struct row_folds {
    VEC(struct row_fold) v; /* in the table's order */
    uint32_t hidden;        /* total number of hidden lines */
};

#define ROW_FOLD_LEAST 2 /* the shortest run that is folded */

void row_folds_release(struct row_folds *f);
/* Finds the runs of a pairing. Runs that were open stay open, identified by their first row. */
void row_folds_find(struct row_folds *f, const struct pairing *p);
/* Appends "12 rows only on the target side", "18 rows without a partner". */
void row_fold_text(const struct row_fold *x, struct buf *out);
/* The run a line is in, or NULL. */
const struct row_fold *row_folds_at(const struct row_folds *f, uint32_t line);
void row_folds_open(struct row_folds *f, const struct row_fold *x, bool open);
void row_folds_open_all(struct row_folds *f, bool open);
uint32_t row_folds_line(const struct row_folds *f, uint32_t pos);
/* For a hidden line: the position of its run's first line. */
uint32_t row_folds_pos(const struct row_folds *f, uint32_t line);

#endif
