/* Lists the readers of each call's results by the rows that hold their values. */
#include "judge/forward_uses.h"

#include <stdlib.h>

void forward_uses_find(struct forward_uses *u, const struct dump *d, const struct dataflow *flow)
{
    uint32_t *root = mem_alloc((d->rows.n + 1) * sizeof *root); /* the row in which a value occurred first */
    u->first = mem_alloc((d->calls.n + 1) * sizeof *u->first);
    u->next = mem_alloc((d->rows.n + 1) * sizeof *u->next);
    for (size_t c = 0; c < d->calls.n; c++)
        u->first[c] = NONE;
    for (uint32_t r = 0; r < d->rows.n; r++) {
        uint32_t from = flow->held[r];
        root[r] = from == NONE ? r : root[from];
        u->next[r] = NONE;
        if (from == NONE || d->rows.v[r].io != IO_INPUT || d->calls.v[d->rows.v[r].call].phase != PHASE_FORWARD)
            continue;
        uint32_t producer = d->rows.v[root[r]].call;
        u->next[r] = u->first[producer];
        u->first[producer] = r;
    }
    free(root);
}

void forward_uses_release(struct forward_uses *u)
{
    free(u->first);
    free(u->next);
    *u = (struct forward_uses){NULL, NULL};
}
