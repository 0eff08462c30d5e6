/* Opens an investigation for a command, waits until its engines have run, and has its pages written. */
#include "ui/procedure_run.h"

#include "base/msg.h"
#include "ui/cli.h"
#include "ui/open_investigation.h"
#include "ui/wait.h"
#include "ui/ending.h"

static int under_way(const struct procedure *g)
{
    for (int i = 0; i < ENGINE_RUN_COUNT; i++)
        if (g->exam[i].state == ENGINE_RUN_RUNNING || g->exam[i].state == ENGINE_RUN_WAITING)
            return i;
    return ENGINE_RUN_COUNT;
}

static void put_engine_checking(void *ctx, struct buf *out)
{
    int now = under_way(ctx);
    if (now < ENGINE_RUN_COUNT)
        buf_fmt(out, "%s: %s …", _("checking"), _(engine_run_kinds[now].title));
}

/* Waits until no engine is running; ERR_CANCEL after an interrupt. */
static int wait_for_exams(struct procedure_run *t, const struct options *o, struct err *e)
{
    struct waiting w = waiting_with(o, put_engine_checking, &t->guide, NULL);
    procedure_wait(&t->guide, waiting_each, &w, WAIT_MS);
    waiting_end(&w);
    return ending_signal() ? err_set(e, ERR_CANCEL, "%s", _("interrupted")) : 0;
}

/* An engine without a thread gives no result about its inputs. */
static int check_engine_threads(const struct procedure *g, struct err *e)
{
    for (int i = 0; i < ENGINE_RUN_COUNT; i++)
        if (g->exam[i].state == ENGINE_RUN_FAILED && g->exam[i].err.code == ERR_RESOURCE) {
            *e = g->exam[i].err;
            return -1;
        }
    return 0;
}

int procedure_run_read(struct procedure_run *t, const struct options *o, struct err *e)
{
    struct options told = *o; /* the panels' answers may be the only input */
    told.nothing = true;
    if (open_investigation_saved(&t->inv, &told, false, true, e) == 0)
        return 0;
    struct err gone = *e;
    investigation_release(&t->inv);
    if (gone.code == ERR_USAGE || open_investigation_saved(&t->inv, &told, false, false, e))
        return -1;
    t->gone = gone;
    return 0;
}

int procedure_run_open(struct procedure_run *t, const struct options *o, struct err *e)
{
    struct session_options so;
    struct err failed = {0};
    open_investigation_session(&t->inv, o, &so);
    if (t->gone.code)
        so.of.path[0] = so.of.path[1] = NULL;
    if (session_start(&t->s, &so, e))
        return -1;
    if (t->gone.code)
        session_fail(&t->s, &t->gone);
    ending_catch(NULL);
    bool ended = cli_wait(&t->s, o, &failed) && (failed.code == ERR_CANCEL || failed.code == ERR_RESOURCE);
    const struct comparison *c = session_hold(&t->s);
    procedure_init(&t->guide, c, &t->inv, session_compare, NULL, NULL);
    comparison_drop(c);
    t->open = true;
    if (ended) {
        *e = failed;
        return -1;
    }
    if (t->s.now->judged && !t->s.now->single)
        t->ranks_done = cli_job_of_panels(&t->inv, o, t->wanted, &t->ranks);
    if (t->ranks_done) {
        struct ranks_laid laid[2];
        job_compare_layouts(&t->ranks, laid);
        procedure_see_ranks(&t->guide, laid, t->wanted == PANEL_RANKS_COMPARED ? job_compare_status(&t->ranks) : -1);
    }
    procedure_look(&t->guide);
    if (wait_for_exams(t, o, e) || check_engine_threads(&t->guide, e))
        return -1;
    procedure_write(&t->guide);
    return 0;
}

void procedure_run_close(struct procedure_run *t)
{
    job_compare_release(&t->ranks);
    if (t->open) {
        procedure_release(&t->guide);
        session_stop(&t->s);
    }
    investigation_release(&t->inv);
}
