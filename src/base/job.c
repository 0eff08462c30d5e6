/* Tasks on threads for one owner; see job.h. */
#include "base/job.h"

#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/msg.h"

void job_init(struct job *j, void (*notify)(void *ctx), void *ctx)
{
    memset(j, 0, sizeof *j);
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->changed, NULL);
    j->notify = notify;
    j->notify_ctx = ctx;
    j->ready = true;
}

static void join_job_thread(struct job *j)
{
    if (j->joinable)
        pthread_join(j->thread, NULL);
    j->joinable = false;
}

void job_release(struct job *j)
{
    if (!j->ready)
        return;
    job_cancel(j);
    join_job_thread(j);
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->changed);
    j->ready = false;
}

static void *run_job_thread(void *ctx)
{
    struct job *j = ctx;
    struct err e = {0};
    int rc = j->run(j, j->ctx, &e);
    pthread_mutex_lock(&j->lock);
    j->err = e;
    j->state = rc ? JOB_FAILED : JOB_DONE;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    job_tell(j);
    return NULL;
}

int job_start(struct job *j, int (*run)(struct job *j, void *ctx, struct err *e), void *ctx)
{
    join_job_thread(j);
    atomic_store(&j->cancel, false);
    j->run = run;
    j->ctx = ctx;
    j->err = (struct err){0};
    j->state = JOB_RUNNING;
    char why[160] = "";
    int rc = pthread_create(&j->thread, NULL, run_job_thread, j);
    j->joinable = rc == 0;
    if (rc == 0)
        return 0;
    j->state = JOB_FAILED;
    err_set(&j->err, ERR_RESOURCE, _("cannot create a thread: %s"), err_reason(rc, why, sizeof why));
    read_failures_say("", j->err.text);
    return -1;
}

void job_cancel(struct job *j)
{
    atomic_store(&j->cancel, true);
    pthread_mutex_lock(&j->lock);
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

static enum job_state locked_job_state(struct job *j)
{
    pthread_mutex_lock(&j->lock);
    enum job_state now = j->state;
    pthread_mutex_unlock(&j->lock);
    return now;
}

bool job_busy(struct job *j)
{
    return locked_job_state(j) == JOB_RUNNING;
}

enum job_state job_take(struct job *j)
{
    enum job_state now = locked_job_state(j);
    if (now == JOB_DONE || now == JOB_FAILED) {
        join_job_thread(j);
        j->state = JOB_IDLE;
    }
    return now;
}

void job_wait(struct job *j, bool (*each)(void *ctx), void *ctx, int ms)
{
    pthread_mutex_lock(&j->lock);
    while (j->state == JOB_RUNNING) {
        if (!each) {
            pthread_cond_wait(&j->changed, &j->lock);
            continue;
        }
        if (clock_wait(&j->changed, &j->lock, ms))
            continue;
        pthread_mutex_unlock(&j->lock);
        if (!each(ctx))
            return;
        pthread_mutex_lock(&j->lock);
    }
    pthread_mutex_unlock(&j->lock);
}

bool job_wait_ms(struct job *j, int ms)
{
    long until = clock_ms() + ms, left;
    pthread_mutex_lock(&j->lock);
    while (j->state == JOB_RUNNING && (left = until - clock_ms()) > 0)
        clock_wait(&j->changed, &j->lock, (int)left);
    bool ended = j->state != JOB_RUNNING;
    pthread_mutex_unlock(&j->lock);
    return ended;
}

void job_tell(struct job *j)
{
    if (j->notify)
        j->notify(j->notify_ctx);
}
