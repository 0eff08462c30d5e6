/* What the files of shard_join share: a row's candidates, the elements they are tried on, the trials of all rows. */
#ifndef RANKS_JOIN_TRIAL_H
#define RANKS_JOIN_TRIAL_H

#include "ranks/shard_join.h"

/* One way to join a row. */
struct candidate {
    struct join_step step[JOIN_STEPS];
    double scale;
    int ndim;
    int64_t shape[TENSOR_DIMS];
};

struct candidates {
    struct candidate *v; /* owned */
    size_t n, room;
    const struct whole_row *row;
    const struct whole_calls *calls;
    const struct whole_row *peer;  /* of the other side: no axis becomes longer than its parts can make it */
    const struct whole_row *other; /* the same where it is of one part only: its shape is what is wanted; or NULL */
    double scale[2];
    int scales;
    bool plain; /* no gradient */
};

/* The elements of all parts of a row, in memory. */
struct held {
    double **part;
    size_t parts;
    uint64_t numel;
};

/* By how much parts differ along each step, as far as it was asked for: -1 before. */
struct spreads {
    double of[JOIN_STEPS];
};

/* A row with all ways to join it, and how far each is off. */
struct trial {
    uint32_t row[2];
    struct candidates *of[2]; /* shapes of both sides */
    size_t pairs;
    uint16_t (*pair)[2];      /* owned: candidates of both sides with one shape */
    float *error;             /* of each pair; NAN: not read */
    uint32_t class;
    bool figures;             /* errors are of recorded figures */
    uint32_t dims[2];         /* what a person says of the axes of each side: its number, or NONE */
};
typedef VEC(struct trial) trial_list;

struct deciding {
    struct whole_rows *side[2];
    trial_list trials;
    uint32_t unfit[2]; /* the first weight of each side whose parts do not fit, or NONE */
    /* weights that do not fit less those that do: above 0 the layout is wrong, whatever the run does */
    int64_t weights[2];
    const struct dims_list *dims;
    struct layout **layout;
    struct map classes;
    struct arena arena;
};

/* The joins that the shapes allow; peer: the row's counterpart. c->v is to be freed. */
void join_candidates_find(struct candidates *c, const struct whole_rows *r, const struct whole_row *x,
                          const struct whole_row *peer);
/* In a backward call, or of a weight. */
bool whole_row_is_gradient(const struct whole_rows *r, const struct whole_row *x);

#define PARTS_HELD_MOST (1u << 22) /* elements of all parts held at once; of larger rows the class decides */

/* The elements of the row's parts, each as large as x says; false: not readable, or too many. */
bool parts_hold(struct held *h, const struct whole_rows *r, const struct whole_row *x);
void parts_let_go(struct held *h);
/* The same after the join was decided: x is the whole, parts have their recorded shape. */
bool row_hold(struct held *h, const struct whole_rows *r, const struct whole_row *x);
/* What a candidate, or the join that was decided, makes of them: *n elements, to be freed; NULL: it does not fit. */
double *candidate_values(const struct whole_row *x, const struct candidate *c, const struct held *h, uint64_t *n);
double *row_values(const struct whole_rows *r, const struct whole_row *x, const struct held *h, uint64_t *n);
/* Parts that should be one differ by as much. */
double candidate_spread(const struct whole_row *x, const struct candidate *c, const struct held *h,
                        struct spreads *known);
/* The view of a row as its join was decided: tokens in the other side's order. */
bool whole_row_view(const struct whole_row *x, const struct shape *part, struct joined_view *v);
const struct shape *whole_row_part_shape(const struct whole_rows *r, const struct whole_row *x);
bool whole_row_is_sum(const struct whole_row *x); /* no part stands for itself */

/* Below this two joins agree, relative to their size. */
double trial_limit(const struct deciding *d, const struct trial *t);
bool trial_fits(const struct deciding *d, const struct trial *t, size_t pair);

/* Once joins are decided: errors of parts, orders of tokens, rows without a counterpart. */
void trial_part_errors(struct deciding *d, const struct trial *t);
void token_orders_find(struct deciding *d);
void rank_local_find(struct deciding *d);
void rank_bookkeeping_find(struct deciding *d);
/* Gradients of a weight that two stages hold are parts of a sum, where one stage holds it all. */
void stage_sums_find(struct deciding *d);

#endif
