/* One piece of work on a thread of its own, for an owner that must not wait: started, cancelled, waited for, and its
 * end taken once. Everything but what job.h says otherwise is called by the owner alone. */
#ifndef BASE_JOB_H
#define BASE_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"

enum job_state { JOB_IDLE, JOB_RUNNING, JOB_DONE, JOB_FAILED };

struct job {
    pthread_mutex_t lock; /* guards `state`, and what a run and its owner share meanwhile */
    pthread_cond_t changed;
    pthread_t thread;
    enum job_state state;
    bool ready, joinable;
    atomic_bool cancel;   /* the run should end soon */
    int (*run)(struct job *j, void *ctx, struct err *e);
    void *ctx;
    struct err err;       /* of JOB_FAILED */
    /* on the job's thread, no lock held: it has ended, or job_tell was called. May be NULL */
    void (*notify)(void *ctx);
    void *notify_ctx;
};

void job_init(struct job *j, void (*notify)(void *ctx), void *ctx);
/* Cancels, waits for the thread and frees. A job that was only zeroed is fine. */
void job_release(struct job *j);

/* run(j, ctx, e) on a new thread: 0, or -1 with the reason in e. The job is idle or its end not taken yet. -1 where the
 * system gives no thread; the job then has failed with that error. */
int job_start(struct job *j, int (*run)(struct job *j, void *ctx, struct err *e), void *ctx);
void job_cancel(struct job *j); /* from any thread */
bool job_busy(struct job *j);
/* How it ended, once: JOB_DONE, or JOB_FAILED with err; JOB_RUNNING and JOB_IDLE where there is no end to take. */
enum job_state job_take(struct job *j);
/* Until it has ended; each(ctx), unless NULL, is called every `ms` meanwhile and ends the waiting by returning
 * false. */
void job_wait(struct job *j, bool (*each)(void *ctx), void *ctx, int ms);
/* The same for at most `ms` more: whether it has ended. */
bool job_wait_ms(struct job *j, int ms);
void job_tell(struct job *j);   /* by the run: there is something new to be seen */

#endif
