/* Shared by the command lines of the stages (curves, norms, optimizer, weights). */
#ifndef UI_CLI_STAGE_H
#define UI_CLI_STAGE_H

#include "base/stage_verdict.h"
#include "judge/thresholds.h"
#include "num/figures.h"
#include "ui/cli.h"

/* The state of a stage's run. */
struct stage_run {
    const struct options *o;
    struct thresholds limits; /* the defaults, changed by --threshold */
    struct figures_watch watch;
    const struct kern *kern;
    int workers;
    void *result;              /* of the command's own type */
    enum stage_verdict verdict; /* set by `work` */
};

/* A row of the table of stages: the engine, and the forms of its result. */
struct stage {
    int (*work)(struct stage_run *r, struct err *e); /* in the background */
    struct result_forms forms;
    void (*say)(void *run, struct buf *out); /* appends its progress (wait.h), given a stage_run; or NULL */
};

int stage_exit(enum stage_verdict v);
/* Runs the stage interruptibly, writes the result and returns the exit status. */
int stage_run(const struct stage *s, const struct options *o, void *result);

#endif
