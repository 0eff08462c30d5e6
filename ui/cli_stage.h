/* What the commands of the stages (curves, norms, optimizer) share on the command line. */
#ifndef UI_CLI_STAGE_H
#define UI_CLI_STAGE_H

#include "base/stage_verdict.h"
#include "judge/thresholds.h"
#include "num/figures.h"
#include "ui/cli.h"

/* A stage's engine and its writers; `ctx` is the command's own. */
struct cli_stage {
    void *ctx;
    int (*work)(void *ctx, struct figures_watch *watch, struct err *e);
    void (*json)(struct out *o, const void *ctx);
    void (*csv)(struct out *o, const void *ctx); /* NULL: not written as a table */
    void (*text)(struct buf *out, const void *ctx);
    enum stage_verdict (*verdict)(const void *ctx);
};

/* Does the work so that an interrupt stops it, delivers the result, returns the exit status. */
int cli_stage_run(const struct cli_stage *s, const struct options *o);
/* The defaults with the user's --threshold. */
void cli_stage_limits(struct thresholds *t, const struct options *o);

#endif
