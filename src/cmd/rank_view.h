/* The overview of a job of several ranks: the cursor in its strip, and the list below. While `shown` it replaces the
 * table, which belongs to one rank or to all ranks joined. */
#ifndef CMD_RANK_VIEW_H
#define CMD_RANK_VIEW_H

#include "panel/subject.h"
#include "session/job_compare.h"

struct rank_view {
    struct job_compare *job; /* owned by the screen; NULL: one rank per side */
    bool shown, offered;     /* offered: it was opened automatically */
    bool follow;             /* the cursor stays on the first deviation until the user moves it */
    bool listed;             /* keys go to the list */
    int step;
    size_t rank, column;             /* the cursor: a row of the strip within the step, and a column */
    int zoom;                        /* each step halves what is shown */
    size_t cell_ranks, cell_columns; /* ranks and columns per cell when last drawn */
    size_t page;                     /* height of the strip in cells */
    VEC(struct job_found) items;     /* of all steps, the earliest first */
    uint32_t at;                     /* index of the selected item */
    uint64_t items_of;               /* version of the job from which they were made */
    const char *items_lang;          /* and their language */

    /* A pair of recordings to open with R_PAIR. */
    struct rank_pair {
        bool on;                   /* false: as in the options */
        int step, rank;            /* rank -1: all ranks joined */
        struct found_trees *found; /* for joined recordings; owned by the job */
    } open, want;
    uint32_t arrive[2]; /* rows to which the table's cursor goes once loaded; NONE: none */
    const char *arrive_call; /* instead: the call of that name of the target, or NULL */
    bool arriving;
};

void rank_view_release(struct rank_view *v);
/* Whether a comparison is of that pair. */
bool rank_pair_is_open(const struct comparison *c, const struct rank_pair *p);

/* The following are called with the job's lock held: */
void rank_view_refresh(struct rank_view *v); /* updates the list; keeps the cursor in range */
/* The rows of the strip for the current step: the first, and their number. */
size_t rank_view_rows(const struct rank_view *v, size_t *first);
void rank_view_step(struct rank_view *v, long by);
void rank_view_across(struct rank_view *v, long by);
bool rank_view_next(struct rank_view *v, int by);  /* to the next bad cell in execution order; false: none */
bool rank_view_first(struct rank_view *v);         /* to the first deviation */
bool rank_view_later(struct rank_view *v, int by); /* to another step; false: none */
bool rank_view_to(struct rank_view *v, int step, int rank, uint32_t order);
/* The cell under the cursor as drawn: its first row (of the whole strip) and column, and its extent. */
struct rank_cell {
    size_t row, rows, column, columns;
};
struct rank_cell rank_view_cell(const struct rank_view *v);
size_t rank_view_worst(const struct rank_view *v, const struct rank_cell *c); /* the column of its worst call */
/* The number of rows with each verdict in a cell; false if none is judged. */
bool rank_view_count(const struct rank_view *v, const struct rank_cell *c, uint32_t by[VERDICT_COUNT]);
const char *rank_view_call(const struct rank_view *v, const struct rank_cell *c); /* its name; NULL: no call */
/* What Enter opens: the pair, and the rows of the call. False: that rank has nothing to open. */
bool rank_view_target(const struct rank_view *v, const struct rank_cell *c, struct rank_pair *pair, uint32_t row[2]);

/* The call under the cursor of the strip or the list on its rank, as a subject of findings; false if there is none. */
bool rank_view_subject(const struct rank_view *v, struct subject *out, struct arena *a);
/* The comparison that has the rows of a step and rank; NULL: not compared. */
const struct comparison *rank_view_comparison(const struct rank_view *v, int step, int rank);
/* To the call of that name on that rank; false: there is none. */
bool rank_view_to_call(struct rank_view *v, int step, int rank, struct str call);

#endif
