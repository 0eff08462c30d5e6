/* What the commands of the stages (curves, norms, optimizer, weights) share on the command line. */
#ifndef UI_CLI_STAGE_H
#define UI_CLI_STAGE_H

#include "base/stage_verdict.h"
#include "judge/thresholds.h"
#include "num/figures.h"
#include "ui/cli.h"

/* What a stage's engine works with. */
struct stage_run {
    const struct options *o;
    struct thresholds limits; /* the defaults with the user's --threshold */
    struct figures_watch watch;
    const struct kern *kern;
    int workers;
    void *result;              /* the command's own */
    enum stage_verdict verdict; /* set by `work` */
};

/* A row of the table of stages: the engine, and how its result is written. */
struct stage {
    int (*work)(struct stage_run *r, struct err *e); /* in the background */
    struct result_forms forms;
    void (*say)(void *run, struct buf *out); /* its progress (wait.h), of a stage_run, or NULL */
};

/* Does the work so that an interrupt stops it, delivers the result, returns the exit status. */
int stage_run(const struct stage *s, const struct options *o, void *result);

#endif
