#include "session/session.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/msg.h"
#include "dump/computed_figures.h"
#include "judge/packed_verdicts.h"
#include "measure/figures_cache.h"
#include "pair/axis_order_vote.h"
#include "pair/fused_parts.h"
#include "dump/tensor_files.h"
#include "judge/table_verdicts.h"
#include "pair/mapping_file.h"
#include "fmt/unreadable.h"
#include "dump/step_before.h"

#define JUDGE_EVERY_MS 150

static void announce(struct session *s)
{
    s->version++;
    pthread_cond_broadcast(&s->changed);
}

static void notify(void *ctx)
{
    struct session *s = ctx;
    if (s->opt.notify)
        s->opt.notify(s->opt.ctx);
}

/* ---- finding and choosing ---- */

static int find_side(struct session *s, int i, struct err *e)
{
    struct session_side *x = &s->side[i];
    place_list found = {0};
    if (places_find_until(x->path, &x->load.cancel, &found, e)) {
        places_release(&found);
        return -1;
    }
    if (!found.n) {
        places_release(&found);
        struct file f;
        if (path_is_file(x->path) && file_open(&f, x->path, e) == 0) {
            bool empty = !f.size;
            file_close(&f);
            if (empty)
                return err_set(e, ERR_DATA, _("%s: an empty file: nothing was written to it, or not yet"), x->path);
        }
        const struct refused *r = refused_find(x->path);
        if (r)
            return refused_error(r, x->path, e);
        return err_set(e, ERR_DATA, _("%s: no recording of a known format here or below; see `diverge formats`"), x->path);
    }
    session_lock(s);
    x->places = found;
    session_unlock(s);
    return 0;
}

static bool fits(int have, int want)
{
    return want < 0 || have < 0 || have == want;
}

static bool alike(const struct place *a, const struct place *b)
{
    return fits(a->step, b->step) && fits(a->rank, b->rank);
}

static void list_places(const struct session_side *x, struct buf *out)
{
    for (size_t i = 0; i < x->places.n && i < 8; i++)
        buf_fmt(out, _("%sstep %d rank %d"), i ? _(", ") : "", x->places.v[i].step, x->places.v[i].rank);
    if (x->places.n > 8)
        buf_cstr(out, ", …");
}

static bool wanted(const struct session *s, int side, const struct place *p)
{
    return fits(p->step, s->opt.step[side]) && fits(p->rank, s->opt.rank[side]);
}

/* The first target place with a golden one of the same step and rank; numbers the user gave for a side
 * are met on that side and not compared across. */
static int choose(struct session *s, struct err *e)
{
    struct session_side *t = &s->side[TARGET], *g = &s->side[GOLDEN];
    for (size_t i = 0; i < t->places.n; i++) {
        if (!wanted(s, TARGET, &t->places.v[i]))
            continue;
        if (s->single) {
            t->place = i;
            return 0;
        }
        size_t fallback = SIZE_MAX, n = 0;
        for (size_t k = 0; k < g->places.n; k++) {
            if (!wanted(s, GOLDEN, &g->places.v[k]))
                continue;
            bool step_free = s->opt.step[TARGET] >= 0 && s->opt.step[GOLDEN] >= 0;
            bool rank_free = s->opt.rank[TARGET] >= 0 && s->opt.rank[GOLDEN] >= 0;
            struct place a = t->places.v[i], b = g->places.v[k];
            if (step_free)
                a.step = b.step;
            if (rank_free)
                a.rank = b.rank;
            if (alike(&a, &b)) {
                t->place = i;
                g->place = k;
                return 0;
            }
            n++;
            if (fallback == SIZE_MAX)
                fallback = k;
        }
        /* one recording on each side: the user chose them by path */
        if (n == 1 && t->places.n == 1 && g->places.n == 1) {
            t->place = i;
            g->place = fallback;
            return 0;
        }
    }
    struct buf have[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        list_places(&s->side[i], &have[i]);
    if (s->single)
        err_set(e, ERR_USAGE, _("%s has no such step and rank; it has %s"), t->path, have[0].p);
    else
        err_set(e, ERR_USAGE, _("no step and rank that both sides have: %s has %s; %s has %s. --step T:G and --rank T:G pair different ones"),
                t->path, have[0].p, g->path, have[1].p ? have[1].p : "");
    buf_release(&have[0]);
    buf_release(&have[1]);
    return -1;
}

/* ---- loading ---- */

static struct side_extent extent_of(const struct dump *d)
{
    struct side_extent x = {.tensors = 0};
    for (size_t i = 0; i < d->rows.n; i++) {
        const struct row *r = &d->rows.v[i];
        x.phase[d->calls.v[r->call].phase]++;
        x.tensors += (r->has & HAS_FILE) != 0;
        x.computed += r->has >> IS_COMPUTED != 0;
    }
    return x;
}

static void *load_side(void *ctx)
{
    struct session_side *x = ctx;
    struct session *s = x->load.ctx;
    struct err e = {0};
    struct survey files;
    int rc = x->dump.reader->open(&x->dump, &x->load, &e);
    if (rc == 0)
        survey_files(&files, &x->dump, &x->load.cancel);
    if (rc == 0 && !s->single && !s->tabled)
        computed_figures_fill(&x->dump, s->kern, s->opt.workers, &x->load);
    if (rc == 0 && !s->single)
        flow_build(&s->flow[x - s->side], &x->dump); /* nobody else looks before both sides are loaded */
    session_lock(s);
    if (rc == 0)
        survey_warn(&files, &x->dump);
    x->extent = extent_of(&x->dump);
    x->dump.complete = rc == 0;
    x->state = rc ? SIDE_FAILED : SIDE_LOADED;
    x->err = e;
    announce(s);
    session_unlock(s);
    notify(s);
    return NULL;
}

static void begin_load(struct session *s, int i)
{
    struct session_side *x = &s->side[i];
    const struct place *p = &x->places.v[x->place];
    struct input_state now = input_state_of(p->paths.v[0]);
    session_lock(s);
    x->now = now;
    x->dump.reader = p->reader;
    x->dump.column = (uint8_t)(s->tabled ? i : COLUMN_ALL);
    x->dump.path = p->paths.v[0];
    if (s->opt.pack)
        x->dump.shown = arena_fmt(&x->dump.arena, "%s/%s", s->opt.pack, i == TARGET ? "target" : "golden");
    x->dump.parts = (const char *const *)p->paths.v;
    x->dump.part_count = p->paths.n;
    x->dump.step = p->step;
    x->dump.rank = p->rank;
    x->dump.past = s->tabled ? NULL : past_of(&x->places, x->place);
    x->load.lock = &s->lock;
    x->load.progress = notify;
    x->load.ctx = s;
    x->state = SIDE_LOADING;
    announce(s);
    session_unlock(s);
    pthread_create(&s->loader[i], NULL, load_side, x);
}

static int load_maps(struct session *s, struct err *e)
{
    s->maps = mem_zalloc((s->opt.map_count + 1) * sizeof *s->maps);
    for (size_t i = 0; i < s->opt.map_count; i++)
        if (mapping_load(&s->maps[i], s->opt.maps[i], e))
            return -1;
    return 0;
}

/* ---- comparing ---- */

/* The same row of the runs beside: [0] of the second golden run, [1] of the reference. */
static void measure_companions(const struct session *s, const uint32_t row[2], const struct view *view, struct figures_watch *watch, float out[2][2])
{
    const struct dump *const side[2] = {&s->side[TARGET].dump, &s->side[GOLDEN].dump};
    const struct companion *c[] = {&s->golden2, &s->reference};
    for (int i = 0; i < 2; i++)
        if (c[i]->path)
            companion_measure(c[i], side, row, view, s->kern, watch, i == 1, out[i]);
}

static void post_companions(struct session *s, const uint32_t row[2], float (*const error)[2])
{
    struct companion *c[] = {&s->golden2, &s->reference};
    for (int i = 0; i < 2; i++)
        for (int side = 0; c[i]->path && side < 2; side++)
            c[i]->error[side][row[side]] = error[i][side];
}

/* For a worker without a line; the lock is held before and after. */
static void help_or_wait(struct session *s)
{
    if (s->paused || !crew_needs_help(&s->crew)) {
        pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    session_unlock(s);
    crew_help(&s->crew);
    session_lock(s);
}

static void *work(void *ctx)
{
    struct session *s = ctx;
    const struct dump *const side[2] = {&s->side[TARGET].dump, &s->side[GOLDEN].dump};
    session_lock(s);
    int me = s->workers++;
    struct figures_watch *watch = &s->watch[me];
    watch->crew = &s->crew;
    while (!s->stop) {
        struct measure_job job;
        if (s->paused || !measure_take(&s->measure, s->want, s->want_count, &job)) {
            help_or_wait(s);
            continue;
        }
        job.cache = s->cache;
        s->bytes[me] = measure_bytes(&s->measure, job.line);
        s->numel[me] = dump_row_numel(side[TARGET], job.row[TARGET]);
        atomic_store(&watch->done, 0);
        session_unlock(s);
        struct figures f;
        struct view view;
        struct err e;
        bool viewed;
        float extra[2][2];
        int rc = measure_compute(side, &job, s->kern, &f, &view, &viewed, watch, &e);
        if (!rc)
            measure_companions(s, job.row, viewed ? &view : NULL, watch, extra);
        session_lock(s);
        if (!rc)
            post_companions(s, job.row, extra);
        s->bytes[me] = 0;
        if (!rc || e.code != ERR_CANCEL)
            measure_post(&s->measure, &job, &f, viewed ? &view : NULL, rc ? &e : NULL);
        announce(s);
    }
    session_unlock(s);
    notify(s);
    return NULL;
}

/* A large tensor is opened to all workers: those that wait for lines are woken. */
static void call_helpers(void *ctx)
{
    struct session *s = ctx;
    session_lock(s);
    pthread_cond_broadcast(&s->changed);
    session_unlock(s);
}

/* As many workers as processors, where there is any work: also a single tensor is shared. */
static void start_workers(struct session *s)
{
    int n = threads_wanted(s->opt.workers);
    n = n < 1 ? 1 : n > SESSION_WORKERS ? SESSION_WORKERS : n;
    session_lock(s); /* those of an earlier pairing are at work already */
    s->began_ms = clock_ms();
    s->worked_before = s->measure.worked;
    if (s->measure.wanted == s->measure.finished)
        n = 0;
    session_unlock(s);
    while (s->started < n && pthread_create(&s->worker[s->started], NULL, work, s) == 0)
        s->started++;
}

static void discard(struct judgement *j)
{
    if (!j)
        return;
    judgement_release(j);
    free(j);
}

static void judge_now(struct session *s)
{
    struct measure *m = &s->measure;
    struct judgement *fresh = mem_zalloc(sizeof *fresh), *old;
    uint8_t *state = mem_alloc(m->lines + 1);
    session_lock(s);
    if (m->lines)
        memcpy(state, m->state, m->lines);
    size_t posts = m->finished;
    struct tol tol = s->opt.tol;
    s->rejudge = false;
    session_unlock(s);
    struct judge_options o = session_judge_options(s);
    struct since_news news;
    o.tol = &tol;
    judge(fresh, m, state, s->flow, &o);
    since_look(&s->since, s, fresh, posts == m->wanted, &news);
    input_list inputs = {0}, old_inputs;
    inputs_find(m, state, s->flow, &inputs);
    session_lock(s);
    old = s->judged;
    if (old && old->readers) {
        old->old = true;
        old = NULL;
    }
    old_inputs = s->inputs;
    fresh->serial = ++s->judgements;
    s->judged = fresh;
    s->inputs = inputs;
    since_take(&s->since, &news);
    s->judged_posts = posts;
    s->settled = (posts == m->wanted || s->opt.pair_only) && !s->rejudge && !s->repair;
    announce(s);
    session_unlock(s);
    discard(old);
    vec_release(&old_inputs);
    free(state);
    notify(s);
}

/* One path, and what lies there is a comparison somebody made: its other columns are the golden side. */
static void open_as_table(struct session *s)
{
    struct session_side *t = &s->side[TARGET];
    if (!s->single || s->opt.alone || !t->places.v[0].reader->table)
        return;
    session_lock(s);
    s->side[GOLDEN].path = mem_strdup(t->path);
    s->single = false;
    s->tabled = true;
    s->opt.step[GOLDEN] = s->opt.step[TARGET]; /* one file: the target's wishes are both sides' */
    s->opt.rank[GOLDEN] = s->opt.rank[TARGET];
    announce(s);
    session_unlock(s);
}

static int open_companions(struct session *s, struct err *e)
{
    const struct dump *const side[2] = {&s->side[TARGET].dump, &s->side[GOLDEN].dump};
    struct companion *c[] = {&s->golden2, &s->reference};
    for (int i = 0; i < 2 && !s->single; i++)
        if (c[i]->path && companion_open(c[i], side, &s->lock, e))
            return -1;
    return 0;
}

/* While the sides are read. */
static void read_before(struct session *s)
{
    struct since x = {.there = false};
    if (!s->opt.before.file || s->single || s->opt.pair_only)
        return;
    since_read(&x, &s->opt.before);
    session_lock(s);
    s->since = x;
    announce(s);
    session_unlock(s);
}

static int prepare(struct session *s, struct err *e)
{
    if (find_side(s, TARGET, e))
        return -1;
    open_as_table(s);
    int sides = s->single ? 1 : 2;
    if (!s->single && find_side(s, GOLDEN, e))
        return -1;
    if (choose(s, e) || load_maps(s, e))
        return -1;
    for (int i = 0; i < sides; i++)
        begin_load(s, i);
    read_before(s);
    for (int i = 0; i < sides; i++)
        pthread_join(s->loader[i], NULL);
    for (int i = 0; i < sides; i++)
        if (s->side[i].state == SIDE_FAILED) {
            *e = s->side[i].err;
            return -1;
        }
    if (open_companions(s, e))
        return -1;
    session_lock(s);
    bool stop = s->stop;
    session_unlock(s);
    return stop ? err_set(e, ERR_CANCEL, "%s", _("stopped")) : 0;
}

/* Pairs as the decisions of now want it. What was computed before is taken over. */
static void pair_sides(struct session *s)
{
    struct pairing fresh = {0}, before;
    struct measure old;
    struct line *given = NULL;
    struct judgement *judged;
    session_lock(s);
    struct pairing_options o = session_pairing_options(s);
    bool again = s->paired;
    if (s->repair) {
        ruling_release(&s->ruling);
        s->ruling = s->wanted;
        s->wanted = (struct ruling){0};
        s->repair = false;
    }
    session_unlock(s);
    o.ruling = &s->ruling;
    if (s->tabled) {
        o.given = given = table_pairs(&s->side[TARGET].dump, &s->side[GOLDEN].dump, &o.given_count);
        o.map_only = true;
        o.map_count = 0;
    } else if ((given = frozen_pairs(&s->side[TARGET].dump, &s->side[GOLDEN].dump, &o.given_count))) {
        o.given = given;
        o.map_only = true;
        o.map_count = 0;
    }
    pairing_build(&fresh, &s->side[TARGET].dump, &s->side[GOLDEN].dump, &o);
    split_find(&fresh, &s->side[TARGET].dump, &s->side[GOLDEN].dump);
    orders_find(&fresh, &s->side[TARGET].dump, &s->side[GOLDEN].dump);
    frozen_tell(&fresh, &s->side[TARGET].dump, &s->side[GOLDEN].dump);
    free(given);
    session_lock(s);
    while (s->readers)
        pthread_cond_wait(&s->changed, &s->lock);
    before = s->pairing;
    s->pairing = fresh;
    old = s->measure;
    old.pairing = &before;
    measure_init(&s->measure, &s->side[TARGET].dump, &s->side[GOLDEN].dump, &s->pairing, again ? &old : NULL);
    frozen_measure(&s->measure);
    if (s->golden2.path)
        companion_join(&s->golden2, &s->measure);
    if (s->reference.path)
        companion_join(&s->reference, &s->measure);
    judged = s->judged;
    s->judged = NULL;
    since_forget(&s->since);
    s->judged_posts = 0;
    s->want_count = 0;
    s->paired = true;
    s->pairings++;
    announce(s);
    session_unlock(s);
    pairing_release(&before);
    judge_now(s); /* what recorded figures say is on the screen before the first tensor is read */
    discard(judged);
    if (!s->opt.pair_only)
        start_workers(s);
}

/* Judges whenever there is something new, but not more often than the eye can follow. */
static void watch_results(struct session *s)
{
    session_lock(s);
    while (!s->stop) {
        if (s->repair) {
            session_unlock(s);
            pair_sides(s);
            session_lock(s);
            continue;
        }
        bool news = s->rejudge || s->judged_posts != s->measure.finished;
        bool last = s->measure.finished == s->measure.wanted;
        if (!news) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        if (!last && !s->rejudge) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += JUDGE_EVERY_MS * 1000000L;
            until.tv_sec += until.tv_nsec / 1000000000L;
            until.tv_nsec %= 1000000000L;
            while (!s->stop && !s->rejudge && !s->repair && s->measure.finished != s->measure.wanted &&
                   pthread_cond_timedwait(&s->changed, &s->lock, &until) == 0)
                continue;
        }
        if (s->stop)
            break;
        session_unlock(s);
        judge_now(s);
        session_lock(s);
    }
    session_unlock(s);
}

static void tell(void *ctx)
{
    struct session *s = ctx;
    session_lock(s);
    announce(s);
    session_unlock(s);
    notify(s);
}

static void conduct_alone(struct session *s)
{
    const struct dump *d = &s->side[TARGET].dump;
    session_lock(s);
    pairing_alone(&s->pairing, d);
    s->paired = true;
    s->pairings++;
    session_unlock(s);
    tell(s);
    if (s->opt.examine)
        alone_run(&s->examined, d, s->kern, threads_wanted(s->opt.workers), &s->watch[0], &s->lock, tell, s);
    session_lock(s);
    s->settled = true;
    session_unlock(s);
    tell(s);
}

static void *conduct(void *ctx)
{
    struct session *s = ctx;
    struct err e = {0};
    if (prepare(s, &e)) {
        session_lock(s);
        s->failed = true;
        s->err = e;
        announce(s);
        session_unlock(s);
        notify(s);
        return NULL;
    }
    if (s->single) {
        conduct_alone(s);
        return NULL;
    }
    s->cache = s->opt.pair_only ? NULL : recall_open(s->opt.cache, (const char *const[]){s->side[TARGET].dump.path, s->side[GOLDEN].dump.path});
    pair_sides(s);
    watch_results(s);
    for (int i = 0; i < s->started; i++)
        pthread_join(s->worker[i], NULL);
    cache_close(s->cache);
    return NULL;
}

/* ---- outside ---- */

int session_start(struct session *s, const struct session_options *o, struct err *e)
{
    *s = (struct session){.opt = *o, .single = o->path[GOLDEN] == NULL};
    s->kern = kern_select(o->cpu);
    if (!s->kern)
        return err_set(e, ERR_USAGE, _("this machine has no kernel variant \"%s\""), o->cpu);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->golden2.path = o->golden2;
    s->reference.path = o->reference;
    dump_init(&s->golden2.dump);
    dump_init(&s->reference.dump);
    crew_init(&s->crew);
    s->crew.call = call_helpers;
    s->crew.ctx = s;
    for (int i = 0; i < 2; i++) {
        dump_init(&s->side[i].dump);
        s->side[i].path = o->path[i] ? mem_strdup(o->path[i]) : NULL;
    }
    if (o->decisions)
        ruling_read(&s->ruling, o->decisions);
    s->running = true;
    s->conducted = o->path[TARGET] != NULL;
    s->settled = !s->conducted;
    if (s->conducted)
        pthread_create(&s->conductor, NULL, conduct, s);
    return 0;
}

void session_stop(struct session *s)
{
    if (!s->running)
        return;
    session_lock(s);
    s->stop = true;
    for (int i = 0; i < 2; i++)
        atomic_store(&s->side[i].load.cancel, true);
    companion_cancel(&s->golden2);
    companion_cancel(&s->reference);
    for (int i = 0; i < SESSION_WORKERS; i++)
        atomic_store(&s->watch[i].cancel, true);
    announce(s);
    session_unlock(s);
    if (s->conducted)
        pthread_join(s->conductor, NULL);
    discard(s->judged);
    vec_release(&s->inputs);
    ruling_release(&s->ruling);
    ruling_release(&s->wanted);
    alone_release(&s->examined);
    companion_release(&s->golden2);
    companion_release(&s->reference);
    since_release(&s->since);
    measure_release(&s->measure);
    pairing_release(&s->pairing);
    for (size_t i = 0; s->maps && i < s->opt.map_count; i++)
        mapping_release(&s->maps[i]);
    free(s->maps);
    for (int i = 0; i < 2; i++) {
        flow_release(&s->flow[i]);
        dump_release(&s->side[i].dump);
        places_release(&s->side[i].places);
        free(s->side[i].path);
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    crew_release(&s->crew);
    s->running = false;
}

int session_wait(struct session *s, struct err *e)
{
    session_lock(s);
    while (!s->settled && !s->failed && !s->paused)
        pthread_cond_wait(&s->changed, &s->lock);
    bool failed = s->failed;
    if (failed)
        *e = s->err;
    session_unlock(s);
    return failed ? -1 : 0;
}

void session_want(struct session *s, const uint32_t *line, size_t n)
{
    s->want_count = n < SESSION_WANT ? n : SESSION_WANT;
    memcpy(s->want, line, s->want_count * sizeof *line);
}

void session_pause(struct session *s, bool pause)
{
    if (pause != s->paused && pause)
        s->paused_ms = clock_ms();
    else if (pause != s->paused)
        s->began_ms += clock_ms() - s->paused_ms;
    s->paused = pause;
    if (!s->paired && pause)
        for (int i = 0; i < 2; i++)
            atomic_store(&s->side[i].load.cancel, true);
    announce(s);
}

void session_tell(struct session *s)
{
    if (!s->opt.notify)
        return;
    session_unlock(s);
    notify(s);
    session_lock(s);
}

void session_decide(struct session *s, const struct decisions *d)
{
    ruling_release(&s->wanted);
    ruling_read(&s->wanted, d);
    if (s->single || !s->conducted)
        return;
    s->repair = true;
    s->settled = false;
    announce(s);
}

void session_set_tol(struct session *s, const struct tol *t)
{
    s->opt.tol = *t;
    if (s->single || !s->conducted) /* one side has no verdicts */
        return;
    s->rejudge = true;
    s->settled = false;
    announce(s);
}

uint64_t session_judged(const struct session *s)
{
    return s->judged ? s->judged->serial : s->examined.done;
}

struct judgement *session_take_judgement(struct session *s)
{
    if (!s->judged)
        return NULL;
    s->readers++;
    s->judged->readers++;
    return s->judged;
}

void session_give_judgement(struct session *s, struct judgement *j)
{
    s->readers--;
    if (--j->readers == 0 && j->old)
        discard(j);
    announce(s);
}

/* Nothing is foretold from less than a second and a half. */
#define FORETELL_MS 1500

void session_progress(const struct session *s, struct session_progress *p)
{
    const struct measure *m = &s->measure;
    uint64_t bytes = 0, done = 0;
    *p = (struct session_progress){.comparing = s->paired && !s->single};
    if (s->single && s->paired) {
        double share = s->examined.elements ? (double)atomic_load(&s->watch[0].done) / (double)s->examined.elements : 1;
        p->share = s->settled || share > 1 ? 1 : share;
        return;
    }
    if (!s->paired) {
        for (int i = 0; i < 2; i++) {
            bytes += s->side[i].dump.bytes;
            done += s->side[i].dump.bytes_done;
        }
        p->share = bytes ? (double)done / (double)bytes : 0;
        return;
    }
    double worked = (double)m->worked, now = (double)((s->paused ? s->paused_ms : clock_ms()) - s->began_ms);
    for (int i = 0; i < s->workers; i++)
        if (s->bytes[i] && s->numel[i]) {
            double part = (double)atomic_load(&s->watch[i].done) / (double)s->numel[i];
            worked += (double)s->bytes[i] * (part < 1 ? part : 1); /* through a view it may be read twice */
        }
    if (m->finished == m->wanted)
        p->share = s->judged ? 1 : 0;
    else
        p->share = m->work ? worked / (double)m->work : (double)m->finished / (double)m->wanted;
    if (!s->began_ms || now < FORETELL_MS || m->finished == m->wanted || worked <= (double)s->worked_before)
        return;
    p->per_second = (worked - (double)s->worked_before) * 1000 / now;
    p->left = ((double)m->work - worked) / p->per_second;
}

const struct side_figures *session_figures(const struct session *s, uint32_t line, int side)
{
    const struct figures *f = s->paired && s->measure.figures ? s->measure.figures[line] : NULL;
    if (f)
        return &f->side[side];
    return s->single && s->paired && side == TARGET ? alone_figures(&s->examined, s->pairing.lines.v[line].row[TARGET]) : NULL;
}

struct judge_options session_judge_options(const struct session *s)
{
    return (struct judge_options){
        .tol = &s->opt.tol,
        .map_only = s->opt.map_only,
        .exact = s->opt.exact,
        .strict_gaps = s->opt.strict_gaps,
        .preset = s->opt.preset,
        .known = s->opt.known,
        .band = s->golden2.error[GOLDEN],
    };
}

struct pairing_options session_pairing_options(const struct session *s)
{
    return (struct pairing_options){
        .maps = s->maps,
        .map_count = s->opt.map_count,
        .map_only = s->opt.map_only,
    };
}
