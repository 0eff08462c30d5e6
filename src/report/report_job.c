/* A job that writes one report, result or pack at a time, from the comparison and the investigation as they were at
 * its start. */
#include "report/report_job.h"

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "panel/procedure.h"
#include "report/pack_write.h"

void report_job_init(struct report_job *k, struct procedure *g, void (*notify)(void *ctx), void *ctx)
{
    *k = (struct report_job){.guide = g};
    job_init(&k->job, notify, ctx);
}

/* ---- the job ---- */

static int write_pack_in_job(struct report_job *k, struct err *e)
{
    const struct pack_options o =
        {.inv = &k->inv, .guide = k->now.guide, .date = k->now.date, .limit = k->pack};
    struct pack_said said = {0};
    struct buf b = {0};
    char n[NUM_MAX];
    int rc = pack_write(k->path, k->c, &o, &said, e);
    if (rc == 0) {
        buf_fmt(&b, _("%zu tensors (%s)"), said.tensors, num_bytes(n, said.bytes));
        if (said.left.n)
            buf_fmt(&b, _("; left out: %zu, the first: %s"), said.left.n, said.left.v[0]);
        k->told = mem_strdup(b.p);
    }
    pack_said_release(&said);
    buf_release(&b);
    return rc;
}

static int write_in_job(struct job *j, void *ctx, struct err *e)
{
    struct report_job *k = ctx;
    const struct writer *w = k->pack ? NULL : writer_for(k->path);
    struct out out;
    (void)j;
    if (!k->c->judged && (!w || !k->report || w->rows_only))
        return err_set(e, ERR_CANCEL, "%s", _("not written: there is no comparison"));
    if (k->pack)
        return write_pack_in_job(k, e);
    if (out_file(&out, k->path, e))
        return -1;
    (k->report ? w->report : w->compare)(&out, k->c, &k->now);
    return out_close(&out, e);
}

/* ---- its owner ---- */

static void report_job_release_held(struct report_job *k)
{
    if (k->held)
        procedure_give(k->guide);
    k->held = k->asked = false;
    comparison_drop(k->c);
    k->c = NULL;
    if (k->now.inv)
        investigation_look_end(&k->inv);
    k->now.inv = NULL;
}

/* Starts the requested writing once the guide has its results, which are part of a report. */
static void report_job_continue(struct report_job *k)
{
    bool given_up = atomic_load(&k->watch.cancel);
    if (!k->asked || (k->opt.guide && !given_up && procedure_busy(k->guide)))
        return;
    k->asked = false;
    if (k->opt.guide) {
        procedure_write(k->guide);
        procedure_hold(k->guide);
        k->held = true;
        comparison_drop(k->c); /* its pages are about this one */
        k->c = comparison_hold(k->guide->s);
    }
    job_start(&k->job, write_in_job, k);
}

static bool report_job_start(struct report_job *k, const struct comparison *c, const char *path, bool report,
                             uint64_t pack, const struct report_options *o)
{
    if (report_job_busy(k))
        return false;
    report_job_take(k); /* an end that nobody took */
    free(k->path);
    free(k->told);
    k->told = NULL;
    k->path = mem_strdup(path);
    k->report = report;
    k->pack = pack;
    k->c = comparison_hold(c);
    vec_clear(&k->lines);
    for (size_t i = 0; i < o->line_count; i++)
        vec_push(&k->lines, o->lines[i]);
    k->opt = k->now = *o;
    k->now.lines = k->lines.v;
    k->now.watch = &k->watch;
    k->now.inv = NULL;
    if (o->inv) {
        investigation_look(&k->inv, o->inv);
        k->now.inv = &k->inv;
    }
    atomic_store(&k->watch.cancel, false);
    atomic_store(&k->watch.share, 0);
    k->asked = true;
    if (o->guide) {
        procedure_see(k->guide, c);
        procedure_look(k->guide); /* also results that need only the dumps */
    }
    report_job_continue(k);
    return true;
}

bool report_job_begin(struct report_job *k, const struct comparison *c, const char *path, bool report,
                      const struct report_options *o)
{
    return report_job_start(k, c, path, report, 0, o);
}

bool report_job_pack(struct report_job *k, const struct comparison *c, const char *path, uint64_t limit,
                     const struct report_options *o)
{
    return report_job_start(k, c, path, true, limit, o);
}

void report_job_cancel(struct report_job *k)
{
    atomic_store(&k->watch.cancel, true);
}

bool report_job_busy(struct report_job *k)
{
    report_job_continue(k);
    return k->asked || job_busy(&k->job);
}

double report_job_share(const struct report_job *k)
{
    return atomic_load(&k->watch.share) / 1000.0;
}

enum report_job_state report_job_take(struct report_job *k)
{
    if (report_job_busy(k))
        return REPORT_JOB_IDLE;
    enum job_state how = job_take(&k->job);
    if (how == JOB_IDLE)
        return REPORT_JOB_IDLE;
    k->err = k->job.err;
    report_job_release_held(k);
    return how == JOB_FAILED ? REPORT_JOB_FAILED : REPORT_JOB_WRITTEN;
}

void report_job_wait(struct report_job *k)
{
    while (report_job_busy(k)) {
        if (k->asked)
            procedure_wait(k->guide, NULL, NULL, 0);
        else
            job_wait(&k->job, NULL, NULL, 0);
    }
}

void report_job_leave(struct report_job *k, int ms)
{
    if (k->job.ready)
        job_wait_ms(&k->job, ms);
}

void report_job_release(struct report_job *k)
{
    if (!k->job.ready)
        return;
    report_job_cancel(k);
    job_release(&k->job);
    report_job_release_held(k);
    free(k->path);
    free(k->told);
    vec_release(&k->lines);
    k->path = k->told = NULL;
}
