/* A user's description of the axes of rows (--dims), in the notation of "PATTERN=s[cp:zigzag] b[dp] h[tp]". Each word
 * is an axis, outermost first; brackets name the dimension of parallelism that shards it and may name how:
 * "s[cp:zigzag]", "h[tp:gated]". "h[tp:sum]": the parts are added. */
#ifndef RANKS_DIMS_H
#define RANKS_DIMS_H

#include "base/err.h"
#include "ranks/shard_join.h"

struct dims {
    struct str pattern; /* a glob pattern for names of rows. Empty: hidden states between layers */
    int ndim;
    struct dims_cut {
        uint8_t by, how; /* enum cut, enum join_how; JOIN_HOWS: any way along the axis */
        int8_t axis;     /* -1: the parts are combined */
    } cut[JOIN_STEPS];
    int cuts;
};

/* Of several that match a row the last one counts. */
struct dims_list {
    const struct dims *v;
    size_t n;
};

/* `text` must outlive d. */
int dims_parse(struct dims *d, struct str text, struct err *e);
/* The index of the one that applies to a row, or NONE. */
uint32_t dims_of_row(const struct dims_list *l, const struct whole_rows *r, const struct whole_row *x);
/* Whether a join step agrees with it. Dimensions that are not named hold replicas; micro-batches that are not named
 * may be on any axis. */
bool dims_allow(const struct dims *d, const struct join_step *s);

#endif
