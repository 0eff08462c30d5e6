/* How the command line waits for work in the background: with a line of progress on a terminal, until an interrupt. */
#ifndef UI_WAIT_H
#define UI_WAIT_H

#include "base/job.h"
#include "base/str.h"
#include "ui/options.h"

struct waiting {
    bool show;         /* progress is wanted: standard error is a terminal */
    /* appends what there is to say, without a line end; NULL: nothing is said */
    void (*say)(void *ctx, struct buf *out);
    void *ctx;
    atomic_bool *cancel; /* set by an interrupt; the work then ends itself. NULL: the waiting ends */
    bool shown;
    long next;         /* when something is said next, in ms */
};

#define WAIT_MS 50 /* between two looks */

struct waiting waiting_with(const struct options *o, void (*say)(void *ctx, struct buf *out), void *ctx,
                            atomic_bool *cancel);
/* For job_wait, session_wait_each, procedure_wait: ctx is the waiting. */
bool waiting_each(void *ctx);
void waiting_end(struct waiting *w); /* takes the line of progress away */

/* run(j, ctx, e) to its end. */
int wait_for_run(struct waiting *w, int (*run)(struct job *j, void *ctx, struct err *e), void *ctx, struct err *e);

#endif
