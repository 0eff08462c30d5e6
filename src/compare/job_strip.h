/* The strip of a job: a row a rank of each step, a column a call of the whole step, a character where they meet: what
 * became of the call's rows on that rank, the worst of them. Drawn smaller, neighbours share a character, the worst
 * again: what is bad is in every picture of it. */
#ifndef COMPARE_JOB_STRIP_H
#define COMPARE_JOB_STRIP_H

#include "compare/job_result.h"

/* In the order in which one hides another, the weakest first. Those of a job at work are in no file. */
enum strip_sign {
    STRIP_NOTHING,
    STRIP_NO_PARTNER,
    STRIP_MATCH,
    STRIP_SAME_FIGURES,
    STRIP_WAITS,
    STRIP_UNREAD,
    STRIP_DRIFT,
    STRIP_OTHER_FIGURES,
    STRIP_BESIDE,
    STRIP_SHAPE,
    STRIP_DEVIATE,
    STRIP_NONFINITE,
    STRIP_SIGNS
};

struct strip_look {
    char letter;       /* in cells */
    char file;         /* in files: what is not judged yet is not judged */
    const char *glyph; /* for people */
    const char *label; /* to be translated */
};
extern const struct strip_look strip_looks[STRIP_SIGNS];
enum strip_sign strip_sign_of(char letter);
/* Whether it says that something is wrong: with rows, or beside them. */
static inline bool strip_is_bad(enum strip_sign s)
{
    return s == STRIP_BESIDE || s == STRIP_SHAPE || s == STRIP_DEVIATE || s == STRIP_NONFINITE;
}

struct strip_step {
    int step;
    uint32_t *column; /* of each place of the step's order of calls; NONE: it has no rows */
    size_t n;
};

struct job_strip_row {
    int step, rank;
    char *cells;
};

struct job_strip {
    struct job_column {
        uint32_t order, calls; /* the first of neighbours that share it, of the first step */
        const char *call;
    } * column;
    VEC(struct job_strip_row) row; /* by step, then rank */
    VEC(struct strip_step) steps;
    size_t columns;
    uint32_t first; /* column of the first deviation, or NONE */
    struct arena arena;
};
#define JOB_COLUMNS 512 /* of files */

/* All of a job that has ended, as files have it. */
void job_strip_build(struct job_strip *s, const struct job_result *r);
void job_strip_release(struct job_strip *s); /* a zeroed one is fine */

/* Piece by piece. Columns, from the first step that is there; no rows yet. */
void job_strip_lay(struct job_strip *s, const struct job_result *r, uint32_t columns);
/* The rows of step k of the job, its cells waiting; absent: also of ranks that the layout names and that are not
 * there. */
void job_strip_add_step(struct job_strip *s, const struct job_result *r, size_t k, bool absent);
/* What a pair says, in the place of what its ranks' cells held. */
void job_strip_add_pair(struct job_strip *s, const struct job_result *r, size_t pair);
/* A rank whose recording could not be compared, or not be read at all: then it has a row all the same. */
void job_strip_unread(struct job_strip *s, int step, int rank);
/* The row of a rank as a file has it, a letter a column. */
void job_strip_add_cells(struct job_strip *s, int step, int rank, const char *cells);
/* Wrong collectives and replicas, for people: files list them, and their cells are of rows alone. */
void job_strip_add_beside(struct job_strip *s, const struct job_result *r);
void job_strip_mark_first(struct job_strip *s, const struct job_result *r);
void job_strip_put(struct job_strip_row *row, uint32_t column, enum strip_sign sign);  /* unless a worse one is there */
struct job_strip_row *job_strip_row_of(const struct job_strip *s, int step, int rank); /* or NULL */
/* The column of a call of a step, by its place there; NONE where none is. */
uint32_t job_strip_column(const struct job_strip *s, int step, uint32_t order);
/* The worst of some cells. */
enum strip_sign job_strip_worst(const struct job_strip *s, size_t row, size_t rows, size_t column, size_t columns);

/* What recorded figures alone say, before tensors are read: of jobs that are cut alike, rank by rank. t: whose
 * limits. */
void job_strip_figures(struct job_strip *s, const struct joined_job *j, const struct thresholds *t);

#endif
