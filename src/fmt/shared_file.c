/* Finds which lines of a text file hold which recording. Where recordings take turns they are read over and over, which
 * `most` bounds. */
#include "fmt/shared_file.h"

void shared_file_damaged(struct shared_file *x, const struct lines *l)
{
    if (!x->n)
        return;
    struct stretch *s = &x->out->v[x->last].stretch;
    s->bytes = l->offset + 1 - s->from; /* a line that begins in it is read to its end */
}

void shared_file_line(struct shared_file *x, const struct lines *l, int step, int rank)
{
    uint64_t key = (uint64_t)(uint32_t)step << 32 | (uint32_t)rank;
    uint32_t at = nmap_get(&x->seen, key);
    if (at == MAP_NONE && x->n == x->most)
        return;
    if (at == MAP_NONE) {
        at = (uint32_t)x->out->n;
        struct place *p = place_list_add(x->out, x->reader, x->path, step, rank);
        if (x->n)
            p->stretch = (struct stretch){.from = l->offset, .lines = l->number - 1};
        nmap_add(&x->seen, key, at);
        x->n++;
    }
    x->last = at;
    shared_file_damaged(x, l);
}

int shared_file_open(struct lines *l, const struct dump *d, size_t longest, struct err *e)
{
    const struct stretch *s = &d->stretch;
    if (lines_open(l, d->path, longest, false, e))
        return -1;
    if (s->bytes)
        lines_between(l, s->from, s->from + s->bytes, s->lines);
    return 0;
}
