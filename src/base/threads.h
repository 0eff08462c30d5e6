/* Work by several threads: a piece each takes from until nothing is left, and crews, whose members help
 * each other when they run out of work. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Runs work(ctx) on this thread and on up to n - 1 others (64 in all; fewer where the system gives no
 * more), and returns when all have returned. */
void threads_run(int n, void *(*work)(void *ctx), void *ctx);

/* one(ctx, i) for every i below n: on this thread, and on more while they wait for files that are far away. */
void threads_each(size_t n, const atomic_bool *cancel, void (*one)(void *ctx, size_t i), void *ctx);

/* How many threads: as many as are asked for; 0: one a processor this process may use (processors.h). */
int threads_wanted(int asked);

/* Threads that each have work of their own, of uneven size. Zeroed by work_crew_init. */
struct work_crew {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct work_crew_job *jobs; /* open to helpers, the oldest first */
    int busy;              /* members that may still open a job */
    void (*call)(void *ctx); /* after a job was opened, no lock held: for members that wait elsewhere; or NULL */
    void *ctx;
};

void work_crew_init(struct work_crew *c);
void work_crew_release(struct work_crew *c);
/* one(ctx, i) for every i below n, by `workers` members that take the next one and help each other at the end; no
 * further one is begun once *cancel is set (NULL: never). 0 workers: one a processor, and more while they wait for
 * files that are far away (waiting.h). */
void work_crew_each(struct work_crew *c, int workers, size_t n, const atomic_bool *cancel,
                    void (*one)(void *ctx, size_t i), void *ctx);
/* A member begins, before any work of its own. */
void work_crew_join(struct work_crew *c);
/* Runs work(ctx) on this member and, for as long as it runs here, on members that have nothing else;
 * returns when all have returned. work must cope with being run when nothing is left to do. */
void work_crew_share(struct work_crew *c, void *(*work)(void *ctx), void *ctx);
/* A member has nothing more of its own: it helps until no member has. */
void work_crew_leave(struct work_crew *c);
/* For those who neither join nor leave: helps where there is a job; false: there was none. */
bool work_crew_help(struct work_crew *c);
bool work_crew_needs_help(struct work_crew *c);

#endif
