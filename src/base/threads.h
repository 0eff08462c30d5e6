/* Work by several threads: they take items until none is left. In a crew, members without work of their own help
 * others. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Calls one(ctx, i) for every i below n: on this thread, and on more while they wait for slow (network) files. Returns
 * the number of threads. */
int threads_each(size_t n, const atomic_bool *cancel, void (*one)(void *ctx, size_t i), void *ctx);

/* The number of threads: `asked`, or for 0 one per usable processor (processors.h). */
int threads_wanted(int asked);

/* Threads with work of their own of uneven size. Initialised by work_crew_init. */
struct work_crew {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct work_crew_job *jobs; /* jobs open to helpers, the oldest first */
    int busy;              /* members that may still open a job */
    /* called without the lock after a job was opened, to wake members that wait elsewhere; or NULL */
    void (*call)(void *ctx);
    void *ctx;
};

void work_crew_init(struct work_crew *c);
void work_crew_release(struct work_crew *c);
/* Calls one(ctx, i) for every i below n on `workers` members, which take the next index and help each other at the
 * end; none is begun once *cancel is set (NULL: never). 0 workers: one per processor, and more while they wait for
 * slow files (waiting.h). There are fewer, this thread at least, if no more threads can be created. */
void work_crew_each(struct work_crew *c, int workers, size_t n, const atomic_bool *cancel,
                    void (*one)(void *ctx, size_t i), void *ctx);
/* The same in a crew made for it; *at (unless NULL) is that crew while it works. */
void work_crew_run(struct work_crew **at, int workers, size_t n, const atomic_bool *cancel,
                   void (*one)(void *ctx, size_t i), void *ctx);
/* Runs work(ctx) on this member and, while it runs here, on idle members; returns when all have returned. work must
 * return at once when nothing is left to do. */
void work_crew_share(struct work_crew *c, void *(*work)(void *ctx), void *ctx);
/* For threads that are no members: helps if a job is open; false: none is. */
bool work_crew_help(struct work_crew *c);
bool work_crew_needs_help(struct work_crew *c);

#endif
