/* The overview of a job: one row per rank and step, one column per call of the whole step, and in each cell a
 * character for the worst verdict of the call's rows on that rank. In a smaller picture neighbours share a cell,
 * again with the worst, so that every deviation stays visible. */
#ifndef COMPARE_JOB_STRIP_H
#define COMPARE_JOB_STRIP_H

#include "compare/job_result.h"

/* By increasing priority within a cell. The signs of a running job are not written to files. */
enum strip_sign {
    STRIP_NOTHING,
    STRIP_NO_PARTNER,
    STRIP_MATCH,
    STRIP_SAME_FIGURES,
    STRIP_WAITS,
    STRIP_UNREAD,
    STRIP_DRIFT,
    STRIP_OTHER_FIGURES,
    STRIP_INHERITED,
    STRIP_BESIDE,
    STRIP_SHAPE,
    STRIP_DEVIATE,
    STRIP_NONFINITE,
    STRIP_SIGNS
};

struct strip_look {
    char letter;       /* in cells */
    char file;         /* in files, where pending cells count as not judged */
    const char *glyph; /* for people */
    const char *label; /* to be translated */
};
extern const struct strip_look strip_looks[STRIP_SIGNS];
enum strip_sign strip_sign_of(char letter);
/* Whether it means that something is wrong, in rows or beside them (collectives, replicas). */
static inline bool strip_is_bad(enum strip_sign s)
{
    return s == STRIP_INHERITED || s == STRIP_BESIDE || s == STRIP_SHAPE || s == STRIP_DEVIATE || s == STRIP_NONFINITE;
}

struct strip_step {
    int step;
    uint32_t *column; /* for each position in the step's order of calls; NONE: no rows */
    size_t n;
};

struct job_strip_row {
    int step, rank;
    char *cells;
};

struct job_strip {
    struct job_column {
        uint32_t order, calls; /* the first position of neighbours that share the column, in the first step */
        const char *call;
    } * column;
    VEC(struct job_strip_row) row; /* by step, then rank */
    VEC(struct strip_step) steps;
    size_t columns;
    uint32_t first; /* column of the first deviation, or NONE */
    struct arena arena;
};
#define JOB_COLUMNS 512 /* of files */

/* The complete overview of a finished job. */
void job_strip_build(struct job_strip *s, const struct job_result *r);
void job_strip_release(struct job_strip *s); /* a zeroed struct is allowed */

/* For building it piece by piece: sets the columns, from the first available step; without rows. */
void job_strip_lay(struct job_strip *s, const struct job_result *r, uint32_t columns);
/* Adds the rows of the job's step k with pending cells; absent: also for missing ranks that the layout names. */
void job_strip_add_step(struct job_strip *s, const struct job_result *r, size_t k, bool absent);
/* Replaces the cells of a pair's ranks by its results. */
void job_strip_add_pair(struct job_strip *s, const struct job_result *r, size_t pair);
/* Marks a rank whose recording could not be compared or read; adds its row if needed. */
void job_strip_unread(struct job_strip *s, int step, int rank);
/* The row of a rank as a file has it, a letter a column. */
void job_strip_add_cells(struct job_strip *s, int step, int rank, const char *cells);
/* Adds wrong collectives and replicas, for display; in files they are listed separately and cells only show rows. */
void job_strip_add_beside(struct job_strip *s, const struct job_result *r);
void job_strip_mark_first(struct job_strip *s, const struct job_result *r);
void job_strip_put(struct job_strip_row *row, uint32_t column, enum strip_sign sign); /* unless a worse sign is there */
struct job_strip_row *job_strip_row_of(const struct job_strip *s, int step, int rank); /* or NULL */
/* The column of a call by its position in the step; NONE if there is none. */
uint32_t job_strip_column(const struct job_strip *s, int step, uint32_t order);
/* The worst sign in a range of cells. */
enum strip_sign job_strip_worst(const struct job_strip *s, size_t row, size_t rows, size_t column, size_t columns);

/* Fills cells from recorded figures before tensors are read, rank by rank, for jobs with the same layout. t: the
 * limits. */
void job_strip_figures(struct job_strip *s, const struct joined_job *j, const struct thresholds *t);

#endif
