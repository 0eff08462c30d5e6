/* Opens a ticket for a command, waits until its engines have run, and has its pages written. */
#include "ui/procedure_run.h"

#include "base/msg.h"
#include "ui/cli.h"
#include "ui/open_investigation.h"
#include "ui/wait.h"

static int under_way(const struct guide *g)
{
    for (int i = 0; i < EXAM_COUNT; i++)
        if (g->exam[i].state == EXAM_RUNNING || g->exam[i].state == EXAM_WAITING)
            return i;
    return EXAM_COUNT;
}

static void say_exam(void *ctx, struct buf *out)
{
    int now = under_way(ctx);
    if (now < EXAM_COUNT)
        buf_fmt(out, "%s: %s …", _("examining"), _(exam_kinds[now].title));
}

/* Until no exam is under way; ERR_CANCEL after an interrupt. */
static int wait_for_exams(struct judged *t, const struct options *o, struct err *e)
{
    struct waiting w = waiting_with(o, say_exam, &t->guide, NULL);
    guide_wait(&t->guide, waiting_each, &w, WAIT_MS);
    waiting_end(&w);
    return cli_interrupted() ? err_set(e, ERR_CANCEL, "%s", _("interrupted")) : 0;
}

int judged_read(struct judged *t, const struct options *o, struct err *e)
{
    struct options told = *o; /* what the panels were told may be all there is */
    told.nothing = true;
    if (ticket_open_saved(&t->inv, &told, false, true, e) == 0)
        return 0;
    struct err gone = *e;
    investigation_release(&t->inv);
    if (gone.code == ERR_USAGE || ticket_open_saved(&t->inv, &told, false, false, e))
        return -1;
    t->gone = gone;
    return 0;
}

int judged_open(struct judged *t, const struct options *o, struct err *e)
{
    struct session_options so;
    struct err failed = {0};
    ticket_session(&t->inv, o, &so);
    if (t->gone.code)
        so.of.path[0] = so.of.path[1] = NULL;
    if (session_start(&t->s, &so, e))
        return -1;
    if (t->gone.code)
        session_fail(&t->s, &t->gone);
    guide_init(&t->guide, t->s.now, &t->inv, session_compare, NULL, NULL);
    t->open = true;
    cli_catch_interrupts();
    if (cli_wait(&t->s, o, &failed) && failed.code == ERR_CANCEL) {
        *e = failed;
        return -1;
    }
    guide_see(&t->guide, t->s.now);
    guide_look(&t->guide);
    if (wait_for_exams(t, o, e))
        return -1;
    guide_write(&t->guide);
    return 0;
}

void judged_close(struct judged *t)
{
    if (t->open) {
        guide_release(&t->guide);
        session_stop(&t->s);
    }
    investigation_release(&t->inv);
}
