/* The workers: each takes lines, computes their figures without the lock and stores them under it. */
#include "session/session_parts.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/held_folders.h"
#include "base/waiting.h"

#define ANNOUNCE_EVERY_MS 20

/* Stores a line's figures. Waiting threads are woken for the first figures after a judgement, for the last, and from
 * time to time: waking all of them for each short tensor takes longer than comparing it. */
static void announce_figures(struct session *s)
{
    const struct measure *m = &s->rows->measure;
    long now = clock_ms();
    if (m->finished != m->wanted && m->finished > s->judged_posts + 1 && now - s->announced_ms < ANNOUNCE_EVERY_MS)
        return;
    s->announced_ms = now;
    session_announce(s);
}

/* The same row of the third runs: [0] of the second golden run, [1] of the reference. */
struct companion_errors {
    float error[2][2];
    int rc[2];
    struct err why[2];
};

static void measure_companions(const struct session *s, const uint32_t row[2], const struct view *view,
                               struct figures_watch *watch, struct companion_errors *x)
{
    const struct dump *const side[2] = {&s->recordings->side[TARGET].dump, &s->recordings->side[GOLDEN].dump};
    const struct third_run *c[] = {&s->recordings->golden2, &s->recordings->reference};
    for (int i = 0; i < 2; i++)
        if (c[i]->path)
            x->rc[i] = third_run_measure(c[i], side, row, view, s->kern, watch, i == 1, x->error[i], &x->why[i]);
}

static void post_companions(struct session *s, const uint32_t row[2], const struct companion_errors *x)
{
    struct third_run *c[] = {&s->recordings->golden2, &s->recordings->reference};
    for (int i = 0; i < 2; i++)
        if (c[i]->path)
            third_run_post(c[i], row, x->error[i], x->rc[i] ? &x->why[i] : NULL);
}

/* Called by a worker without a line; the lock is held before and after. */
static void help_or_wait(struct session *s)
{
    if (s->paused || !work_crew_needs_help(&s->crew)) {
        pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    session_unlock(s);
    work_crew_help(&s->crew);
    session_lock(s);
}

/* Short lines are taken and posted together: taking each by itself held the lock a twelfth of the time. At once no more
 * are taken than a few milliseconds compare (a distant file system takes that long for one); some are left to
 * others. */
#define TOGETHER 64
#define TOGETHER_BYTES (256 << 10)
#define TOGETHER_MS 4

/* What is read and written under the lock stands close together: with each line's results between, every line was
 * waited for from memory there. */
struct line_work {
    struct measure_job job[TOGETHER];
    struct line_done {
        struct figures *kept; /* NULL if it failed */
        int rc;
        bool viewed;
    } done[TOGETHER];
    struct line_rest {
        struct view view;
        struct err e;
        struct companion_errors extra;
    } rest[TOGETHER];
    struct figures f; /* of the line that is compared */
};

/* How many there are now; the lock is held. */
static int take_lines_to_measure(struct session *s, int me, int most, struct line_work *x)
{
    struct measure *m = &s->rows->measure;
    size_t share = (m->wanted - m->finished) / (2 * (size_t)(s->workers ? s->workers : 1)) + 1;
    int n = 0;
    uint64_t bytes = 0;
    most = share < (size_t)most ? (int)share : most;
    while (n < most && bytes < TOGETHER_BYTES && measure_take(m, s->want, s->want_count, &x->job[n])) {
        x->job[n].cache = s->cache;
        bytes += x->job[n++].bytes;
    }
    s->bytes[me] = bytes;
    atomic_store(&s->numel[me], 0);
    atomic_store(&s->watch[me].done, 0);
    return n;
}

/* For the progress display. Without the lock, because each row is in distant memory. */
static void count_worker_elements(struct session *s, int me, const struct line_work *x, int n)
{
    uint64_t elements = 0;
    for (int i = 0; i < n; i++) {
        enum side side = x->job[i].row[TARGET] == NONE ? GOLDEN : TARGET;
        elements += dump_row_numel(&s->recordings->side[side].dump, x->job[i].row[side]);
    }
    atomic_store(&s->numel[me], elements);
}

static void compute_line(struct session *s, int me, struct line_work *x, int i)
{
    const struct dump *const side[2] = {&s->recordings->side[TARGET].dump, &s->recordings->side[GOLDEN].dump};
    struct figures_watch *watch = &s->watch[me];
    struct measure_job *job = &x->job[i];
    struct line_done *done = &x->done[i];
    struct line_rest *r = &x->rest[i];
    done->kept = NULL;
    done->rc = measure_compute(side, job, s->kern, &x->f, &r->view, &done->viewed, watch, &r->e);
    if (done->rc || measure_is_of_one(job))
        return;
    measure_companions(s, job->row, done->viewed ? &r->view : NULL, watch, &r->extra);
    done->kept = figures_keep(&x->f);
}

/* The lock is held. */
static void post_lines(struct session *s, const struct line_work *x, int from, int n)
{
    for (int i = from; i < n; i++) {
        const struct line_done *done = &x->done[i];
        const struct line_rest *r = &x->rest[i];
        if (!done->rc && !measure_is_of_one(&x->job[i]))
            post_companions(s, x->job[i].row, &r->extra);
        if (!done->rc || r->e.code != ERR_CANCEL)
            measure_post(&s->rows->measure, &x->job[i], done->kept, done->viewed ? &r->view : NULL,
                         done->rc ? &r->e : NULL);
    }
    announce_figures(s);
}

static int session_worker(struct job *own, void *ctx, struct err *quiet)
{
    struct session *s = ctx;
    int me = (int)(own - s->worker), most = 1;
    struct line_work *x = mem_alloc(sizeof *x);
    memset(x->job, 0, sizeof x->job); /* its pages come now, not with the lock held */
    memset(x->done, 0, sizeof x->done);
    (void)quiet;
    held_folders_begin();
    session_lock(s);
    s->watch[me].crew = &s->crew;
    while (!s->stop) {
        int n = s->paused ? 0 : take_lines_to_measure(s, me, most, x), posted = 0;
        if (!n) {
            help_or_wait(s);
            continue;
        }
        session_unlock(s);
        struct waiting waiting;
        long began = clock_ms();
        waiting_begin(&waiting);
        count_worker_elements(s, me, x, n);
        for (int i = 0; i < n; i++) {
            if (i > posted && x->job[i].bytes > TOGETHER_BYTES) { /* a long one: those before it do not wait */
                session_lock(s);
                post_lines(s, x, posted, i);
                session_unlock(s);
                posted = i;
            }
            compute_line(s, me, x, i);
        }
        long took = clock_ms() - began;
        most = took > TOGETHER_MS ? most / 2 + 1 : most < TOGETHER / 2 ? most * 2 : TOGETHER;
        bool far = waiting_mostly(&waiting);
        session_lock(s);
        s->waits_for_files = s->waits_for_files || far;
        s->bytes[me] = 0;
        post_lines(s, x, posted, n);
    }
    session_unlock(s);
    held_folders_end();
    free(x);
    session_notify(s);
    return 0;
}

void session_call_helpers(void *ctx)
{
    struct session *s = ctx;
    session_lock(s);
    pthread_cond_broadcast(&s->changed);
    session_unlock(s);
}

_Static_assert(WAITING_THREADS <= SESSION_WORKERS, "workers for files that are far away have their place");

/* Starts workers up to this number, or as many as the system allows; only the conductor does. Returns their number. */
static int add_workers(struct session *s, int n)
{
    int running = s->workers;
    while (running < n && job_start(&s->worker[running], session_worker, s) == 0)
        running++;
    session_lock(s);
    s->workers = running;
    s->waits_for_files = false;
    session_unlock(s);
    return running;
}

void session_add_workers(struct session *s)
{
    const struct measure *m = &s->rows->measure;
    int n = 2 * s->workers < WAITING_THREADS ? 2 * s->workers : WAITING_THREADS;
    s->waits_for_files = false;
    if (s->opt.workers || n <= s->workers || m->wanted - m->finished <= (size_t)s->workers)
        return;
    session_unlock(s);
    add_workers(s, n);
    session_lock(s);
}

int session_start_workers(struct session *s, struct err *e)
{
    const struct measure *m = &s->rows->measure;
    int n = threads_wanted(s->opt.workers);
    session_lock(s); /* those of an earlier pairing are at work already */
    if (s->far_files && !s->opt.workers && n < WAITING_THREADS)
        n = m->wanted - m->finished < WAITING_THREADS ? (int)(m->wanted - m->finished) : WAITING_THREADS;
    n = n < 1 ? 1 : n > SESSION_WORKERS ? SESSION_WORKERS : n;
    s->began_ms = clock_ms();
    s->worked_before = m->worked;
    if (m->wanted == m->finished)
        n = 0;
    session_unlock(s);
    if (n == 0 || add_workers(s, n))
        return 0;
    *e = s->worker[0].err;
    return -1;
}

/* No estimate is given in the first second and a half. */
#define FORETELL_MS 1500

void session_progress(const struct session *s, struct session_progress *p)
{
    const struct measure *m = s->rows ? &s->rows->measure : NULL;
    uint64_t bytes = 0, done = 0;
    *p = (struct session_progress){.comparing = s->rows && !s->single};
    if (s->single && s->rows) {
        uint64_t all = s->rows->examined.elements;
        double share = all ? (double)atomic_load(&s->watch[0].done) / (double)all : 1;
        p->share = s->settled || share > 1 ? 1 : share;
        return;
    }
    if (!m) {
        for (int i = 0; i < 2; i++) {
            bytes += s->recordings->side[i].dump.bytes;
            done += s->recordings->side[i].dump.bytes_done;
        }
        p->share = bytes ? (double)done / (double)bytes : 0;
        return;
    }
    double worked = (double)m->worked, now = (double)((s->paused ? s->paused_ms : clock_ms()) - s->began_ms);
    for (int i = 0; i < s->workers; i++) {
        const uint64_t elements = atomic_load(&s->numel[i]);
        if (s->bytes[i] && elements) {
            double part = (double)atomic_load(&s->watch[i].done) / (double)elements;
            worked += (double)s->bytes[i] * (part < 1 ? part : 1); /* through a view it may be read twice */
        }
    }
    if (m->finished == m->wanted)
        p->share = s->now->judged ? 1 : 0;
    else
        p->share = m->work ? worked / (double)m->work : (double)m->finished / (double)m->wanted;
    if (!s->began_ms || now < FORETELL_MS || m->finished == m->wanted || worked <= (double)s->worked_before)
        return;
    p->per_second = (worked - (double)s->worked_before) * 1000 / now;
    p->left = ((double)m->work - worked) / p->per_second;
}
