/* Shared by the files of shard_join.c: the candidate joins of a row, the elements on which they are tried, and the
 * trials of all rows. */
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
    const struct whole_row *peer;  /* the row of the other side: no axis becomes longer than its parts can make it */
    const struct whole_row *other; /* the same if it has one part only, so that its shape is the wanted one; or NULL */
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

/* The difference between parts along each join step, computed on demand; -1: not yet. */
struct spreads {
    double of[JOIN_STEPS];
};

/* A row with all candidate joins and the error of each. */
struct trial {
    uint32_t row[2];
    struct candidates *of[2]; /* by shape, for both sides */
    size_t pairs;
    uint16_t (*pair)[2];      /* owned: pairs of candidates of both sides with the same shape */
    float *error;             /* per pair; NAN: not read */
    uint32_t class;
    bool figures;             /* errors are computed from recorded figures */
    uint32_t dims[2];         /* index of the --dims entry for each side, or NONE */
};
typedef VEC(struct trial) trial_list;

struct deciding {
    struct whole_rows *side[2];
    trial_list trials;
    uint32_t unfit[2]; /* the first weight of each side whose parts do not fit together, or NONE */
    /* number of weights that do not fit minus those that do: above 0 the layout is wrong */
    int64_t weights[2];
    const struct dims_list *dims;
    struct layout **layout;
    struct map classes;
    struct arena arena;
};

/* Finds the joins that the shapes allow; peer: the row of the other side. The caller frees c->v. */
void join_candidates_find(struct candidates *c, const struct whole_rows *r, const struct whole_row *x,
                          const struct whole_row *peer);
/* Whether the row is in a backward call or is a weight's gradient. */
bool whole_row_is_gradient(const struct whole_rows *r, const struct whole_row *x);

#define PARTS_HELD_MOST (1u << 22) /* elements of all parts held at once; of larger rows the class decides */

/* Reads the elements of the row's parts, each of the size in x; false: unreadable, or too many. */
bool parts_hold(struct held *h, const struct whole_rows *r, const struct whole_row *x);
void parts_let_go(struct held *h);
/* The same after the join was decided: x has the shape of the whole, parts have their recorded shape. */
bool row_hold(struct held *h, const struct whole_rows *r, const struct whole_row *x);
/* The joined elements by a candidate, or by the decided join: *n of them, to be freed; NULL: it does not fit. */
double *candidate_values(const struct whole_row *x, const struct candidate *c, const struct held *h, uint64_t *n);
double *row_values(const struct whole_rows *r, const struct whole_row *x, const struct held *h, uint64_t *n);
/* The difference between parts that should be equal. */
double candidate_spread(const struct whole_row *x, const struct candidate *c, const struct held *h,
                        struct spreads *known);
/* The view of a row by its decided join, with tokens in the other side's order. */
bool whole_row_view(const struct whole_row *x, const struct shape *part, struct joined_view *v);
const struct shape *whole_row_part_shape(const struct whole_rows *r, const struct whole_row *x);
bool whole_row_is_sum(const struct whole_row *x); /* the parts are summands, none is a shard */

/* The relative error below which two joins agree. */
double trial_limit(const struct deciding *d, const struct trial *t);
bool trial_fits(const struct deciding *d, const struct trial *t, size_t pair);

/* After all joins are decided: errors of parts, orders of tokens, rows without a counterpart. */
void trial_part_errors(struct deciding *d, const struct trial *t);
void token_orders_find(struct deciding *d);
void rank_local_find(struct deciding *d);
void rank_bookkeeping_find(struct deciding *d);
/* Gradients of a weight held by two stages are summands if the other side holds it in one stage. */
void stage_sums_find(struct deciding *d);

#endif
