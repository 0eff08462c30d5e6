/* Builds the lists of readers from the data flow of one side. */
#include "judge/value_readers.h"

#include <stdlib.h>

void readers_build(struct value_readers *x, const struct dump *d, const struct dataflow *f)
{
    size_t n = d->rows.n;
    x->first = mem_nones(n);
    x->next = mem_alloc((n + 1) * sizeof *x->next);
    for (uint32_t r = (uint32_t)n; r-- > 0;) {
        uint32_t h = f->held[r];
        x->next[r] = NONE;
        /* back over earlier readers to the producer */
        for (int steps = 0; h != NONE && d->rows.v[h].io != IO_OUTPUT && steps < 64; steps++)
            h = f->held[h];
        if (h == NONE || d->rows.v[r].io != IO_INPUT || d->rows.v[h].io != IO_OUTPUT)
            continue;
        x->next[r] = x->first[h];
        x->first[h] = r;
    }
}

void readers_release(struct value_readers *x)
{
    free(x->first);
    free(x->next);
    *x = (struct value_readers){0};
}
