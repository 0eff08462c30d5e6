/* The comparison of two jobs of several ranks: rank against rank where both are cut alike, else both joined to one;
 * what was found beside the rows: collectives, replicas. Where it begins, over all ranks. */
#ifndef COMPARE_JOB_RESULT_H
#define COMPARE_JOB_RESULT_H

#include "compare/comparison.h"
#include "ranks/collectives.h"
#include "ranks/joined_dump.h"
#include "ranks/replicas.h"

/* One comparison: of a rank of each side, or of the joined sides (rank -1). */
struct job_pair {
    int step, rank[2];
    const struct comparison *c; /* held */
};

enum job_first_kind { FIRST_ROW, FIRST_COLLECTIVE, FIRST_REPLICA };

struct job_first {
    bool found;
    enum job_first_kind kind;
    int step;
    uint32_t order;      /* of the whole call */
    size_t pair;         /* of FIRST_ROW */
    uint32_t line;
    uint32_t collective, replica; /* ids, or NONE */
    rank_list ranks;     /* the lowest first */
};

struct job_result {
    struct joined_job **job; /* one a step */
    size_t steps;
    bool joined;             /* pairing: layout, at some step */
    VEC(struct job_pair) pairs;
    struct collective_list collectives[2];
    struct replica_list replicas[2];
    struct job_first first;
    int worker, workers;     /* the share that was done: every pair whose number modulo workers is worker; 0: all */
    VEC(struct place) left;  /* step and rank of pairs of other shares */
    VEC(struct place) alone[2]; /* step and rank of one side only */
    read_failures failed;
};

/* What is there of a step. */
const struct joined_job *job_at(const struct job_result *r, int step);
/* Ranks whose part of the line deviates, ascending; of a comparison of ranks its own. Appended. */
void job_bad_ranks(const struct job_result *r, size_t pair, uint32_t line, rank_list *out);
/* Ranks that hold a part of it, of the target side. */
void job_ranks_of(const struct job_result *r, size_t pair, uint32_t line, rank_list *out);
/* The whole call's place in the step behind a line; NONE where none is. */
uint32_t job_order_of(const struct job_result *r, size_t pair, uint32_t line);
/* Sets r->first. */
void job_find_first(struct job_result *r);
/* Ranks that the layout or a group names and the side lacks. */
void job_absent(const struct job_result *r, int side, rank_list *out);
int job_status(const struct job_result *r);
void job_result_release(struct job_result *r);

#endif
