/* A recording joined from all ranks and micro-batches of a side: as a single rank would have recorded the step.
 * Pairing, figures, verdicts and views treat it like any other. */
#ifndef RANKS_JOINED_DUMP_H
#define RANKS_JOINED_DUMP_H

#include "fmt/find_recordings.h"
#include "ranks/dims.h"

extern const struct reader reader_joined;

/* Both sides of a job, joined. */
struct joined_job {
    struct rank_set set[2];
    struct layout layout[2];
    struct dims_list dims;  /* as given; owned by the caller */
    struct whole_calls calls[2];
    struct whole_rows rows[2]; /* of sides that are joined */
    /* the places of the joined sides, under the sides' paths, for the comparison that opens them */
    struct found_trees found;
    struct joined_side {
        const struct joined_job *job;
        int side;
    } side[2];
    VEC(uint32_t) row_of[2]; /* for each row of the joined dump: the whole row */
    uint32_t *dump_row[2];   /* the inverse, or NONE */
};

/* Pairs the calls of both sides; sets and layouts must be filled. */
void joined_job_build(struct joined_job *j);
/* Decides how parts make the whole, which reads tensors: before the joined sides are opened. -1: the parts of a row are
 * larger than the memory that is left. */
int joined_job_decide(struct joined_job *j, struct err *e);
void joined_job_release(struct joined_job *j); /* also the sets */
/* The n pairs of rows of two joined dumps; the caller frees them. NULL if they are not joined dumps. */
struct joined_pair {
    uint32_t row[2];
};
struct joined_pair *joined_dump_pairs(const struct dump *target, const struct dump *golden, size_t *n);
/* The whole row of a joined dump's row; NULL for other dumps. */
const struct whole_row *joined_dump_row(const struct dump *d, uint32_t row);
const struct whole_rows *joined_dump_rows(const struct dump *d);
/* Whether a part's own error is above the limit of its row, and more than what the noise of the worst part explains. */
bool joined_part_is_bad(float error, float worst, float limit);
/* The part to show: of the bad ones the one the lowest rank computed first, else the one with the largest error.
 * limit: of the row; INFINITY: none. */
const struct part_row *joined_row_part(const struct whole_row *x, float limit);
/* Appends the part's row name on its rank. */
void joined_row_name(const struct whole_rows *r, const struct part_row *p, struct buf *out);

#endif
