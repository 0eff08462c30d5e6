/* Opens the earlier step once, at the first request; other requests wait. */
#include "dump/step_before.h"

#include <stdlib.h>

struct step_before {
    const struct place *place;
    pthread_mutex_t lock;      /* one thread reads, the others wait */
    pthread_mutex_t appending; /* the lock readers hold while appending; here nobody else uses it */
    bool tried, good;
    struct load load;
    struct dump dump;
};

struct step_before *step_before_of(const place_list *places, size_t at)
{
    const struct place *now = &places->v[at], *best = NULL;
    for (size_t i = 0; i < places->n; i++) {
        const struct place *x = &places->v[i];
        if (x->reader == now->reader && x->rank == now->rank && x->step >= 0 && x->step < now->step &&
            (!best || x->step > best->step))
            best = x;
    }
    if (!best || now->reader->table || now->reader->weights)
        return NULL;
    struct step_before *p = mem_zalloc(sizeof *p);
    p->place = best;
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->appending, NULL);
    dump_init(&p->dump);
    return p;
}

void step_before_free(struct step_before *p)
{
    if (!p)
        return;
    dump_release(&p->dump);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->appending);
    free(p);
}

static bool read_it(struct step_before *p)
{
    struct err e;
    place_set(&p->dump, p->place);
    p->load.lock = &p->appending;
    if (p->dump.reader->open(&p->dump, &p->load, &e))
        return false;
    p->dump.complete = true;
    return true;
}

const struct dump *step_before_dump(struct step_before *p)
{
    pthread_mutex_lock(&p->lock);
    if (!p->tried) {
        p->tried = true;
        p->good = read_it(p);
    }
    bool good = p->good;
    pthread_mutex_unlock(&p->lock);
    return good ? &p->dump : NULL;
}

int step_before_number(const struct step_before *p)
{
    return p->place->step;
}
