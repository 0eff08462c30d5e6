/* Collective calls of one side: their members matched, each recomputed from what went in. */
#ifndef RANKS_COLLECTIVES_H
#define RANKS_COLLECTIVES_H

#include "ranks/whole_calls.h"

enum collective_verdict {
    COLLECTIVE_MATCH,
    COLLECTIVE_DRIFT,
    COLLECTIVE_DEVIATE,
    COLLECTIVE_MISSING,
    COLLECTIVE_EXTRA,
    COLLECTIVE_UNREAD
};

struct collective {
    int side, step;
    const char *name;      /* "all_reduce", "send/recv" */
    const char *op;        /* "sum", "max", "min", "avg"; NULL: none */
    const char *kind;      /* "tp" …; NULL: no cut of the layout */
    rank_list group;        /* ranks */
    const char *group_source; /* "dump", "layout", "values" */
    const char *at;        /* module it was made in, or the gradient's call; NULL: none */
    VEC(struct part_call) calls; /* one a rank */
    uint32_t gradient;     /* of a reduction of a weight's gradient: the whole call that recorded it; else NONE */
    uint32_t order;        /* in the whole step */
    enum dtype dtype, precision; /* precision DTYPE_UNKNOWN: not told */
    bool reordered;        /* what was gathered is used in another order */
    bool equal;            /* outputs are the same on all ranks */
    double residual, bound; /* NaN: not computed */
    rank_list ranks;        /* whose output is wrong */
    enum collective_verdict verdict;
    const char *diagnosis; /* id, or NULL */
    char evidence[200];
};
struct collective_list {
    VEC(struct collective) v;
    struct arena arena;
};

/* side, step: as they are reported. */
void collectives_find(struct collective_list *l, const struct whole_calls *w, int side, int step);
/* Gradients beside the other side's, whose calls are lined up: summed where they are to be averaged, or the other way
 * round. */
void collectives_compare(struct collective_list *l, const struct whole_calls *w, const struct collective_list *other,
                         const struct whole_calls *of);
void collective_list_release(struct collective_list *l);
const char *collective_verdict_name(enum collective_verdict v);
static inline bool collective_is_bad(const struct collective *c)
{
    return c->verdict == COLLECTIVE_DEVIATE || c->verdict == COLLECTIVE_MISSING || c->verdict == COLLECTIVE_EXTRA;
}

#endif
