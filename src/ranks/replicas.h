/* Tensors that must be the same on several ranks of one side, and tensors that must differ. */
#ifndef RANKS_REPLICAS_H
#define RANKS_REPLICAS_H

#include "ranks/whole_calls.h"

struct replica_finding {
    int side, step;
    const char *what;   /* "weight", "input", "gradient", "output", "batch", "seed" */
    const char *kind;   /* "tp", "dp" … */
    bool differ;        /* they are equal but should differ */
    rank_list ranks;
    rank_list odd;       /* the minority; empty if undecided */
    uint32_t rank, row; /* index in the set, and row, of the first occurrence */
    uint32_t order;     /* position of the whole call */
    uint32_t rows;      /* number of rows with the same cause */
    double size;
    const char *diagnosis;
    char evidence[200];
};
struct replica_list {
    VEC(struct replica_finding) v;
};

/* other: the other side's calls, paired, or NULL. With two ranks, the one that differs from the other side is the odd
 * one. */
void replicas_find(struct replica_list *l, const struct whole_calls *w, const struct whole_calls *other, int side,
                   int step);
void replica_list_release(struct replica_list *l);

#endif
