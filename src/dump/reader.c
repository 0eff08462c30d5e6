/* Shared by readers: places, and the lock around appends. */
#include "dump/reader.h"

void place_list_release(place_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        name_list_release(&l->v[i].paths);
    vec_release(l);
}

struct place *place_list_add(place_list *l, const struct reader *r, const char *path, int step, int rank)
{
    struct place p = {.reader = r, .step = step, .rank = rank};
    vec_push(&p.paths, mem_strdup(path));
    vec_push(l, p);
    return &l->v[l->n - 1];
}

bool place_number_fits(int a, int b)
{
    return a < 0 || b < 0 || a == b;
}

bool place_fits(const struct place *a, const struct place *b)
{
    return place_number_fits(a->step, b->step) && place_number_fits(a->rank, b->rank);
}

int place_list_ranks(const place_list *l, int step)
{
    int n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct place *p = &l->v[i];
        n += p->step == step && !(i && p[-1].step == step && p[-1].rank == p->rank);
    }
    return n;
}

void place_set(struct dump *d, const struct place *p)
{
    d->reader = p->reader;
    d->column = COLUMN_ALL;
    d->path = p->paths.v[0];
    d->parts = (const char *const *)p->paths.v;
    d->part_count = p->paths.n;
    d->given = p->given;
    d->stretch = p->stretch;
    d->step = p->step;
    d->rank = p->rank;
}

void load_begin(struct load *l)
{
    if (l->lock)
        pthread_mutex_lock(l->lock);
}

void load_end(struct load *l)
{
    if (l->lock)
        pthread_mutex_unlock(l->lock);
    if (l->progress)
        l->progress(l->ctx);
}

bool load_cancelled(struct load *l)
{
    return atomic_load_explicit(&l->cancel, memory_order_relaxed);
}
