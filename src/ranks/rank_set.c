/* Reads the recordings of all ranks of a side, as many at once as there are threads. */
#include "ranks/rank_set.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/threads.h"

/* Recordings that several threads read. */
struct reading {
    struct rank_set *set;
    struct rank_watch *watch;
    const struct place **place; /* of each rank of the set */
    struct err *err;            /* of each: code 0 where it was read */
};

static void read_one(void *ctx, size_t i)
{
    struct reading *x = ctx;
    if (x->watch && atomic_load(&x->watch->cancel)) {
        err_set(&x->err[i], ERR_CANCEL, "%s", _("interrupted"));
        return;
    }
    struct rank_dump *r = x->set->ranks.v[i];
    pthread_mutex_t lock; /* nobody looks at it meanwhile */
    pthread_mutex_init(&lock, NULL);
    struct load load = {.lock = &lock};
    place_set(&r->dump, x->place[i]);
    if (r->dump.reader->open(&r->dump, &load, &x->err[i]) == 0)
        r->dump.complete = true;
    else if (!x->err[i].code)
        x->err[i].code = ERR_DATA;
    pthread_mutex_destroy(&lock);
    if (x->watch && x->watch->each)
        x->watch->each(x->watch->ctx);
}

int rank_set_load(struct rank_set *s, const char *path, const place_list *places, int step, int workers, struct err *e)
{
    return rank_set_load_watched(s, path, places, step, workers, NULL, e);
}

/* Ranks that could not be read, but need not be, leave the list; -1 with the first failure else. */
static int drop_unread(struct reading *x, struct err *e)
{
    struct rank_set *s = x->set;
    const struct rank_watch *w = x->watch;
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; i < s->ranks.n; i++) {
        struct rank_dump *r = s->ranks.v[i];
        const struct err *why = &x->err[i];
        bool read = r->dump.complete;
        if (read || rc || why->code == ERR_CANCEL || !w || !w->unread || !w->unread(w->ctx, x->place[i], why)) {
            if (!read && !rc) {
                *e = *why;
                rc = -1;
            }
            s->ranks.v[n++] = r;
            continue;
        }
        dump_release(&r->dump);
        free(r);
    }
    s->ranks.n = n;
    return rc;
}

int rank_set_load_watched(struct rank_set *s, const char *path, const place_list *places, int step, int workers,
                          struct rank_watch *w, struct err *e)
{
    *s = (struct rank_set){.path = path, .step = step};
    struct reading x = {.set = s, .watch = w};
    struct work_crew crew;
    x.place = mem_zalloc((places->n + 1) * sizeof *x.place);
    for (size_t i = 0; i < places->n; i++) { /* places are sorted by step and rank */
        const struct place *p = &places->v[i];
        if (p->step != step)
            continue;
        struct rank_dump *r = mem_zalloc(sizeof *r);
        dump_init(&r->dump);
        r->rank = p->rank < 0 ? 0 : p->rank;
        x.place[s->ranks.n] = p;
        vec_push(&s->ranks, r);
    }
    x.err = mem_zalloc((s->ranks.n + 1) * sizeof *x.err);
    work_crew_init(&crew);
    work_crew_each(&crew, workers, s->ranks.n, NULL, read_one, &x);
    work_crew_release(&crew);
    int rc = drop_unread(&x, e);
    free(x.place);
    free(x.err);
    return rc;
}

void rank_set_release(struct rank_set *s)
{
    if (!s->path)
        return;
    for (size_t i = 0; i < s->ranks.n; i++) {
        dump_release(&s->ranks.v[i]->dump);
        free(s->ranks.v[i]);
    }
    vec_release(&s->ranks);
    *s = (struct rank_set){0};
}

uint32_t rank_set_find(const struct rank_set *s, int rank)
{
    size_t low = 0, high = s->ranks.n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (s->ranks.v[mid]->rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->ranks.n && s->ranks.v[low]->rank == rank ? (uint32_t)low : NONE;
}

/* Where it is, or would be. */
static size_t place_in(const rank_list *l, int rank)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (l->v[mid] < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool rank_list_has(const rank_list *l, int rank)
{
    size_t at = place_in(l, rank);
    return at < l->n && l->v[at] == rank;
}

void rank_list_add(rank_list *l, int rank)
{
    size_t at = place_in(l, rank);
    if (at < l->n && l->v[at] == rank)
        return;
    vec_push(l, rank);
    for (size_t i = l->n - 1; i > at; i--)
        l->v[i] = l->v[i - 1];
    l->v[at] = rank;
}

void rank_set_absent(const struct rank_set *s, int ranks, rank_list *out)
{
    for (int i = 0; i < ranks; i++)
        if (rank_set_find(s, i) == NONE)
            rank_list_add(out, i);
    for (size_t k = 0; k < s->ranks.n; k++) {
        const struct dump *d = &s->ranks.v[k]->dump;
        for (size_t g = 0; g < d->groups.n; g++)
            for (const char *at = d->groups.v[g].ranks; *at; ) {
                char *end;
                long rank = strtol(at, &end, 10);
                if (end != at && rank_set_find(s, (int)rank) == NONE)
                    rank_list_add(out, (int)rank);
                at = end == at ? at + 1 : end;
            }
    }
}

/* A file of it that is there and could not be read to its end. */
static bool is_damaged(const struct dump *d)
{
    for (size_t i = 0; i < d->problems.n; i++)
        if (d->problems.v[i].row == NONE && !d->problems.v[i].recorded)
            return true;
    return false;
}

size_t rank_set_unread_rows(const struct rank_set *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->ranks.n; i++) {
        const struct dump *d = &s->ranks.v[i]->dump;
        for (size_t k = 0; k < d->problems.n; k++)
            n += d->problems.v[k].row != NONE && !d->problems.v[k].recorded;
    }
    return n;
}

bool rank_set_is_whole(const struct rank_set *s)
{
    rank_list absent = {0};
    rank_set_absent(s, 0, &absent);
    bool whole = absent.n == 0;
    vec_release(&absent);
    for (size_t i = 0; i < s->ranks.n && whole; i++)
        whole = !is_damaged(&s->ranks.v[i]->dump);
    return whole;
}
