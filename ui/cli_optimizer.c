/* diverge optimizer: one step of each side replayed. */

#include "base/msg.h"
#include "base/threads.h"
#include "report/optimizer_output.h"
#include "ui/cli_stage.h"

struct request {
    const struct options *o;
    struct tol tol;
    struct optimizer step;
};

static int work(void *ctx, struct figures_watch *watch, struct err *e)
{
    struct request *j = ctx;
    const struct step_options opt = {
        .workers = threads_wanted(j->o->workers), .kern = kern_select(NULL), .watch = watch};
    return optimizer_run(&j->step, j->o->arg[0], j->o->arg[1], &opt, &j->tol, e);
}

static void json(struct out *o, const void *ctx)
{
    optimizer_json(o, &((const struct request *)ctx)->step, TOOL);
}

static void text(struct buf *out, const void *ctx)
{
    optimizer_text(out, &((const struct request *)ctx)->step);
}

static enum stage_verdict verdict(const void *ctx)
{
    return ((const struct request *)ctx)->step.verdict;
}

int cli_optimizer(const struct options *o)
{
    struct request j = {.o = o};
    const struct stage s = {&j, work, json, NULL, text, verdict};
    stage_limits(&j.tol, o);
    int status = stage_run(&s, o);
    optimizer_release(&j.step);
    return status;
}
