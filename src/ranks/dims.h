/* What a person says of the axes of rows (--dims), in the comparator's notation: "PATTERN=s[cp:zigzag] b[dp] h[tp]".
 * Each word is an axis, outermost first; brackets name what cuts it, and may name how: "s[cp:zigzag]", "h[tp:gated]".
 * "h[tp:sum]": the parts are added up. */
#ifndef RANKS_DIMS_H
#define RANKS_DIMS_H

#include "base/err.h"
#include "ranks/shard_join.h"

struct dims {
    struct str pattern; /* of the shell's kind, over names of rows. Empty: hidden states between layers */
    int ndim;
    struct dims_cut {
        uint8_t by, how; /* enum cut, enum join_how; JOIN_HOWS: any along the axis */
        int8_t axis;     /* -1: the parts are combined */
    } cut[JOIN_STEPS];
    int cuts;
};

/* A list of them; the last one that speaks of a row counts. */
struct dims_list {
    const struct dims *v;
    size_t n;
};

/* The text must live as long. */
int dims_parse(struct dims *d, struct str text, struct err *e);
/* The one that speaks of a row, or NONE. */
uint32_t dims_of_row(const struct dims_list *l, const struct whole_rows *r, const struct whole_row *x);
/* Whether it speaks of the row, by a name that a rank gave it. */
bool dims_match(const struct dims *d, const struct whole_rows *r, const struct whole_row *x);
/* Whether a step joins as it says. Cuts that are not named leave replicas; micro-batches it does not name may lie
 * anywhere. */
bool dims_allow(const struct dims *d, const struct join_step *s);

#endif
