/* Reads the recordings of all ranks of a side, in parallel. */
#include "ranks/rank_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/msg.h"
#include "base/threads.h"
#include "dump/family.h"
#include "dump/tensor_files.h"

/* State of recordings read by several threads. */
struct reading {
    struct rank_set *set;
    struct rank_watch *watch;
    const struct place **place; /* per rank of the set */
    struct err *err;            /* per rank: code 0 if it was read */
};

/* Opens the headers of the files: of a part that cannot be read nothing is joined, and nothing would say so. */
static void look_at_files(struct rank_dump *r)
{
    struct tensor_files files;
    tensor_files_look(&files, &r->dump, NULL, NULL);
    tensor_files_tell(&files, &r->dump);
    tensor_files_release(&files);
    if (r->dump.reader->tensor)
        r->held = mem_zalloc((r->dump.rows.n + 1) * sizeof *r->held);
}

static void read_recording(struct rank_dump *r, const struct place *p, const char *path, struct err *e)
{
    pthread_mutex_t lock; /* nobody else reads them meanwhile */
    if (memory_left() == 0) {
        memory_short(e, path);
        return;
    }
    pthread_mutex_init(&lock, NULL);
    struct load load = {.lock = &lock};
    place_set(&r->dump, p);
    r->dump.complete = r->dump.reader->open(&r->dump, &load, e) == 0;
    if (r->dump.complete)
        look_at_files(r);
    else if (!e->code)
        e->code = ERR_DATA;
    pthread_mutex_destroy(&lock);
}

static void read_rank_dump(void *ctx, size_t i)
{
    struct reading *x = ctx;
    if (x->watch && atomic_load(&x->watch->cancel)) {
        err_set(&x->err[i], ERR_CANCEL, "%s", _("interrupted"));
        return;
    }
    read_recording(x->set->ranks.v[i], x->place[i], x->set->path, &x->err[i]);
    if (x->watch && x->watch->each)
        x->watch->each(x->watch->ctx);
}

int rank_set_load(struct rank_set *s, const char *path, const place_list *places, int step, int workers, struct err *e)
{
    return rank_set_load_watched(s, path, places, step, workers, NULL, e);
}

static void release_rank(struct rank_dump *r)
{
    dump_release(&r->dump);
    free(r->held);
    free(r);
}

/* Removes optional ranks that could not be read; -1 with the first failure otherwise. */
static int drop_unread_ranks(struct reading *x, struct err *e)
{
    struct rank_set *s = x->set;
    const struct rank_watch *w = x->watch;
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; i < s->ranks.n; i++) {
        struct rank_dump *r = s->ranks.v[i];
        const struct err *why = &x->err[i];
        bool read = r->dump.complete;
        bool ends = why->code == ERR_CANCEL || why->code == ERR_RESOURCE;
        if (read || rc || ends || !w || !w->unread || !w->unread(w->ctx, x->place[i], why)) {
            if (!read && !rc) {
                *e = *why;
                rc = -1;
            }
            s->ranks.v[n++] = r;
            continue;
        }
        release_rank(r);
    }
    s->ranks.n = n;
    return rc;
}

int rank_set_load_watched(struct rank_set *s, const char *path, const place_list *places, int step, int workers,
                          struct rank_watch *w, struct err *e)
{
    return rank_set_load_some(s, path, places, step, NULL, workers, w, e);
}

/* ---- whether they are of one model ---- */

#define SHARED 0.2 /* of the smaller one's kinds of calls: stages of a pipeline share those of their layers */
#define KINDS_LEAST 8 /* fewer show nothing */

/* The names of a recording's calls without numbers, as hashes. */
static void call_kinds(const struct dump *d, struct nmap *out)
{
    struct buf kind = {0};
    for (uint32_t c = 0; c < d->calls.n; c++) {
        buf_clear(&kind);
        buf_numberless(&kind, dump_call_name(d, c));
        nmap_add(out, hash_bytes(kind.p, kind.n, 1), 0);
    }
    buf_release(&kind);
}

static bool are_of_one_model(const struct dump *x, const struct dump *y)
{
    struct nmap kinds[2] = {{0}, {0}};
    size_t shared = 0;
    if (!dumps_of_one_framework(x, y) || x->reader != y->reader)
        return false;
    call_kinds(x, &kinds[0]);
    call_kinds(y, &kinds[1]);
    for (size_t i = 0; i < kinds[0].cap; i++)
        shared += kinds[0].slots[i].used && nmap_get(&kinds[1], kinds[0].slots[i].key) != MAP_NONE;
    size_t least = kinds[0].n < kinds[1].n ? kinds[0].n : kinds[1].n;
    nmap_release(&kinds[0]);
    nmap_release(&kinds[1]);
    return least < KINDS_LEAST || (double)shared >= SHARED * (double)least;
}

/* -1 if a rank has hardly a call in common with the first one and the one before it: another model's. */
static int refuse_strangers(const struct rank_set *s, struct err *e)
{
    for (size_t i = 1; i < s->ranks.n; i++) {
        const struct rank_dump *r = s->ranks.v[i];
        if (r->dump.complete && s->ranks.v[0]->dump.complete && !are_of_one_model(&s->ranks.v[0]->dump, &r->dump) &&
            (i == 1 || !are_of_one_model(&s->ranks.v[i - 1]->dump, &r->dump)))
            return err_set(e, ERR_USAGE, _("%s: the recordings of ranks %d and %d cannot belong together (another "
                                           "model or framework); give the path of one of them: %s, %s"), s->path,
                           s->ranks.v[0]->rank, r->rank, s->ranks.v[0]->dump.path, r->dump.path);
    }
    return 0;
}

static bool has_collectives(const struct dump *d)
{
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (d->calls.v[c].family == FAMILY_COLLECTIVE)
            return true;
    return false;
}

/* -1 if the ranks are processes by their order alone, and none communicates: they may be runs of their own. */
static int refuse_runs(const struct reading *x, struct err *e)
{
    const struct rank_set *s = x->set;
    if (s->ranks.n < 2 || !x->place[0]->counted)
        return 0;
    for (size_t i = 0; i < s->ranks.n; i++)
        if (!s->ranks.v[i]->dump.complete || has_collectives(&s->ranks.v[i]->dump))
            return 0;
    return err_set(e, ERR_USAGE, _("%s: %zu processes without ranks, none of which recorded communication: they may be "
                                   "several runs; give the path of one of them: %s, %s"), s->path, s->ranks.n,
                   s->ranks.v[0]->dump.path, s->ranks.v[1]->dump.path);
}

static int rank_number(const struct place *p)
{
    return p->rank < 0 ? 0 : p->rank;
}

static struct rank_dump *new_rank(const struct place *p)
{
    struct rank_dump *r = mem_zalloc(sizeof *r);
    dump_init(&r->dump);
    r->rank = rank_number(p);
    return r;
}

int rank_set_load_some(struct rank_set *s, const char *path, const place_list *places, int step, const rank_list *some,
                       int workers, struct rank_watch *w, struct err *e)
{
    *s = (struct rank_set){.path = path, .step = step};
    struct reading x = {.set = s, .watch = w};
    x.place = mem_zalloc((places->n + 1) * sizeof *x.place);
    for (size_t i = 0; i < places->n; i++) { /* places are sorted by step and rank */
        const struct place *p = &places->v[i];
        if (p->step != step)
            continue;
        if (some && !rank_list_has(some, rank_number(p))) {
            rank_list_add(&s->others, rank_number(p));
            continue;
        }
        x.place[s->ranks.n] = p;
        vec_push(&s->ranks, new_rank(p));
    }
    x.err = mem_zalloc((s->ranks.n + 1) * sizeof *x.err);
    work_crew_run(NULL, workers, s->ranks.n, NULL, read_rank_dump, &x);
    int rc = drop_unread_ranks(&x, e);
    if (rc == 0)
        rc = refuse_runs(&x, e);
    if (rc == 0)
        rc = refuse_strangers(s, e);
    free(x.place);
    free(x.err);
    return rc;
}

void rank_set_release(struct rank_set *s)
{
    if (!s->path)
        return;
    for (size_t i = 0; i < s->ranks.n; i++)
        release_rank(s->ranks.v[i]);
    vec_release(&s->ranks);
    vec_release(&s->others);
    *s = (struct rank_set){0};
}

void rank_set_hand_on(const struct rank_set *s, place_list *places, bool on)
{
    for (size_t i = 0, at = 0; i < places->n; i++) {
        struct place *p = &places->v[i];
        const struct rank_dump *r = at < s->ranks.n ? s->ranks.v[at] : NULL;
        if (!r || p->step != s->step || r->dump.path != p->paths.v[0])
            continue;
        p->read = on ? &r->dump : NULL;
        at++;
    }
}

uint32_t rank_set_find(const struct rank_set *s, int rank)
{
    size_t at;
    lower_bound(at, s->ranks.n, s->ranks.v[at]->rank < rank);
    return at < s->ranks.n && s->ranks.v[at]->rank == rank ? (uint32_t)at : NONE;
}

/* The index of the rank, or where it would be inserted. */
static size_t rank_list_index(const rank_list *l, int rank)
{
    size_t at;
    lower_bound(at, l->n, l->v[at] < rank);
    return at;
}

bool rank_list_has(const rank_list *l, int rank)
{
    size_t at = rank_list_index(l, rank);
    return at < l->n && l->v[at] == rank;
}

void rank_list_add(rank_list *l, int rank)
{
    size_t at = rank_list_index(l, rank);
    if (at < l->n && l->v[at] == rank)
        return;
    vec_push(l, rank);
    for (size_t i = l->n - 1; i > at; i--)
        l->v[i] = l->v[i - 1];
    l->v[at] = rank;
}

static void rank_list_remove(rank_list *l, int rank)
{
    size_t at = rank_list_index(l, rank);
    if (at == l->n || l->v[at] != rank)
        return;
    l->n--;
    memmove(&l->v[at], &l->v[at + 1], (l->n - at) * sizeof *l->v);
}

int rank_set_add(struct rank_set *s, const place_list *places, int rank, struct err *e)
{
    size_t at = 0;
    const struct place *p = NULL;
    for (size_t i = 0; i < places->n && rank_set_find(s, rank) == NONE; i++)
        if (places->v[i].step == s->step && rank_number(&places->v[i]) == rank)
            p = &places->v[i];
    if (!p)
        return rank_set_find(s, rank) != NONE ? 0 : err_set(e, ERR_DATA, _("%s: no rank %d"), s->path, rank);
    while (at < s->ranks.n && s->ranks.v[at]->rank < rank)
        at++;
    struct rank_dump *r = new_rank(p);
    vec_push(&s->ranks, r);
    memmove(&s->ranks.v[at + 1], &s->ranks.v[at], (s->ranks.n - 1 - at) * sizeof *s->ranks.v);
    s->ranks.v[at] = r;
    struct err why = {0};
    read_recording(r, p, s->path, &why);
    rank_list_remove(&s->others, rank);
    if (r->dump.complete)
        return 0;
    *e = why;
    return -1;
}

void rank_set_absent(const struct rank_set *s, int ranks, rank_list *out)
{
    for (int i = 0; i < ranks; i++)
        if (rank_set_find(s, i) == NONE && !rank_list_has(&s->others, i))
            rank_list_add(out, i);
    for (size_t k = 0; k < s->ranks.n; k++) {
        const struct dump *d = &s->ranks.v[k]->dump;
        for (size_t g = 0; g < d->groups.n; g++)
            for (const char *at = d->groups.v[g].ranks; *at; ) {
                char *end;
                long rank = strtol(at, &end, 10);
                if (end != at && rank_set_find(s, (int)rank) == NONE && !rank_list_has(&s->others, (int)rank))
                    rank_list_add(out, (int)rank);
                at = end == at ? at + 1 : end;
            }
    }
}

/* Whether a file of it exists but could not be read to its end. */
static bool has_unread_file(const struct dump *d)
{
    for (size_t i = 0; i < d->problems.n; i++)
        if (problem_is_unread_file(&d->problems.v[i]))
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

#define NUMBERED_MOST 65536

int rank_set_numbered(const struct rank_set *s)
{
    int last = s->ranks.n ? (*vec_last(&s->ranks))->rank : -1, other = s->others.n ? *vec_last(&s->others) : -1;
    last = last > other ? last : other;
    return last < NUMBERED_MOST ? last + 1 : 0;
}

bool rank_set_is_whole(const struct rank_set *s)
{
    rank_list absent = {0};
    rank_set_absent(s, rank_set_numbered(s), &absent);
    bool whole = absent.n == 0;
    vec_release(&absent);
    for (size_t i = 0; i < s->ranks.n && whole; i++)
        whole = !has_unread_file(&s->ranks.v[i]->dump);
    return whole;
}
