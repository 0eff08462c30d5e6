/* diverge optimizer: one step of each side replayed. */

#include "base/msg.h"
#include "base/threads.h"
#include "report/optimizer_output.h"
#include "ui/cli_stage.h"

struct optimizer_request {
    const struct options *o;
    struct thresholds tol;
    struct optimizer step;
};

static int work(void *ctx, struct figures_watch *watch, struct err *e)
{
    struct optimizer_request *j = ctx;
    const struct step_options opt = {
        .workers = threads_wanted(j->o->workers), .kern = kern_select(NULL), .watch = watch};
    return optimizer_run(&j->step, j->o->arg[0], j->o->arg[1], &opt, &j->tol, e);
}

static void json(struct out *o, const void *ctx)
{
    optimizer_json(o, &((const struct optimizer_request *)ctx)->step, TOOL);
}

static void text(struct buf *out, const void *ctx)
{
    optimizer_text(out, &((const struct optimizer_request *)ctx)->step);
}

static enum stage_verdict verdict(const void *ctx)
{
    return ((const struct optimizer_request *)ctx)->step.verdict;
}

int cli_optimizer(const struct options *o)
{
    struct optimizer_request j = {.o = o};
    const struct cli_stage s = {&j, work, json, NULL, text, verdict};
    cli_stage_limits(&j.tol, o);
    int status = cli_stage_run(&s, o);
    optimizer_release(&j.step);
    return status;
}
