/* Waiting for background work on the command line: with a progress line on a terminal, until an interrupt. */
#ifndef UI_WAIT_H
#define UI_WAIT_H

#include "base/job.h"
#include "base/str.h"
#include "ui/options.h"

struct waiting {
    bool show;         /* progress is shown: standard error is a terminal */
    /* appends the progress text without a line end; NULL: none */
    void (*say)(void *ctx, struct buf *out);
    void *ctx;
    atomic_bool *cancel; /* set by an interrupt so that the work ends itself; NULL: only the waiting ends */
    bool shown;
    long next;         /* time of the next progress line, in ms */
};

#define WAIT_MS 50 /* poll interval */

struct waiting waiting_with(const struct options *o, void (*say)(void *ctx, struct buf *out), void *ctx,
                            atomic_bool *cancel);
/* Callback for job_wait, session_wait_each, procedure_wait: ctx is the struct waiting. */
bool waiting_each(void *ctx);
void waiting_end(struct waiting *w); /* removes the progress line */

/* Executes run(j, ctx, e) to its end. */
int wait_for_run(struct waiting *w, int (*run)(struct job *j, void *ctx, struct err *e), void *ctx, struct err *e);

#endif
