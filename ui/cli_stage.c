/* diverge curves, norms, optimizer, rollout: a table with the engine and the writers of each stage; runs a stage with
 * progress and interrupt, and writes its result in the requested format. */
#include "ui/cli_stage.h"

#include "base/msg.h"
#include "base/threads.h"
#include "curves/curves_section.h"
#include "norms/norms_section.h"
#include "optimizer/optimizer_section.h"
#include "report/curves_output.h"
#include "report/curves_picture.h"
#include "report/norms_output.h"
#include "report/optimizer_output.h"
#include "report/rollout_output.h"
#include "rollout/rollout_section.h"
#include "ui/ending.h"
#include "ui/wait.h"

#define NORMS_SHOWN 24 /* weights in the text; -o FILE.csv has all */
#define SEQUENCES_SHOWN 12 /* of rollouts */

struct stage_task {
    const struct stage *stage;
    struct stage_run run;
};

static int run_stage_task(struct job *j, void *ctx, struct err *e)
{
    struct stage_task *t = ctx;
    (void)j;
    return t->stage->work(&t->run, e);
}

int stage_exit(enum stage_verdict v)
{
    static const int exits[] = {
        [STAGE_PASS] = EXIT_ALIGNED, [STAGE_FAIL] = EXIT_DEVIATES, [STAGE_UNKNOWN] = EXIT_UNJUDGED};
    return exits[v];
}

int stage_run(const struct stage *s, const struct options *o, void *result)
{
    struct stage_task t = {.stage = s, .run = {.o = o, .workers = threads_wanted(o->workers), .result = result}};
    struct waiting w = waiting_with(o, s->say, &t.run, &t.run.watch.cancel);
    struct err e = {0}; /* of thresholds: options_parse has examined them */
    t.run.kern = kern_select(o->cpu);
    thresholds_init(&t.run.limits);
    for (int i = 0; i < o->thresholds; i++)
        thresholds_set(&t.run.limits, o->threshold_key[i], o->threshold_value[i], &e);
    if (cli_may_write_form(o, &s->forms, &e))
        return cli_fail(&e);
    ending_catch(NULL);
    if (wait_for_run(&w, run_stage_task, &t, &e) || cli_write(o, &s->forms, result, &e))
        return cli_fail(&e);
    return stage_exit(t.run.verdict);
}

/* ---- curves: loss and global norm of two or more runs against the migration standard ---- */

static int run_curves(struct stage_run *r, struct err *e)
{
    struct curves *c = r->result;
    const struct log_options read = {.tensorboard = r->o->tensorboard, .cancel = &r->watch.cancel};
    if (curves_open(c, r->o->arg, (size_t)r->o->args, &read, e))
        return -1;
    curves_judge(c, &r->limits.curves);
    r->verdict = c->verdict;
    return 0;
}

static void show_curves(struct document *d, const void *result)
{
    curves_section(d, result);
}

/* ---- norms: the gradient norm of every weight on both sides ---- */

static int run_norms(struct stage_run *r, struct err *e)
{
    struct norms *n = r->result;
    const struct options *o = r->o;
    const struct norm_options opt = {
        .step = {o->step[0], o->step[1]},
        .rank = o->rank[0],
        .weights = o->weights,
        .workers = r->workers,
        .kern = r->kern,
        .log = {.tensorboard = o->tensorboard, .cancel = &r->watch.cancel},
        .watch = &r->watch,
    };
    if (norms_open(n, o->arg[0], o->arg[1], &opt, e))
        return -1;
    norms_judge(n, &r->limits.norms);
    r->verdict = n->verdict;
    return 0;
}

static void show_norms(struct document *d, const void *result)
{
    norms_section(d, result, NORMS_SHOWN);
}

/* ---- optimizer: one step of each side replayed ---- */

static int run_optimizer(struct stage_run *r, struct err *e)
{
    struct optimizer *x = r->result;
    const struct step_options opt = {.workers = r->workers, .kern = r->kern, .watch = &r->watch};
    int rc = optimizer_run(x, r->o->arg[0], r->o->arg[1], &opt, &r->limits, e);
    r->verdict = x->verdict;
    return rc;
}

static void show_optimizer(struct document *d, const void *result)
{
    optimizer_section(d, result);
}

/* ---- rollout: log-probabilities of trainer and rollout engine ---- */

static int run_rollout(struct stage_run *run, struct err *e)
{
    struct rollout *r = run->result;
    if (rollout_open(r, run->o->arg[0], run->o->arg[1], &run->watch.cancel, e))
        return -1;
    rollout_judge(r, &run->limits.rollout);
    run->verdict = r->verdict;
    return 0;
}

static void show_rollout(struct document *d, const void *result)
{
    rollout_section(d, result, SEQUENCES_SHOWN);
}

/* ---- the table ---- */

static const struct stage
    curves_stage = {run_curves,
                    {.section = show_curves, .json = curves_json, .csv = curves_csv, .svg = curves_svg}, NULL},
    norms_stage = {run_norms, {.section = show_norms, .json = norms_json, .csv = norms_csv}, NULL},
    optimizer_stage = {run_optimizer, {.section = show_optimizer, .json = optimizer_json}, NULL},
    rollout_stage = {run_rollout, {.section = show_rollout, .json = rollout_json, .csv = rollout_csv}, NULL};

int cli_curves(const struct options *o)
{
    struct curves c = {0};
    int status = stage_run(&curves_stage, o, &c);
    curves_release(&c);
    return status;
}

int cli_norms(const struct options *o)
{
    struct norms n = {0};
    int status = stage_run(&norms_stage, o, &n);
    norms_release(&n);
    return status;
}

int cli_optimizer(const struct options *o)
{
    struct optimizer x = {0};
    int status = stage_run(&optimizer_stage, o, &x);
    optimizer_release(&x);
    return status;
}

int cli_rollout(const struct options *o)
{
    struct rollout r = {0};
    int status = stage_run(&rollout_stage, o, &r);
    rollout_release(&r);
    return status;
}
