/* Reads the recordings of all ranks of a side. */
#include "ranks/rank_set.h"

#include <stdlib.h>

#include "base/msg.h"

static int read_one(struct rank_set *s, const struct place *p, struct err *e)
{
    struct rank_dump *x = mem_zalloc(sizeof *x);
    struct load load = {.lock = &s->lock};
    dump_init(&x->dump);
    x->rank = p->rank < 0 ? 0 : p->rank;
    place_set(&x->dump, p);
    vec_push(&s->ranks, x);
    if (p->reader->open(&x->dump, &load, e))
        return -1;
    x->dump.complete = true;
    return 0;
}

static void drop_last(struct rank_set *s)
{
    struct rank_dump *x = s->ranks.v[--s->ranks.n];
    dump_release(&x->dump);
    free(x);
}

int rank_set_load(struct rank_set *s, const char *path, const place_list *places, int step, struct err *e)
{
    return rank_set_load_watched(s, path, places, step, NULL, e);
}

int rank_set_load_watched(struct rank_set *s, const char *path, const place_list *places, int step,
                          struct rank_watch *w, struct err *e)
{
    *s = (struct rank_set){.path = path, .step = step};
    pthread_mutex_init(&s->lock, NULL);
    int rc = 0;
    for (size_t i = 0; i < places->n && rc == 0; i++) /* places are sorted by step and rank */
        if (places->v[i].step == step) {
            rc = w && atomic_load(&w->cancel) ? err_set(e, ERR_CANCEL, "%s", _("interrupted"))
                                              : read_one(s, &places->v[i], e);
            if (rc && w && w->unread && e->code != ERR_CANCEL && w->unread(w->ctx, &places->v[i], e)) {
                drop_last(s);
                rc = 0;
            }
            if (rc == 0 && w)
                w->each(w->ctx);
        }
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
    pthread_mutex_destroy(&s->lock);
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
