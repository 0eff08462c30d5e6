/* How rows of ranks and micro-batches are joined to one row of the whole job. The candidates follow from a row's
 * shape and the other side's; values decide, together with the same row of all other layers, so that a single layer
 * that does not fit counts as a deviation and is not joined in another way. */
#ifndef RANKS_SHARD_JOIN_H
#define RANKS_SHARD_JOIN_H

#include "num/joined.h"
#include "ranks/whole_calls.h"

enum join_how {
    JOIN_CONCAT,
    JOIN_ZIGZAG,
    JOIN_GATED,
    JOIN_HEADS,
    JOIN_SUM,
    JOIN_MEAN,
    JOIN_MAX,
    JOIN_LAST,
    JOIN_REPLICA,
    JOIN_EXPERTS,
    JOIN_TOKENS,
    JOIN_VOCAB,
    JOIN_HOWS
};

/* One step: joins parts that differ in one dimension only. */
struct join_step {
    uint8_t by;     /* enum cut */
    uint8_t how;
    int8_t axis;    /* -1: none */
    int8_t keys;    /* the axis in the order of gathered keys (context parallelism), or -1 */
    uint32_t blocks; /* JOIN_GATED, JOIN_HEADS: number of blocks, each concatenated separately */
    uint32_t n;     /* number of parts */
    uint32_t pick;  /* JOIN_REPLICA, JOIN_LAST: the part used */
};
#define JOIN_STEPS 4 /* tp, cp, micro, dp, innermost first */

struct part_row {
    uint32_t rank, micro; /* rank: index in the set */
    uint32_t row;         /* in that rank's dump */
    float error;          /* relative to its own part of the other side; NaN: unknown (of a sum) */
};

struct whole_row {
    uint32_t call;        /* index of the whole call */
    const char *slot;
    uint8_t io, kind, dtype;
    bool gradient;        /* to be multiplied by 1/(dp·cp) of a mean loss */
    bool local;           /* exists only because of this side's sharding: no counterpart */
    bool open;            /* parts are missing, or no candidate fits */
    uint32_t partner;     /* row of the other side's whole rows, or NONE */
    struct join_step step[JOIN_STEPS];
    uint8_t steps;
    double scale;
    int ndim;
    int64_t shape[TENSOR_DIMS]; /* of the whole */
    uint32_t *order;      /* JOIN_TOKENS: the place of each row of axis 0; owned by the arena; or NULL */
    uint32_t odd; /* of a number: 1 + the part that differs from the other side while others agree with it; or 0 */
    VEC(struct part_row) parts; /* innermost dimension fastest */
};

struct whole_rows {
    struct whole_calls *calls;
    VEC(struct whole_row) rows; /* by call, in order */
    uint32_t *first_of;   /* per whole call: its first row; it ends at the next call's */
    uint32_t joined, fitting; /* rows with several parts, and those of them that fit */
    struct arena arena;
};

void whole_rows_build(struct whole_rows *r, struct whole_calls *c);
void whole_rows_release(struct whole_rows *r);
struct dims_list;
/* Decides the joins of both sides, each against the other; the cut of context parallel is found where it was not given.
 * dims: what the user says of axes. -1: the parts of a row are larger than the memory that is left. */
int shard_joins_decide(struct whole_rows *target, struct whole_rows *golden, struct layout *layout[2],
                       const struct dims_list *dims, struct err *e);

const char *join_how_name(enum join_how h);
const struct rank_dump *part_dump(const struct whole_rows *r, const struct part_row *p);
/* The row's tensor, a view over its parts. As dump_tensor. */
int whole_row_tensor(const struct whole_rows *r, const struct whole_row *x, struct tensor *t, struct err *e);

#endif
