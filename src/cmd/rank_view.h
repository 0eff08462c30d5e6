/* The overview of a job of several ranks: the place in its strip, and what is listed below it. It stands in the table's
 * place while `shown`; the table is that of one rank, or of all of them joined. */
#ifndef CMD_RANK_VIEW_H
#define CMD_RANK_VIEW_H

#include "session/job_compare.h"

struct rank_view {
    struct job_compare *job; /* the screen's; NULL: one rank a side */
    bool shown, offered;     /* offered: it has come by itself */
    bool follow;             /* the cursor goes where the first deviation is, until the user moves it */
    bool listed;             /* keys go to the list */
    int step;
    size_t rank, column;             /* the cursor: a row of the strip, counted within the step, and a column */
    int zoom;                        /* each step halves what is shown */
    size_t cell_ranks, cell_columns; /* what a cell stood for when it was drawn */
    size_t page;                     /* cells of the strip's height */
    VEC(struct job_found) items;     /* of all steps, the earliest first */
    uint32_t at;                     /* selected of them */
    uint64_t items_of;               /* version of the job they are of */
    const char *items_lang;          /* and their language */

    /* A pair of recordings to be opened: R_PAIR. */
    struct rank_pair {
        bool on;                   /* else what the options say */
        int step, rank;            /* rank -1: all of them, joined */
        struct found_trees *found; /* of joined ones; the job's */
    } open, want;
    uint32_t arrive[2]; /* rows the table's cursor goes to once it is there; NONE: none */
    const char *arrive_call; /* instead: the call of that name of the target, or NULL */
    bool arriving;
};

void rank_view_release(struct rank_view *v);
/* Whether a comparison is of that pair. */
bool rank_pair_is_open(const struct comparison *c, const struct rank_pair *p);

/* The job's lock held for all of these: */
void rank_view_refresh(struct rank_view *v); /* what is listed; the cursor within bounds */
/* Rows of the strip of the step that is shown: the first, and how many. */
size_t rank_view_rows(const struct rank_view *v, size_t *first);
void rank_view_step(struct rank_view *v, long by);
void rank_view_across(struct rank_view *v, long by);
bool rank_view_next(struct rank_view *v, int by);  /* to a bad cell that follows in execution order; false: none */
bool rank_view_first(struct rank_view *v);         /* to the first deviation */
bool rank_view_later(struct rank_view *v, int by); /* to another step; false: there is none */
bool rank_view_to(struct rank_view *v, int step, int rank, uint32_t order);
/* The cell under the cursor as it is drawn: its first row (of the whole strip) and column, with its extent. */
struct rank_cell {
    size_t row, rows, column, columns;
};
struct rank_cell rank_view_cell(const struct rank_view *v);
size_t rank_view_worst(const struct rank_view *v, const struct rank_cell *c); /* the column of its worst call */
/* How many rows of each verdict a cell has; false where nothing of it is judged. */
bool rank_view_count(const struct rank_view *v, const struct rank_cell *c, uint32_t by[VERDICT_COUNT]);
const char *rank_view_call(const struct rank_view *v, const struct rank_cell *c); /* its name; NULL: no call */
/* What Enter opens there: the pair, and the rows of the call. False: that rank has nothing to open. */
bool rank_view_target(const struct rank_view *v, const struct rank_cell *c, struct rank_pair *pair, uint32_t row[2]);

#endif
