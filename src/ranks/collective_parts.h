/* Shared by the files of collectives.c: members of collectives and their rows. */
#ifndef RANKS_COLLECTIVE_PARTS_H
#define RANKS_COLLECTIVE_PARTS_H

#include "ranks/collectives.h"

struct finding_collectives {
    struct collective_list *l;
    const struct whole_calls *w;
    int side, step;
};

/* The whole call that contains a collective's first member. */
static inline const struct whole_call *collective_call(const struct whole_calls *w, const struct collective *c)
{
    return &w->calls.v[w->of[c->calls.v[0].rank][c->calls.v[0].call]];
}

int collectives_by_order(const void *a, const void *b); /* for vec_sort */
/* Marks c as deviating, with a diagnosis id and a sentence. */
void collective_say(struct collective *c, const char *id, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Recomputes c in float64 from its inputs: sets residual, bound and verdict. tail: it comes after the backward pass. */
void collective_judge(const struct whole_calls *w, struct collective *c, bool tail);
/* Compares each collective with those of other layers; adds calls and gradients that lack theirs. */
void collectives_beside(struct finding_collectives *x);

#endif
