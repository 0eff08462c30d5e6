/* Waiting of the command line; see wait.h. */
#include "ui/wait.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "ui/ending.h"

#define SAY_EVERY_MS 200

struct waiting waiting_with(const struct options *o, void (*say)(void *ctx, struct buf *out), void *ctx,
                            atomic_bool *cancel)
{
    return (struct waiting){.show = say && !o->quiet && isatty(STDERR_FILENO), .say = say, .ctx = ctx, .cancel = cancel,
                            .next = clock_ms() + SAY_EVERY_MS};
}

bool waiting_each(void *ctx)
{
    struct waiting *w = ctx;
    if (ending_signal()) {
        if (!w->cancel)
            return false;
        atomic_store(w->cancel, true);
    }
    if (!w->show || clock_ms() < w->next)
        return true;
    struct buf b = {0};
    w->say(w->ctx, &b);
    if (b.n)
        fprintf(stderr, "\r\033[K%s", b.p);
    fflush(stderr);
    buf_release(&b);
    w->shown = true;
    w->next = clock_ms() + SAY_EVERY_MS;
    return true;
}

void waiting_end(struct waiting *w)
{
    if (w->shown)
        fputs("\r\033[K", stderr);
    w->shown = false;
}

int wait_for_run(struct waiting *w, int (*run)(struct job *j, void *ctx, struct err *e), void *ctx, struct err *e)
{
    struct job j;
    job_init(&j, NULL, NULL);
    int rc = job_start(&j, run, ctx);
    if (rc == 0) {
        job_wait(&j, waiting_each, w, WAIT_MS);
        rc = job_take(&j) == JOB_DONE ? 0 : -1;
    }
    waiting_end(w);
    if (rc)
        *e = j.err;
    job_release(&j);
    return rc;
}
