/* The threads of an open comparison: the conductor finds the recordings, starts one reader per side, pairs and
 * judges; workers compute figures. The command line and the screen start it and wait for it. */
#include "session/session_parts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/msg.h"
#include "judge/packed_verdicts.h"
#include "measure/figures_cache.h"
#include "pair/axis_order_vote.h"
#include "pair/cut_view.h"
#include "pair/fused_parts.h"
#include "pair/product_layout.h"
#include "pair/token_rows.h"
#include "judge/table_verdicts.h"
#include "ranks/joined_dump.h"
#include "weights/weight_rows.h"

#define JUDGE_EVERY_MS 150

void session_announce(struct session *s)
{
    s->version++;
    pthread_cond_broadcast(&s->changed);
}

void session_notify(void *ctx)
{
    struct session *s = ctx;
    if (s->opt.notify)
        s->opt.notify(s->opt.ctx);
}

/* ---- publishing ---- */

/* A comparison of the present data; the lock is held. */
static struct comparison *session_snapshot(struct session *s)
{
    struct comparison *c = comparison_new(s->recordings, s->rows, &s->opt.of);
    c->single = s->single;
    c->tabled = s->tabled;
    c->pairings = s->pairings;
    return c;
}

/* Makes it the newest; the lock is held. The previous one must be dropped without the lock. */
static const struct comparison *publish_comparison(struct session *s, const struct comparison *c)
{
    const struct comparison *before = s->now;
    s->now = c;
    session_announce(s);
    return before;
}

void session_publish_state(struct session *s, const struct err *failed, bool complete)
{
    session_lock(s);
    struct comparison *c = session_snapshot(s);
    c->complete = complete;
    c->serial = c->examined.done;
    if (failed) {
        c->failed = true;
        c->err = *failed;
    }
    s->settled = complete;
    const struct comparison *before = publish_comparison(s, c);
    session_unlock(s);
    comparison_drop(before);
    session_notify(s);
}

static int open_companions(struct session *s, struct err *e)
{
    const struct dump *const side[2] = {&s->recordings->side[TARGET].dump, &s->recordings->side[GOLDEN].dump};
    struct third_run *c[] = {&s->recordings->golden2, &s->recordings->reference};
    for (int i = 0; i < 2 && !s->single; i++)
        if (c[i]->path && third_run_open(c[i], session_found(s), side, &s->lock, e))
            return -1;
    return 0;
}

/* Whether the conductor has work that cannot wait. */
static bool has_urgent_work(const struct session *s)
{
    return s->stop || s->rejudge || s->repair;
}

/* Whether calls are to be recomputed after everything is judged; the lock is held. */
static bool wants_oracle(struct session *s, bool all)
{
    bool wants = all && s->opt.of.oracle.mode != ORACLE_OFF && !s->opt.of.pair_only && !s->tabled &&
                 !atomic_load(&s->rows->oracle);
    if (wants)
        atomic_store(&s->oracle_cancel, has_urgent_work(s));
    return wants;
}

/* Recomputes calls, from a complete judgement that is already published: takes seconds, without the lock, and ends
 * early if something else is requested. Causes follow from what was recomputed: if nothing could be, the judgement
 * stands. */
static void ask_oracle(struct session *s, const struct comparison *judged)
{
    struct oracle_options o = s->opt.of.oracle;
    o.workers = s->opt.workers;
    struct oracle *found = oracle_run(&judged->measure, judged->judged, &o, &s->oracle_cancel);
    session_lock(s);
    atomic_store(&judged->rows->oracle, found);
    s->rejudge = s->rejudge || (found && (found->residual || found->misfit));
    s->settled = found && !s->rejudge && !s->repair;
    session_announce(s);
    session_unlock(s);
    session_notify(s);
}

static void judge_and_publish(struct session *s)
{
    session_lock(s);
    const struct measure *m = &s->rows->measure;
    size_t posts = m->finished;
    bool all = posts == m->wanted;
    struct comparison *fresh = session_snapshot(s);
    uint64_t serial = ++s->judgements;
    s->rejudge = false;
    session_unlock(s);
    comparison_judge(fresh, serial, all);
    session_lock(s);
    s->judged_posts = posts;
    bool asking = wants_oracle(s, all);
    s->settled = (all || s->opt.of.pair_only) && !s->rejudge && !s->repair && !asking;
    fresh->complete = all || s->opt.of.pair_only;
    if (asking)
        comparison_hold(fresh);
    const struct comparison *before = publish_comparison(s, fresh);
    session_unlock(s);
    comparison_drop(before);
    session_notify(s);
    if (asking) {
        ask_oracle(s, fresh);
        comparison_drop(fresh);
    }
}

/* One path that contains an existing comparison: its other columns are the golden side. */
static void open_as_table(struct session *s)
{
    struct recordings *r = s->recordings;
    if (!s->single || s->opt.of.alone || !r->side[TARGET].places.v[0].reader->table)
        return;
    session_lock(s);
    r->side[GOLDEN].path = mem_strdup(r->side[TARGET].path);
    s->single = false;
    s->tabled = true;
    s->opt.of.step[GOLDEN] = s->opt.of.step[TARGET]; /* one file: the target's wishes are both sides' */
    s->opt.of.rank[GOLDEN] = s->opt.of.rank[TARGET];
    session_unlock(s);
    session_publish_state(s, NULL, false);
}

static int prepare_session(struct session *s, struct err *e)
{
    if (session_find_side(s, TARGET, e))
        return -1;
    open_as_table(s);
    if (!s->single && session_find_side(s, GOLDEN, e))
        return -1;
    if (session_choose(s, e) || session_load_maps(s, e) || session_load_sides(s, e) || open_companions(s, e))
        return -1;
    session_lock(s);
    bool stop = s->stop;
    session_unlock(s);
    return stop ? err_set(e, ERR_CANCEL, "%s", _("stopped")) : 0;
}

/* Of two joined recordings. */
static struct line *joined_lines(const struct dump *t, const struct dump *g, size_t *n)
{
    struct joined_pair *p = joined_dump_pairs(t, g, n);
    struct line *l = p ? mem_alloc((*n + 1) * sizeof *l) : NULL;
    for (size_t i = 0; p && i < *n; i++)
        l[i] = (struct line){{p[i].row[TARGET], p[i].row[GOLDEN]}, NONE};
    free(p);
    return l;
}

/* Pairs that are given: of a result table, a pack, joined recordings, or weights if no mapping changes their names. */
static struct line *given_pairs(const struct session *s, struct pairing_options *o, struct view **views)
{
    const struct dump *t = &s->recordings->side[TARGET].dump, *g = &s->recordings->side[GOLDEN].dump;
    struct line *given = s->tabled
                         ? table_verdicts_pairs(t, g, &o->given_count) : packed_verdicts_pairs(t, g, &o->given_count);
    o->given_why = WHY_TABLE;
    if (!given) {
        given = joined_lines(t, g, &o->given_count);
        o->given_why = WHY_LAYOUT;
    }
    if (!given && !o->map_only && !o->map_count) {
        given = weight_rows_pairs(t, g, &o->given_count, views);
        o->given_views = *views;
        o->given_why = WHY_PARAMETER;
    }
    if (!given)
        return NULL;
    o->given = given;
    o->map_only = o->given_why != WHY_PARAMETER; /* names of weights left over are names */
    o->map_count = 0;
    return given;
}

/* Pairs by the present decisions. Computed figures are shared. */
static int pair_sides(struct session *s, struct err *e)
{
    struct recordings *r = s->recordings;
    const struct dump *t = &r->side[TARGET].dump, *g = &r->side[GOLDEN].dump;
    struct paired_rows *fresh = paired_rows_new(r), *before;
    session_lock(s);
    if (s->repair) {
        decisions_in_force_release(&s->ruling);
        s->ruling = s->wanted;
        s->wanted = (struct decisions_in_force){0};
        s->repair = false;
    }
    session_unlock(s);
    struct pairing_options o = {
        .maps = r->maps, .map_count = r->map_count, .map_only = s->opt.of.map_only, .ruling = &s->ruling};
    struct view *views = NULL;
    struct line *given = given_pairs(s, &o, &views);
    pairing_build(&fresh->pairing, t, g, &o);
    fused_parts_find(&fresh->pairing, t, g);
    product_layout_find(&fresh->pairing, t, g);
    cut_places_find(&fresh->pairing, t, g);
    axis_order_vote_find(&fresh->pairing, t, g);
    token_rows_find(&fresh->pairing, t, g);
    packed_verdicts_tell(&fresh->pairing, t, g);
    free(given);
    free(views);
    before = s->rows; /* only this thread sets it; figures are posted to it */
    if (before)
        session_lock(s);
    measure_init(&fresh->measure, t, g, &fresh->pairing, before ? &before->measure : NULL);
    packed_verdicts_measure(&fresh->measure);
    if (r->golden2.path)
        third_run_join(&r->golden2, &fresh->measure);
    if (r->reference.path)
        third_run_join(&r->reference, &fresh->measure);
    if (!before)
        session_lock(s);
    s->rows = fresh;
    s->judged_posts = 0;
    s->want_count = 0;
    s->pairings++;
    session_unlock(s);
    paired_rows_drop(before);
    if (!s->opt.unwatched || s->opt.of.pair_only || fresh->measure.finished == fresh->measure.wanted)
        judge_and_publish(s); /* what recorded figures say is on the screen before the first tensor is read */
    return s->opt.of.pair_only ? 0 : session_start_workers(s, e);
}

/* Judges whenever there are new figures, but not more often than the eye can follow. */
static int watch_results(struct session *s, struct err *e)
{
    int rc = 0;
    session_lock(s);
    while (!s->stop && rc == 0) {
        const struct measure *m = &s->rows->measure;
        if (s->repair) {
            session_unlock(s);
            rc = pair_sides(s, e);
            session_lock(s);
            continue;
        }
        if (s->waits_for_files)
            session_add_workers(s);
        bool partly = s->opt.unwatched && m->finished != m->wanted;
        if (!s->rejudge && (partly || s->judged_posts == m->finished)) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        if (m->finished != m->wanted && !s->rejudge) {
            long until = clock_ms() + JUDGE_EVERY_MS;
            while (!has_urgent_work(s) && m->finished != m->wanted && clock_ms() < until &&
                   clock_wait(&s->changed, &s->lock, (int)(until - clock_ms()) + 1))
                if (s->waits_for_files)
                    session_add_workers(s);
        }
        if (s->stop || s->repair)
            continue;
        session_unlock(s);
        judge_and_publish(s);
        session_lock(s);
    }
    session_unlock(s);
    return rc;
}

static void publish_examined(void *ctx)
{
    session_publish_state(ctx, NULL, false);
}

static void conduct_alone(struct session *s)
{
    const struct dump *d = &s->recordings->side[TARGET].dump;
    struct paired_rows *rows = paired_rows_new(s->recordings);
    pairing_alone(&rows->pairing, d);
    session_lock(s);
    s->rows = rows;
    s->pairings++;
    session_unlock(s);
    session_publish_state(s, NULL, false);
    if (s->opt.examine)
        one_side_run(&rows->examined, d, s->kern, s->opt.workers, &s->watch[0], &s->lock, publish_examined,
                     s);
    session_publish_state(s, NULL, true);
}

static int conduct_session(struct job *j, void *ctx, struct err *e)
{
    struct session *s = ctx;
    (void)j;
    int rc = prepare_session(s, e);
    if (rc == 0 && s->single) {
        conduct_alone(s);
        return 0;
    }
    if (rc == 0) {
        const char *const paths[] = {s->recordings->side[TARGET].dump.path, s->recordings->side[GOLDEN].dump.path};
        s->cache = s->opt.of.pair_only ? NULL : figures_cache_open(s->opt.cache, paths);
        rc = pair_sides(s, e);
    }
    if (rc == 0)
        rc = watch_results(s, e);
    if (rc)
        session_publish_state(s, e, false);
    for (int i = 0; i < s->workers; i++)
        job_wait(&s->worker[i], NULL, NULL, 0);
    if (s->cache)
        cache_close(s->cache);
    return rc;
}

/* ---- outside ---- */

int session_start(struct session *s, const struct session_options *o, struct err *e)
{
    *s = (struct session){.opt = *o, .single = o->of.path[GOLDEN] == NULL};
    s->kern = kern_select(o->cpu);
    if (!s->kern)
        return err_set(e, ERR_USAGE, _("kernel variant \"%s\" is not supported on this machine"), o->cpu);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->recordings = recordings_new(&o->of);
    work_crew_init(&s->crew);
    s->crew.call = session_call_helpers;
    s->crew.ctx = s;
    job_init(&s->conductor, NULL, NULL);
    for (int i = 0; i < 2; i++)
        job_init(&s->loader[i], NULL, NULL);
    for (int i = 0; i < SESSION_WORKERS; i++)
        job_init(&s->worker[i], NULL, NULL);
    if (o->decisions)
        decisions_in_force_read(&s->ruling, o->decisions);
    s->running = true;
    s->conducted = o->of.path[TARGET] != NULL;
    s->settled = !s->conducted;
    struct comparison *c = session_snapshot(s);
    c->complete = s->settled;
    s->now = c;
    if (!s->conducted || job_start(&s->conductor, conduct_session, s) == 0)
        return 0;
    *e = s->conductor.err;
    s->conducted = false;
    session_stop(s);
    return -1;
}

void session_fail(struct session *s, const struct err *why)
{
    session_publish_state(s, why, s->settled);
}

static void ask_to_end(struct session *s)
{
    session_lock(s);
    s->stop = true;
    atomic_store(&s->oracle_cancel, true);
    for (int i = 0; i < 2; i++)
        atomic_store(&s->load[i].cancel, true);
    third_run_cancel(&s->recordings->golden2);
    third_run_cancel(&s->recordings->reference);
    for (int i = 0; i < SESSION_WORKERS; i++)
        atomic_store(&s->watch[i].cancel, true);
    session_announce(s);
    session_unlock(s);
}

void session_leave(struct session *s, int ms)
{
    if (!s->running)
        return;
    ask_to_end(s);
    job_wait_ms(&s->conductor, ms);
}

void session_stop(struct session *s)
{
    if (!s->running)
        return;
    ask_to_end(s);
    job_release(&s->conductor); /* it waits for all others */
    for (int i = 0; i < 2; i++)
        job_release(&s->loader[i]);
    for (int i = 0; i < SESSION_WORKERS; i++)
        job_release(&s->worker[i]);
    decisions_in_force_release(&s->ruling);
    decisions_in_force_release(&s->wanted);
    comparison_drop(s->now);
    paired_rows_drop(s->rows);
    recordings_drop(s->recordings);
    for (int i = 0; i < 2; i++)
        read_failures_release(&s->failed[i]);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    work_crew_release(&s->crew);
    s->running = false;
}

int session_wait(struct session *s, struct err *e)
{
    return session_wait_each(s, NULL, NULL, 1000, e);
}

int session_wait_each(struct session *s, bool (*each)(void *ctx), void *ctx, int ms, struct err *e)
{
    bool on = true;
    long next = clock_ms() + ms;
    session_lock(s);
    while (on && !s->settled && !s->now->failed && !s->paused) {
        clock_wait(&s->changed, &s->lock, ms);
        if (!each || clock_ms() < next)
            continue;
        session_unlock(s);
        on = each(ctx);
        session_lock(s);
        next = clock_ms() + ms;
    }
    bool failed = s->now->failed;
    if (failed)
        *e = s->now->err;
    else if (!on)
        err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    session_unlock(s);
    return failed || !on ? -1 : 0;
}

const struct comparison *session_hold(struct session *s)
{
    session_lock(s);
    const struct comparison *c = comparison_hold(s->now);
    session_unlock(s);
    return c;
}

int session_compare(const struct comparison_options *o, int workers, const struct comparison **out, struct err *e)
{
    struct session *s = mem_zalloc(sizeof *s);
    const struct session_options so = {.of = *o, .workers = workers};
    int rc = session_start(s, &so, e);
    if (rc == 0) {
        rc = session_wait(s, e);
        if (rc == 0)
            *out = comparison_hold(s->now);
        session_stop(s);
    }
    free(s);
    return rc;
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
    if (!s->rows && pause)
        for (int i = 0; i < 2; i++)
            atomic_store(&s->load[i].cancel, true);
    session_announce(s);
}

void session_decide(struct session *s, const struct decisions *d)
{
    decisions_in_force_release(&s->wanted);
    decisions_in_force_read(&s->wanted, d);
    if (s->single || !s->conducted)
        return;
    s->repair = true;
    s->settled = false;
    atomic_store(&s->oracle_cancel, true);
    session_announce(s);
}

void session_set_tol(struct session *s, const struct thresholds *t)
{
    s->opt.of.tol = *t;
    if (s->single || !s->conducted) /* one side has no verdicts */
        return;
    s->rejudge = true;
    s->settled = false;
    atomic_store(&s->oracle_cancel, true);
    session_announce(s);
}
