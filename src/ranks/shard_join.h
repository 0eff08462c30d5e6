/* How rows of ranks and micro-batches make one row of the whole job. What a row allows follows from its shape beside
 * the other side's; which of it holds is proved by values, together with the same row of every other layer: one layer
 * that does not fit deviates, it is not joined another way. */
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

/* One step, of parts that differ in one cut only. */
struct join_step {
    uint8_t by;     /* enum cut */
    uint8_t how;
    int8_t axis;    /* -1: none */
    int8_t keys;    /* the axis in the order of gathered keys, or -1 */
    uint32_t blocks; /* of JOIN_GATED, JOIN_HEADS: each block is concatenated by itself */
    uint32_t n;     /* parts */
    uint32_t pick;  /* of JOIN_REPLICA, JOIN_LAST: the one that stands for all */
};
#define JOIN_STEPS 4 /* tp, cp, micro, dp: from the inside */

struct part_row {
    uint32_t rank, micro; /* rank: index in the set */
    uint32_t row;         /* of that rank's dump */
    float error;          /* against its own part of the other side's; NaN: not known (of a sum) */
};

struct whole_row {
    uint32_t call;        /* whole call */
    const char *slot;
    uint8_t io, kind, dtype;
    bool gradient;        /* multiplied by 1/(dp·cp) of a mean loss */
    bool local;           /* of this rank's own cut alone: no counterpart */
    bool open;            /* parts are missing, or nothing fits */
    uint32_t partner;     /* row of the other side's whole, or NONE */
    struct join_step step[JOIN_STEPS];
    uint8_t steps;
    double scale;
    int ndim;
    int64_t shape[TENSOR_DIMS]; /* of the whole */
    uint32_t *order;      /* JOIN_TOKENS: where each row of axis 0 is; owned by the arena; or NULL */
    VEC(struct part_row) parts; /* the innermost cut fastest */
};

struct whole_rows {
    struct whole_calls *calls;
    VEC(struct whole_row) rows; /* by call in order */
    uint32_t *first_of;   /* of each whole call: its first row; the next call's end it */
    uint32_t joined, fitting; /* rows of several parts, and those that fit */
    struct arena arena;
};

void whole_rows_build(struct whole_rows *r, struct whole_calls *c);
void whole_rows_release(struct whole_rows *r);
struct dims_list;
/* Decides the joins of both sides, each against the other; the cut of context parallel is found where it was not given.
 * dims: what a person says of axes. -1: the parts of a row are larger than the memory that is left. */
int shard_joins_decide(struct whole_rows *target, struct whole_rows *golden, struct layout *layout[2],
                       const struct dims_list *dims, struct err *e);

const char *join_how_name(enum join_how h);
const struct rank_dump *part_dump(const struct whole_rows *r, const struct part_row *p);
/* The row's tensor: a view over its parts. As dump_tensor. */
int whole_row_tensor(const struct whole_rows *r, const struct whole_row *x, struct tensor *t, struct err *e);

#endif
