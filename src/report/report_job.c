#include "report/report_job.h"

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "report/pack_write.h"

void scribe_init(struct scribe *k, struct session *s, struct guide *g)
{
    *k = (struct scribe){.s = s, .guide = g};
}

/* ---- what is looked at without the lock ---- */

struct still {
    struct session s;        /* fields that writers look at; no thread of its own */
    struct investigation inv;
    struct judgement *judged;
    struct report_options opt;
};

/* What stays as long as the judgement is held is shared; what may be replaced or grow is copied. */
static void look(struct still *x, struct scribe *k)
{
    struct session *s = k->s;
    x->judged = session_take_judgement(s);
    x->opt = k->opt;
    x->opt.watch = &k->watch;
    x->s.opt = s->opt;
    x->s.maps = s->maps;
    x->s.single = s->single;
    x->s.tabled = s->tabled;
    x->s.paired = s->paired;
    x->s.settled = true;
    x->s.failed = s->failed;
    x->s.err = s->err;
    x->s.pairing = s->pairing;
    x->s.measure = s->measure;
    x->s.judged = x->judged;
    x->s.golden2 = s->golden2;
    x->s.reference = s->reference;
    for (int i = 0; i < 2; i++) {
        x->s.side[i] = s->side[i];
        x->s.flow[i] = s->flow[i];
    }
    for (size_t i = 0; i < s->inputs.n; i++)
        vec_push(&x->s.inputs, s->inputs.v[i]);
    if (k->opt.inv) {
        investigation_look(&x->inv, k->opt.inv);
        x->opt.inv = &x->inv;
    }
    if (k->opt.guide)
        guide_hold(k->guide);
}

static void give_back(struct still *x, struct scribe *k)
{
    if (k->opt.guide)
        guide_give(k->guide);
    if (x->judged)
        session_give_judgement(k->s, x->judged);
    vec_release(&x->s.inputs);
    if (k->opt.inv)
        investigation_look_end(&x->inv);
}

/* ---- the thread ---- */

static int pack_it(struct scribe *k, const struct still *x, struct err *e)
{
    struct pack_options o = {.tool = x->opt.tool, .inv = &x->inv, .guide = x->opt.guide, .date = x->opt.date, .limit = k->pack};
    struct pack_said said = {0};
    struct buf b = {0};
    char n[NUM_MAX];
    int rc = pack_write(k->path, &x->s, &o, &said, e);
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

static int write_it(struct scribe *k, const struct still *x, struct err *e)
{
    const struct writer *w = k->pack ? NULL : writer_for(k->path);
    struct out out;
    if (!x->judged && (!w || !k->report || w->rows_only)) /* taken away since, or given up before there was another */
        return err_set(e, ERR_CANCEL, "%s", _("not written: there is no comparison now"));
    if (k->pack)
        return pack_it(k, x, e);
    if (out_file(&out, k->path, e))
        return -1;
    (k->report ? w->report : w->compare)(&out, &x->s, &x->opt);
    return out_close(&out, e);
}

static void *work(void *ctx)
{
    struct scribe *k = ctx;
    struct session *s = k->s;
    struct still *x = mem_zalloc(sizeof *x);
    session_lock(s);
    if (k->opt.guide)
        guide_look(k->guide); /* also what the dumps alone can be asked */
    /* a pairing changed since it was asked for takes the judgement away until there is a new one */
    while (((k->opt.guide && guide_busy(k->guide)) || (!s->settled && !s->failed)) && !atomic_load(&k->watch.cancel))
        pthread_cond_wait(&s->changed, &s->lock);
    if (k->opt.guide)
        guide_write(k->guide);
    look(x, k);
    session_unlock(s);
    int rc = write_it(k, x, &k->err);
    session_lock(s);
    give_back(x, k);
    k->state = rc ? SCRIBE_FAILED : SCRIBE_WRITTEN;
    pthread_cond_broadcast(&s->changed);
    session_tell(s);
    session_unlock(s);
    free(x);
    return NULL;
}

static void join(struct scribe *k)
{
    if (k->running)
        pthread_join(k->thread, NULL);
    k->running = false;
}

static bool begin(struct scribe *k, const char *path, bool report, uint64_t pack, const struct report_options *o)
{
    if (scribe_busy(k))
        return false;
    join(k); /* ended already */
    free(k->path);
    free(k->told);
    k->told = NULL;
    k->path = mem_strdup(path);
    k->report = report;
    k->pack = pack;
    k->opt = *o;
    k->err = (struct err){0};
    atomic_store(&k->watch.cancel, false);
    atomic_store(&k->watch.share, 0);
    k->state = SCRIBE_WRITING;
    k->running = pthread_create(&k->thread, NULL, work, k) == 0;
    if (!k->running) {
        k->state = SCRIBE_FAILED;
        err_set(&k->err, ERR_IO, "%s", _("the system gives no thread to write it with"));
    }
    return true;
}

bool scribe_begin(struct scribe *k, const char *path, bool report, const struct report_options *o)
{
    return begin(k, path, report, 0, o);
}

bool scribe_pack(struct scribe *k, const char *path, uint64_t limit, const struct report_options *o)
{
    return begin(k, path, true, limit, o);
}

void scribe_cancel(struct scribe *k)
{
    atomic_store(&k->watch.cancel, true);
    pthread_cond_broadcast(&k->s->changed);
}

bool scribe_busy(const struct scribe *k)
{
    return k->state == SCRIBE_WRITING;
}

double scribe_share(const struct scribe *k)
{
    return atomic_load(&k->watch.share) / 1000.0;
}

enum scribe_state scribe_take(struct scribe *k)
{
    enum scribe_state now = k->state;
    if (now != SCRIBE_WRITING)
        k->state = SCRIBE_IDLE;
    return now == SCRIBE_WRITING ? SCRIBE_IDLE : now;
}

void scribe_wait(struct scribe *k)
{
    session_lock(k->s);
    while (scribe_busy(k))
        pthread_cond_wait(&k->s->changed, &k->s->lock);
    session_unlock(k->s);
}

void scribe_release(struct scribe *k)
{
    if (!k->s)
        return;
    session_lock(k->s);
    scribe_cancel(k);
    session_unlock(k->s);
    join(k);
    free(k->path);
    free(k->told);
    k->path = k->told = NULL;
}
