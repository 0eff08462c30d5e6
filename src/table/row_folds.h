/* Runs of neighbouring lines that only one side has, each shown as one line until it is opened. Positions on the screen
 * are lines without what closed runs hide behind their first line. */
#ifndef TABLE_ROW_FOLDS_H
#define TABLE_ROW_FOLDS_H

#include "pair/pairing.h"

struct row_fold {
    uint32_t first, n;  /* lines */
    uint32_t row[2];    /* of the first: what it is known by when lines are numbered again */
    uint32_t before;    /* lines hidden by closed runs before it */
    uint8_t side;       /* that has them */
    bool open;
};

struct row_folds {
    VEC(struct row_fold) v; /* in the table's order */
    uint32_t hidden;        /* lines in all */
};

#define ROW_FOLD_LEAST 3 /* lines of a run worth folding */

void row_folds_release(struct row_folds *f);
/* Those of a pairing. A run that was open stays so, known by its first row. */
void row_folds_find(struct row_folds *f, const struct pairing *p);
/* The run a line is in, or NULL. */
const struct row_fold *row_folds_at(const struct row_folds *f, uint32_t line);
void row_folds_open(struct row_folds *f, const struct row_fold *x, bool open);
void row_folds_open_all(struct row_folds *f, bool open);
uint32_t row_folds_line(const struct row_folds *f, uint32_t pos);
/* Of a hidden line: that of its run's first. */
uint32_t row_folds_pos(const struct row_folds *f, uint32_t line);

#endif
