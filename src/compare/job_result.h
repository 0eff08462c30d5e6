/* The result of comparing two jobs of several ranks: rank with rank if both have the same layout, otherwise both
 * joined to one; with collectives, replicas, and the first deviation over all ranks. */
#ifndef COMPARE_JOB_RESULT_H
#define COMPARE_JOB_RESULT_H

#include "compare/comparison.h"
#include "ranks/collectives.h"
#include "ranks/joined_dump.h"
#include "ranks/replicas.h"

/* One comparison: of one rank of each side, or of the joined sides (rank -1). */
struct job_pair {
    int step, rank[2];
    const struct comparison *c; /* held (reference) */
};

enum job_first_kind { FIRST_ROW, FIRST_COLLECTIVE, FIRST_REPLICA };

struct job_first {
    bool found;
    enum job_first_kind kind;
    int step;
    uint32_t order;      /* position of the whole call */
    size_t pair;         /* for FIRST_ROW: index of the pair */
    uint32_t line;
    uint32_t collective, replica; /* ids, or NONE */
    rank_list ranks;     /* the lowest first */
};

struct job_result {
    struct joined_job **job; /* one per step */
    size_t steps;
    bool joined;             /* some step was compared joined */
    VEC(struct job_pair) pairs;
    struct collective_list collectives[2];
    struct replica_list replicas[2];
    struct job_first first;
    int worker, workers;     /* the share that was compared: pairs whose index modulo workers is worker; 0: all */
    VEC(struct place) left;  /* step and rank of pairs in other shares */
    VEC(struct place) alone[2]; /* step and rank of recordings on one side only */
    read_failures failed;
};

/* The joined job of a step. */
const struct joined_job *job_at(const struct job_result *r, int step);
/* Appends the ranks whose part of the line deviates, ascending; for a comparison of two ranks that rank. */
void job_bad_ranks(const struct job_result *r, size_t pair, uint32_t line, rank_list *out);
/* The target's ranks that hold a part of the line. */
void job_ranks_of(const struct job_result *r, size_t pair, uint32_t line, rank_list *out);
/* The position in the step of the whole call behind a line; NONE if there is none. */
uint32_t job_order_of(const struct job_result *r, size_t pair, uint32_t line);
/* Sets r->first. */
void job_find_first(struct job_result *r);
/* Adds the ranks that the layout or a recorded group names and the side lacks. */
void job_absent(const struct job_result *r, int side, rank_list *out);
uint64_t job_figures_only(const struct job_result *r); /* pairs of all ranks whose elements were not compared */
int job_status(const struct job_result *r);
void job_result_release(struct job_result *r);

#endif
