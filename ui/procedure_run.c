#include "ui/procedure_run.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "ui/cli.h"
#include "ui/open_investigation.h"

static int under_way(const struct guide *g)
{
    for (int i = 0; i < EXAM_COUNT; i++)
        if (g->exam[i].state == EXAM_RUNNING || g->exam[i].state == EXAM_WAITING)
            return i;
    return EXAM_COUNT;
}

/* Until no exam is under way; ERR_CANCEL after an interrupt. */
static int wait_for_exams(struct judged *t, const struct options *o, struct err *e)
{
    bool show = !o->quiet && isatty(STDERR_FILENO);
    int shown = EXAM_COUNT, now;
    session_lock(&t->s);
    while ((now = under_way(&t->guide)) < EXAM_COUNT && !cli_interrupted()) {
        struct timespec until;
        if (show && now != shown)
            fprintf(stderr, "\r\033[K%s: %s …", _("examining"), _(exam_kinds[now].title));
        shown = now;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100 * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&t->s.changed, &t->s.lock, &until);
    }
    session_unlock(&t->s);
    if (show && shown < EXAM_COUNT)
        fputs("\r\033[K", stderr);
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
        so.path[0] = so.path[1] = NULL;
    if (session_start(&t->s, &so, e))
        return -1;
    if (t->gone.code) {
        t->s.failed = true;
        t->s.err = t->gone;
    }
    guide_init(&t->guide, &t->s, &t->inv);
    t->open = true;
    cli_catch_interrupts();
    if (cli_wait(&t->s, o, &failed) && failed.code == ERR_CANCEL) {
        *e = failed;
        return -1;
    }
    session_lock(&t->s);
    guide_look(&t->guide);
    session_unlock(&t->s);
    if (wait_for_exams(t, o, e))
        return -1;
    session_lock(&t->s);
    guide_write(&t->guide);
    session_unlock(&t->s);
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
