/* Collective calls of one side: their members are matched and each collective is recomputed from its inputs. */
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
    const char *kind;      /* "tp" …; NULL: matches no dimension of the layout */
    rank_list group;        /* ranks */
    const char *group_source; /* "dump", "layout", "values" */
    const char *at;        /* the module it was made in, or the call of the gradient; NULL: none */
    VEC(struct part_call) calls; /* one per rank */
    uint32_t gradient; /* for the reduction of a weight's gradient: the whole call that recorded it; otherwise NONE */
    uint32_t order;        /* position in the whole step */
    enum dtype dtype, precision; /* precision DTYPE_UNKNOWN: unknown */
    bool reordered;        /* the gathered parts are used in another order */
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

/* side, step: as reported. */
void collectives_find(struct collective_list *l, const struct whole_calls *w, int side, int step);
/* Compares gradients with the other side's, whose calls are paired: finds sums in place of averages and the reverse. */
void collectives_compare(struct collective_list *l, const struct whole_calls *w, const struct collective_list *other,
                         const struct whole_calls *of);
void collective_list_release(struct collective_list *l);
const char *collective_verdict_name(enum collective_verdict v);
static inline bool collective_is_bad(const struct collective *c)
{
    return c->verdict == COLLECTIVE_DEVIATE || c->verdict == COLLECTIVE_MISSING || c->verdict == COLLECTIVE_EXTRA;
}

#endif
