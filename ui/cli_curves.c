/* diverge curves: loss and global norm of two or more runs against the migration standard. */
#include "report/curves_output.h"
#include "ui/cli_stage.h"

struct curves_request {
    const struct options *o;
    struct thresholds tol;
    struct curves curves;
};

static int work(void *ctx, struct figures_watch *watch, struct err *e)
{
    struct curves_request *j = ctx;
    const struct log_options read = {.tensorboard = j->o->tensorboard, .cancel = &watch->cancel};
    if (curves_open(&j->curves, j->o->arg, (size_t)j->o->args, &read, e))
        return -1;
    curves_judge(&j->curves, &j->tol.curves);
    return 0;
}

static void json(struct out *o, const void *ctx)
{
    curves_json(o, &((const struct curves_request *)ctx)->curves, TOOL);
}

static void csv(struct out *o, const void *ctx)
{
    curves_csv(o, &((const struct curves_request *)ctx)->curves);
}

static void text(struct buf *out, const void *ctx)
{
    curves_text(out, &((const struct curves_request *)ctx)->curves);
}

static enum stage_verdict verdict(const void *ctx)
{
    return ((const struct curves_request *)ctx)->curves.verdict;
}

int cli_curves(const struct options *o)
{
    struct curves_request j = {.o = o};
    const struct cli_stage s = {&j, work, json, csv, text, verdict};
    cli_stage_limits(&j.tol, o);
    int status = cli_stage_run(&s, o);
    curves_release(&j.curves);
    return status;
}
