/* diverge norms: the gradient norm of every weight on both sides. */

#include "base/msg.h"
#include "base/threads.h"
#include "report/norms_output.h"
#include "ui/cli_stage.h"

struct norms_request {
    const struct options *o;
    struct thresholds tol;
    struct norms norms;
};

static int work(void *ctx, struct figures_watch *watch, struct err *e)
{
    struct norms_request *j = ctx;
    const struct options *o = j->o;
    const struct norm_options opt = {
        .step = {o->step[0], o->step[1]},
        .rank = o->rank[0],
        .weights = o->weights,
        .workers = threads_wanted(o->workers),
        .kern = kern_select(NULL),
        .log = {.tensorboard = o->tensorboard, .cancel = &watch->cancel},
        .watch = watch,
    };
    if (o->all_steps || o->all_ranks)
        return err_set(e, ERR_USAGE, "%s", _("norms are compared of one step and rank"));
    if (norms_open(&j->norms, o->arg[0], o->arg[1], &opt, e))
        return -1;
    norms_judge(&j->norms, &j->tol.norms);
    return 0;
}

static void json(struct out *o, const void *ctx)
{
    norms_json(o, &((const struct norms_request *)ctx)->norms, TOOL);
}

static void csv(struct out *o, const void *ctx)
{
    norms_csv(o, &((const struct norms_request *)ctx)->norms);
}

static void text(struct buf *out, const void *ctx)
{
    norms_text(out, &((const struct norms_request *)ctx)->norms);
}

static enum stage_verdict verdict(const void *ctx)
{
    return ((const struct norms_request *)ctx)->norms.verdict;
}

int cli_norms(const struct options *o)
{
    struct norms_request j = {.o = o};
    const struct cli_stage s = {&j, work, json, csv, text, verdict};
    cli_stage_limits(&j.tol, o);
    int status = cli_stage_run(&s, o);
    norms_release(&j.norms);
    return status;
}
