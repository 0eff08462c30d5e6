/* How many threads there are to be, pieces of work taken in turn, and crews: a member with a large piece lists it,
 * and members without work of their own help. */
#include "base/threads.h"

#include <unistd.h>

#define MOST 64

int threads_wanted(int asked)
{
    return asked ? asked : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

void threads_run(int n, void *(*work)(void *ctx), void *ctx)
{
    pthread_t t[MOST - 1];
    int made = 0;
    while (made < n - 1 && made < MOST - 1 && pthread_create(&t[made], NULL, work, ctx) == 0)
        made++;
    work(ctx);
    for (int i = 0; i < made; i++)
        pthread_join(t[i], NULL);
}

/* On the stack of the member that shares it; it leaves the list before its helpers are waited for. */
struct crew_job {
    void *(*work)(void *ctx);
    void *ctx;
    int helpers;
    struct crew_job *next;
};

void crew_init(struct crew *c)
{
    *c = (struct crew){0};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
}

void crew_release(struct crew *c)
{
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
}

void crew_join(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->busy++;
    pthread_mutex_unlock(&c->lock);
}

static void close_job(struct crew *c, const struct crew_job *j)
{
    for (struct crew_job **at = &c->jobs; *at; at = &(*at)->next)
        if (*at == j) {
            *at = j->next;
            return;
        }
}

void crew_share(struct crew *c, void *(*work)(void *ctx), void *ctx)
{
    struct crew_job j = {.work = work, .ctx = ctx}, **end = &c->jobs;
    pthread_mutex_lock(&c->lock);
    while (*end)
        end = &(*end)->next;
    *end = &j;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (c->call)
        c->call(c->ctx);
    work(ctx);
    pthread_mutex_lock(&c->lock);
    close_job(c, &j);
    while (j.helpers)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

/* The oldest job, with the lock held before and after; false when there is none. */
static bool help(struct crew *c)
{
    struct crew_job *j = c->jobs;
    if (!j)
        return false;
    j->helpers++;
    pthread_mutex_unlock(&c->lock);
    j->work(j->ctx);
    pthread_mutex_lock(&c->lock);
    close_job(c, j); /* nothing is left of it to begin */
    j->helpers--;
    pthread_cond_broadcast(&c->changed);
    return true;
}

void crew_leave(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->busy--;
    pthread_cond_broadcast(&c->changed);
    while (c->busy)
        if (!help(c))
            pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

bool crew_help(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    bool any = help(c);
    pthread_mutex_unlock(&c->lock);
    return any;
}

bool crew_needs_help(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    bool any = c->jobs != NULL;
    pthread_mutex_unlock(&c->lock);
    return any;
}

struct pieces {
    struct crew *crew;
    atomic_size_t next;
    size_t n;
    const atomic_bool *cancel;
    void (*one)(void *ctx, size_t i);
    void *ctx;
};

static void *take_pieces(void *ctx)
{
    struct pieces *x = ctx;
    crew_join(x->crew);
    for (;;) {
        size_t i = atomic_fetch_add(&x->next, 1);
        if (i >= x->n || (x->cancel && atomic_load(x->cancel)))
            break;
        x->one(x->ctx, i);
    }
    crew_leave(x->crew);
    return NULL;
}

void crew_each(struct crew *c, int workers, size_t n, const atomic_bool *cancel, void (*one)(void *ctx, size_t i), void *ctx)
{
    struct pieces x = {.crew = c, .n = n, .cancel = cancel, .one = one, .ctx = ctx};
    threads_run(workers, take_pieces, &x);
}
