/* Number of threads, items processed by several threads, and crews: a member with a large task lists it, and idle
 * members help. */
#include "base/threads.h"

#include "base/processors.h"
#include "base/waiting.h"

#define MOST WAITING_THREADS

int threads_wanted(int asked)
{
    return asked ? asked : processors_usable();
}

/* On the stack of the member that shares it; it leaves the list before that member waits for its helpers. */
struct work_crew_job {
    void *(*work)(void *ctx);
    void *ctx;
    int helpers;
    struct work_crew_job *next;
};

void work_crew_init(struct work_crew *c)
{
    *c = (struct work_crew){0};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
}

void work_crew_release(struct work_crew *c)
{
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
}

/* Called by a member before its own work begins. */
static void work_crew_join(struct work_crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->busy++;
    pthread_mutex_unlock(&c->lock);
}

static void close_job(struct work_crew *c, const struct work_crew_job *j)
{
    for (struct work_crew_job **at = &c->jobs; *at; at = &(*at)->next)
        if (*at == j) {
            *at = j->next;
            return;
        }
}

void work_crew_share(struct work_crew *c, void *(*work)(void *ctx), void *ctx)
{
    struct work_crew_job j = {.work = work, .ctx = ctx}, **end = &c->jobs;
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

/* Helps with the oldest job; the lock is held before and after. False if there is none. */
static bool help_oldest_job(struct work_crew *c)
{
    struct work_crew_job *j = c->jobs;
    if (!j)
        return false;
    j->helpers++;
    pthread_mutex_unlock(&c->lock);
    j->work(j->ctx);
    pthread_mutex_lock(&c->lock);
    close_job(c, j); /* everything in it has been started */
    j->helpers--;
    pthread_cond_broadcast(&c->changed);
    return true;
}

/* Called by a member that has no more work of its own: it helps until all members have left. */
static void work_crew_leave(struct work_crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->busy--;
    pthread_cond_broadcast(&c->changed);
    while (c->busy)
        if (!help_oldest_job(c))
            pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

bool work_crew_help(struct work_crew *c)
{
    pthread_mutex_lock(&c->lock);
    bool any = help_oldest_job(c);
    pthread_mutex_unlock(&c->lock);
    return any;
}

bool work_crew_needs_help(struct work_crew *c)
{
    pthread_mutex_lock(&c->lock);
    bool any = c->jobs != NULL;
    pthread_mutex_unlock(&c->lock);
    return any;
}

struct pieces {
    struct work_crew *crew; /* or NULL */
    atomic_size_t next;
    size_t n;
    const atomic_bool *cancel;
    void (*one)(void *ctx, size_t i);
    void *ctx;
    bool may_grow;
    pthread_mutex_t lock;
    pthread_t made[MOST - 1];
    int count;
};

static void *take_pieces(void *ctx);

/* Only a running thread adds threads, so all of them can be joined afterwards. */
static bool add_thread(struct pieces *x)
{
    pthread_mutex_lock(&x->lock);
    bool added = x->count < MOST - 1 && pthread_create(&x->made[x->count], NULL, take_pieces, x) == 0;
    x->count += added;
    pthread_mutex_unlock(&x->lock);
    return added;
}

static void *take_pieces(void *ctx)
{
    struct pieces *x = ctx;
    if (x->crew)
        work_crew_join(x->crew);
    for (;;) {
        struct waiting w;
        size_t i = atomic_fetch_add(&x->next, 1);
        if (i >= x->n || (x->cancel && atomic_load(x->cancel)))
            break;
        if (x->may_grow)
            waiting_begin(&w);
        x->one(x->ctx, i);
        if (x->may_grow && atomic_load(&x->next) < x->n && waiting_mostly(&w))
            add_thread(x);
    }
    if (x->crew)
        work_crew_leave(x->crew);
    return NULL;
}

static void process_pieces(struct pieces *x, int threads)
{
    pthread_mutex_init(&x->lock, NULL);
    while (threads-- > 1 && add_thread(x))
        continue;
    take_pieces(x);
    for (int i = 0;; i++) {
        pthread_mutex_lock(&x->lock);
        bool there = i < x->count;
        pthread_mutex_unlock(&x->lock);
        if (!there)
            break;
        pthread_join(x->made[i], NULL);
    }
    pthread_mutex_destroy(&x->lock);
}

int threads_each(size_t n, const atomic_bool *cancel, void (*one)(void *ctx, size_t i), void *ctx)
{
    struct pieces x = {.n = n, .cancel = cancel, .one = one, .ctx = ctx, .may_grow = true};
    process_pieces(&x, 1);
    return x.count + 1;
}

void work_crew_each(struct work_crew *c, int workers, size_t n, const atomic_bool *cancel,
                    void (*one)(void *ctx, size_t i), void *ctx)
{
    struct pieces x = {.crew = c, .n = n, .cancel = cancel, .one = one, .ctx = ctx, .may_grow = workers == 0};
    process_pieces(&x, threads_wanted(workers));
}

void work_crew_run(struct work_crew **at, int workers, size_t n, const atomic_bool *cancel,
                   void (*one)(void *ctx, size_t i), void *ctx)
{
    struct work_crew crew;
    work_crew_init(&crew);
    if (at)
        *at = &crew;
    work_crew_each(&crew, workers, n, cancel, one, ctx);
    if (at)
        *at = NULL;
    work_crew_release(&crew);
}
