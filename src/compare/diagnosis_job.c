/* A job that diagnoses one line at a time, with a cache of the last lines' results. */
#include "compare/diagnosis_job.h"

#include "base/msg.h"

void diagnosis_job_init(struct diagnosis_job *w, void (*notify)(void *ctx), void *ctx)
{
    *w = (struct diagnosis_job){.next = 0};
    job_init(&w->job, notify, ctx);
    for (size_t i = 0; i < DIAGNOSIS_JOB_KEPT; i++)
        w->kept[i].line = NONE;
}

static bool same_case(const struct line_judgement *a, const struct line_judgement *b)
{
    return a->verdict == b->verdict && a->rule == b->rule && a->flags == b->flags;
}

static const struct diagnosis_job_entry *find_kept_diagnosis(const struct diagnosis_job *w, const struct comparison *c,
                                                             uint32_t line)
{
    const struct line_judgement *now = &c->judged->line[line];
    for (size_t i = 0; i < DIAGNOSIS_JOB_KEPT; i++)
        if (w->kept[i].line == line && w->kept[i].pairing == c->pairings && same_case(&w->kept[i].of, now) &&
            strcmp(w->kept[i].language, msg_current()) == 0)
            return &w->kept[i];
    return NULL;
}

static void drop_diagnosis_case(struct diagnosis_job_case *x)
{
    comparison_drop(x->c);
    x->c = NULL;
}

static int run_diagnosis(struct job *j, void *ctx, struct err *e)
{
    struct diagnosis_job *w = ctx;
    const struct comparison *c = w->now.c;
    (void)j;
    (void)e;
    diagnose_line(&w->found, c->judged, &c->measure, c->flow, w->now.line);
    return 0;
}

/* Takes the result and starts the next diagnosis requested. */
static void continue_diagnoses(struct diagnosis_job *w)
{
    if (job_busy(&w->job))
        return;
    if (job_take(&w->job) == JOB_DONE) {
        struct diagnosis_job_entry *e = &w->kept[w->next++ % DIAGNOSIS_JOB_KEPT];
        diagnoses_release(&e->found);
        *e = (struct diagnosis_job_entry){.line = w->now.line, .pairing = w->now.c->pairings,
                                          .of = w->now.c->judged->line[w->now.line],
                                          .language = w->now.language, .found = w->found};
    }
    drop_diagnosis_case(&w->now);
    if (!w->wanted.c)
        return;
    w->now = w->wanted;
    w->wanted.c = NULL;
    if (job_start(&w->job, run_diagnosis, w))
        drop_diagnosis_case(&w->now); /* asked for again with the next frame */
}

static bool is_diagnosable(const struct comparison *c, uint32_t line)
{
    return c->judged && line < c->judged->lines && diagnose_possible(c->judged, &c->measure, line);
}

const struct diagnoses *diagnosis_job_known(const struct diagnosis_job *w, const struct comparison *c, uint32_t line)
{
    const struct diagnosis_job_entry *e = is_diagnosable(c, line) ? find_kept_diagnosis(w, c, line) : NULL;
    return e ? &e->found : NULL;
}

void diagnosis_job_ask(struct diagnosis_job *w, const struct comparison *c, uint32_t line)
{
    continue_diagnoses(w); /* also where this line has none: other panes wait for what was asked before */
    if (!is_diagnosable(c, line))
        return;
    if (find_kept_diagnosis(w, c, line) || (w->now.c && w->now.line == line && w->now.c->serial == c->serial &&
                                            strcmp(w->now.language, msg_current()) == 0))
        return;
    drop_diagnosis_case(&w->wanted);
    w->wanted = (struct diagnosis_job_case){comparison_hold(c), line, msg_current()};
    continue_diagnoses(w);
}

bool diagnosis_job_waits(const struct diagnosis_job *w)
{
    return w->now.c || w->wanted.c;
}

void diagnosis_job_wait(struct diagnosis_job *w)
{
    for (continue_diagnoses(w); w->now.c; continue_diagnoses(w))
        job_wait(&w->job, NULL, NULL, 0);
}

void diagnosis_job_release(struct diagnosis_job *w)
{
    if (!w->job.ready)
        return;
    job_wait(&w->job, NULL, NULL, 0);
    if (job_take(&w->job) == JOB_DONE)
        diagnoses_release(&w->found);
    job_release(&w->job);
    drop_diagnosis_case(&w->now);
    drop_diagnosis_case(&w->wanted);
    for (size_t i = 0; i < DIAGNOSIS_JOB_KEPT; i++)
        diagnoses_release(&w->kept[i].found);
}
