/* One task on a thread of its own, for an owner that must not wait. The owner starts it, may cancel or wait, and
 * takes its result once. All functions are called by the owner unless stated otherwise. */
#ifndef BASE_JOB_H
#define BASE_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"

enum job_state { JOB_IDLE, JOB_RUNNING, JOB_DONE, JOB_FAILED };

struct job {
    pthread_mutex_t lock; /* guards `state` and data that the run shares with its owner */
    pthread_cond_t changed;
    pthread_t thread;
    enum job_state state;
    bool ready, joinable;
    atomic_bool cancel;   /* asks the run to end soon */
    int (*run)(struct job *j, void *ctx, struct err *e);
    void *ctx;
    struct err err;       /* of JOB_FAILED */
    /* called on the job's thread without the lock when the run has ended or called job_tell; may be NULL */
    void (*notify)(void *ctx);
    void *notify_ctx;
};

void job_init(struct job *j, void (*notify)(void *ctx), void *ctx);
/* Cancels, waits for the thread and frees. A zeroed job is allowed. */
void job_release(struct job *j);

/* Starts run(j, ctx, e) on a new thread; it returns 0, or -1 with the reason in e. The job must be idle or its result
 * not taken yet. -1 if no thread can be created; the job has then failed with that error. */
int job_start(struct job *j, int (*run)(struct job *j, void *ctx, struct err *e), void *ctx);
void job_cancel(struct job *j); /* from any thread */
bool job_busy(struct job *j);
/* The result, once: JOB_DONE, or JOB_FAILED with err; JOB_RUNNING or JOB_IDLE if there is none. */
enum job_state job_take(struct job *j);
/* Waits for the end. each(ctx), unless NULL, is called every `ms` and stops the waiting by returning false. */
void job_wait(struct job *j, bool (*each)(void *ctx), void *ctx, int ms);
/* Waits at most `ms` more; true if the job has ended. */
bool job_wait_ms(struct job *j, int ms);
void job_tell(struct job *j);   /* called by the run: there is news to show */

#endif
