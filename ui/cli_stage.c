/* Runs a stage's engine with progress and interrupt, then writes its result in the format asked for: the part that
 * curves, norms and optimizer share. */
#include "ui/cli_stage.h"

#include "base/msg.h"
#include "ui/wait.h"

void cli_stage_limits(struct thresholds *t, const struct options *o)
{
    struct err quiet; /* options_parse has looked at them */
    thresholds_init(t);
    for (int i = 0; i < o->thresholds; i++)
        thresholds_set(t, o->threshold_key[i], o->threshold_value[i], &quiet);
}

struct stage_task {
    const struct cli_stage *stage;
    struct figures_watch watch;
};

static int work(struct job *j, void *ctx, struct err *e)
{
    struct stage_task *t = ctx;
    (void)j;
    return t->stage->work(t->stage->ctx, &t->watch, e);
}

static bool wants_csv(const struct options *o)
{
    return o->output && !cli_out_standard(o) && str_ends(str_of(o->output), ".csv");
}

static int deliver(const struct cli_stage *s, const struct options *o, struct err *e)
{
    struct out out;
    if (!o->json && !o->output) {
        struct buf b = {0};
        s->text(&b, s->ctx);
        cli_print(&b);
        buf_release(&b);
        return 0;
    }
    if (cli_out_named(o, &out, e))
        return -1;
    wants_csv(o) ? s->csv(&out, s->ctx) : s->json(&out, s->ctx);
    return out_close(&out, e);
}

int cli_stage_run(const struct cli_stage *s, const struct options *o)
{
    static const int exits[] = {[STAGE_PASS] = EXIT_ALIGNED, [STAGE_FAIL] = EXIT_DEVIATES, [STAGE_UNKNOWN] = EXIT_UNJUDGED};
    struct stage_task t = {.stage = s};
    struct waiting w = waiting_with(o, NULL, NULL, &t.watch.cancel);
    struct err e = {0};
    if (!cli_out_standard(o) && !str_ends(str_of(o->output), ".json") && !(s->csv && wants_csv(o))) {
        err_set(&e, ERR_USAGE, s->csv ? _("%s: this result is written as .json or .csv") : _("%s: this result is written as .json"), o->output);
        return cli_fail(&e);
    }
    cli_catch_interrupts();
    if (wait_for_run(&w, work, &t, &e) || deliver(s, o, &e))
        return cli_fail(&e);
    return exits[s->verdict(s->ctx)];
}
