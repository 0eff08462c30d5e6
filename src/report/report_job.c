/* A job that writes one report, result or pack at a time, from the comparison and the investigation of when it began. */
#include "report/report_job.h"

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "panel/procedure.h"
#include "report/pack_write.h"

void scribe_init(struct scribe *k, struct guide *g, void (*notify)(void *ctx), void *ctx)
{
    *k = (struct scribe){.guide = g};
    job_init(&k->job, notify, ctx);
}

/* ---- the job ---- */

static int pack_it(struct scribe *k, struct err *e)
{
    const struct pack_options o = {.tool = k->now.tool, .inv = &k->inv, .guide = k->now.guide, .date = k->now.date, .limit = k->pack};
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

static int write_it(struct job *j, void *ctx, struct err *e)
{
    struct scribe *k = ctx;
    const struct writer *w = k->pack ? NULL : writer_for(k->path);
    struct out out;
    (void)j;
    if (!k->c->judged && (!w || !k->report || w->rows_only))
        return err_set(e, ERR_CANCEL, "%s", _("not written: there is no comparison now"));
    if (k->pack)
        return pack_it(k, e);
    if (out_file(&out, k->path, e))
        return -1;
    (k->report ? w->report : w->compare)(&out, k->c, &k->now);
    return out_close(&out, e);
}

/* ---- its owner ---- */

static void let_go(struct scribe *k)
{
    if (k->held)
        guide_give(k->guide);
    k->held = k->asked = false;
    comparison_drop(k->c);
    k->c = NULL;
    if (k->now.inv)
        investigation_look_end(&k->inv);
    k->now.inv = NULL;
}

/* Starts what is asked for once the guide has its results: they are part of a report. */
static void go_on(struct scribe *k)
{
    bool given_up = atomic_load(&k->watch.cancel);
    if (!k->asked || (k->opt.guide && !given_up && guide_busy(k->guide)))
        return;
    k->asked = false;
    if (k->opt.guide) {
        guide_write(k->guide);
        guide_hold(k->guide);
        k->held = true;
        comparison_drop(k->c); /* its pages are about this one */
        k->c = comparison_hold(k->guide->s);
    }
    job_start(&k->job, write_it, k);
}

static bool begin(struct scribe *k, const struct comparison *c, const char *path, bool report, uint64_t pack, const struct report_options *o)
{
    if (scribe_busy(k))
        return false;
    scribe_take(k); /* an end that nobody took */
    free(k->path);
    free(k->told);
    k->told = NULL;
    k->path = mem_strdup(path);
    k->report = report;
    k->pack = pack;
    k->c = comparison_hold(c);
    k->opt = k->now = *o;
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
        guide_see(k->guide, c);
        guide_look(k->guide); /* also what the dumps alone can be asked */
    }
    go_on(k);
    return true;
}

bool scribe_begin(struct scribe *k, const struct comparison *c, const char *path, bool report, const struct report_options *o)
{
    return begin(k, c, path, report, 0, o);
}

bool scribe_pack(struct scribe *k, const struct comparison *c, const char *path, uint64_t limit, const struct report_options *o)
{
    return begin(k, c, path, true, limit, o);
}

void scribe_cancel(struct scribe *k)
{
    atomic_store(&k->watch.cancel, true);
}

bool scribe_busy(struct scribe *k)
{
    go_on(k);
    return k->asked || job_busy(&k->job);
}

double scribe_share(const struct scribe *k)
{
    return atomic_load(&k->watch.share) / 1000.0;
}

enum scribe_state scribe_take(struct scribe *k)
{
    if (scribe_busy(k))
        return SCRIBE_IDLE;
    enum job_state how = job_take(&k->job);
    if (how == JOB_IDLE)
        return SCRIBE_IDLE;
    k->err = k->job.err;
    let_go(k);
    return how == JOB_FAILED ? SCRIBE_FAILED : SCRIBE_WRITTEN;
}

void scribe_wait(struct scribe *k)
{
    while (scribe_busy(k)) {
        if (k->asked)
            guide_wait(k->guide, NULL, NULL, 0);
        else
            job_wait(&k->job, NULL, NULL, 0);
    }
}

void scribe_release(struct scribe *k)
{
    if (!k->job.ready)
        return;
    scribe_cancel(k);
    job_release(&k->job);
    let_go(k);
    free(k->path);
    free(k->told);
    k->path = k->told = NULL;
}
