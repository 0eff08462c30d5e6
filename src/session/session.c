/* The threads of an open comparison: the conductor finds the recordings, starts a reader a side, pairs and judges;
 * workers compute figures. The command line and the screen start one and wait for it. */
#include "session/session.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/msg.h"
#include "dump/computed_figures.h"
#include "dump/computed_sketches.h"
#include "fmt/digest.h"
#include "judge/packed_verdicts.h"
#include "measure/figures_cache.h"
#include "pair/axis_order_vote.h"
#include "pair/fused_parts.h"
#include "dump/tensor_files.h"
#include "judge/table_verdicts.h"
#include "pair/mapping_file.h"
#include "fmt/unreadable.h"
#include "ranks/joined_dump.h"
#include "dump/step_before.h"
#include "fmt/find_recordings.h"

#define JUDGE_EVERY_MS 150
#define ANNOUNCE_EVERY_MS 20

static void announce(struct session *s)
{
    s->version++;
    pthread_cond_broadcast(&s->changed);
}

/* A line's figures are there. Whoever waits for figures is woken for the first after a judgement, for the last, and now
 * and then: to wake all for each of a dump's short tensors takes longer than to compare them. */
static void announce_figures(struct session *s)
{
    const struct measure *m = &s->rows->measure;
    long now = clock_ms();
    if (m->finished != m->wanted && m->finished > s->judged_posts + 1 && now - s->announced_ms < ANNOUNCE_EVERY_MS)
        return;
    s->announced_ms = now;
    announce(s);
}

static void notify(void *ctx)
{
    struct session *s = ctx;
    if (s->opt.notify)
        s->opt.notify(s->opt.ctx);
}

/* ---- publishing ---- */

/* A comparison of what there is now; the lock is held. */
static struct comparison *snapshot(struct session *s)
{
    struct comparison *c = comparison_new(s->recordings, s->rows, &s->opt.of);
    c->single = s->single;
    c->tabled = s->tabled;
    c->pairings = s->pairings;
    return c;
}

/* It becomes the newest; the lock is held. The one before is to be dropped without it. */
static const struct comparison *publish(struct session *s, const struct comparison *c)
{
    const struct comparison *before = s->now;
    s->now = c;
    announce(s);
    return before;
}

/* The same without a judgement: of one side alone, or while sides are read. */
static void publish_state(struct session *s, const struct err *failed, bool complete)
{
    session_lock(s);
    struct comparison *c = snapshot(s);
    c->complete = complete;
    c->serial = c->examined.done;
    if (failed) {
        c->failed = true;
        c->err = *failed;
    }
    s->settled = complete;
    const struct comparison *before = publish(s, c);
    session_unlock(s);
    comparison_drop(before);
    notify(s);
}

/* ---- finding and choosing ---- */

/* Where it is kept what is below which path. */
static struct found_trees *found_of(struct session *s)
{
    return s->opt.of.found ? s->opt.of.found : &s->recordings->found;
}

static int find_side(struct session *s, int i, struct err *e)
{
    struct recording *x = &s->recordings->side[i];
    place_list found = {0};
    if (found_trees_below(found_of(s), x->path, &s->load[i].cancel, &found, &s->failed[i], e))
        return -1;
    if (!found.n && s->failed[i].n)
        return read_failures_error(&s->failed[i], e);
    if (!found.n) {
        struct file f;
        if (path_is_file(x->path) && file_open(&f, x->path, e) == 0) {
            bool empty = !f.size;
            file_close(&f);
            if (empty)
                return err_set(e, ERR_DATA, _("%s: empty file: nothing written, or not yet"), x->path);
        }
        struct buf at = {0};
        const struct unreadable *r = unreadable_find(x->path, &at);
        int rc = r ? unreadable_error(r, at.p, e) : 0;
        buf_release(&at);
        if (rc)
            return rc;
        return err_set(e, ERR_DATA, _("%s: expected a recording of a known format here or below, found none; see "
                                      "`diverge formats`"), x->path);
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

static void list_places(const struct recording *x, struct buf *out)
{
    for (size_t i = 0; i < x->places.n && i < 8; i++)
        buf_fmt(out, _("%sstep %d rank %d"), i ? _(", ") : "", x->places.v[i].step, x->places.v[i].rank);
    if (x->places.n > 8)
        buf_cstr(out, ", …");
}

static bool wanted(const struct session *s, int side, const struct place *p)
{
    return fits(p->step, s->opt.of.step[side]) && fits(p->rank, s->opt.of.rank[side]);
}

/* The first target place with a golden one of the same step and rank; numbers the user gave for a side
 * are met on that side and not compared across. */
static int choose(struct session *s, struct err *e)
{
    struct recording *t = &s->recordings->side[TARGET], *g = &s->recordings->side[GOLDEN];
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
            bool step_free = s->opt.of.step[TARGET] >= 0 && s->opt.of.step[GOLDEN] >= 0;
            bool rank_free = s->opt.of.rank[TARGET] >= 0 && s->opt.of.rank[GOLDEN] >= 0;
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
        list_places(&s->recordings->side[i], &have[i]);
    if (s->single)
        err_set(e, ERR_USAGE, _("%s has no such step and rank; found: %s"), t->path, have[0].p);
    else
        err_set(e, ERR_USAGE, _("no step and rank in common: %s has %s; %s has %s. --step T:G and --rank T:G pair "
                                "different ones"),
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

/* What could not be read while recordings were looked for: of this one, or perhaps of others. */
static void tell_failures(struct dump *d, const read_failures *l)
{
    struct str folder = path_parent(str_of(d->path));
    for (size_t i = 0; i < l->n; i++) {
        struct str at = str_of(l->v[i].path);
        bool own = str_starts(at, d->path) || (folder.n && str_eq(path_parent(at), folder));
        if (own)
            dump_problem(d, NONE, "missing-file", l->v[i].text);
        else
            dump_warn(
                d, arena_fmt(&d->arena, _("%s; a second recording may exist there and was not checked"), l->v[i].text));
    }
}

static bool of_digest(const struct recording *x)
{
    return x->places.v[x->place].reader == &reader_digest;
}

static int load_side(struct job *j, void *ctx, struct err *e)
{
    struct session *s = ctx;
    int side = j == &s->loader[GOLDEN] ? GOLDEN : TARGET;
    struct recording *x = &s->recordings->side[side];
    struct load *load = &s->load[side];
    struct tensor_files files;
    int rc = x->dump.reader->open(&x->dump, load, e);
    if (rc == 0)
        tensor_files_look(&files, &x->dump, &load->cancel);
    if (rc == 0 && !s->single && !s->tabled)
        computed_figures_fill(&x->dump, s->kern, s->opt.workers, load);
    if (rc == 0 && !s->single && of_digest(&s->recordings->side[!side]))
        computed_sketches_fill(&x->dump, s->opt.workers, load); /* all that the other side has of its tensors */
    if (rc == 0 && !s->single)
        dataflow_build(&s->recordings->flow[side], &x->dump); /* nobody else looks before both sides are loaded */
    session_lock(s);
    if (rc == 0)
        tensor_files_warn(&files, &x->dump);
    tell_failures(&x->dump, &s->failed[side]);
    x->extent = extent_of(&x->dump);
    x->dump.complete = rc == 0;
    x->state = rc ? SIDE_FAILED : SIDE_LOADED;
    x->err = *e;
    announce(s);
    session_unlock(s);
    notify(s);
    return rc;
}

static int begin_load(struct session *s, int i, struct err *e)
{
    struct recording *x = &s->recordings->side[i];
    const struct place *p = &x->places.v[x->place];
    struct file_stamp now = file_stamp_of(p->paths.v[0]);
    session_lock(s);
    x->now = now;
    place_set(&x->dump, p);
    if (s->tabled)
        x->dump.column = (uint8_t)i;
    if (s->opt.of.pack)
        x->dump.shown = arena_fmt(&x->dump.arena, "%s/%s", s->opt.of.pack, i == TARGET ? "target" : "golden");
    x->dump.past = s->tabled ? NULL : step_before_of(&x->places, x->place);
    s->load[i].lock = &s->lock;
    s->load[i].progress = notify;
    s->load[i].ctx = s;
    x->state = SIDE_LOADING;
    announce(s);
    session_unlock(s);
    if (job_start(&s->loader[i], load_side, s) == 0)
        return 0;
    *e = s->loader[i].err;
    return -1;
}

static int load_maps(struct session *s, struct err *e)
{
    struct recordings *r = s->recordings;
    size_t n = s->opt.of.map_count;
    r->maps = mem_zalloc((n + 1) * sizeof *r->maps);
    for (size_t i = 0; i < n; i++) {
        r->map_count = i + 1; /* also of one that is read in part */
        if (mapping_load(&r->maps[i], s->opt.of.maps[i], e))
            return -1;
    }
    return 0;
}

/* ---- comparing ---- */

/* The same row of the runs beside: [0] of the second golden run, [1] of the reference. */
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

/* For a worker without a line; the lock is held before and after. */
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
#define TOGETHER 32
#define TOGETHER_BYTES (256 << 10)
#define TOGETHER_MS 4

struct line_work {
    struct measure_job job;
    uint64_t bytes, elements;
    struct figures f;
    struct view view;
    bool viewed;
    struct err e;
    int rc;
    struct companion_errors extra;
};

/* How many there are now; the lock is held. */
static int take_lines(struct session *s, int me, int most, struct line_work *x)
{
    struct measure *m = &s->rows->measure;
    size_t share = (m->wanted - m->finished) / (2 * (size_t)(s->workers ? s->workers : 1)) + 1;
    int n = 0;
    uint64_t bytes = 0, elements = 0;
    most = share < (size_t)most ? (int)share : most;
    while (n < most && bytes < TOGETHER_BYTES && measure_take(m, s->want, s->want_count, &x[n].job)) {
        x[n].job.cache = s->cache;
        x[n].bytes = measure_bytes(m, x[n].job.line);
        x[n].elements = dump_row_numel(m->side[TARGET], x[n].job.row[TARGET]);
        bytes += x[n].bytes;
        elements += x[n++].elements;
    }
    s->bytes[me] = bytes;
    s->numel[me] = elements;
    atomic_store(&s->watch[me].done, 0);
    return n;
}

static void compute_line(struct session *s, int me, struct line_work *x)
{
    const struct dump *const side[2] = {&s->recordings->side[TARGET].dump, &s->recordings->side[GOLDEN].dump};
    struct figures_watch *watch = &s->watch[me];
    x->rc = measure_compute(side, &x->job, s->kern, &x->f, &x->view, &x->viewed, watch, &x->e);
    if (!x->rc)
        measure_companions(s, x->job.row, x->viewed ? &x->view : NULL, watch, &x->extra);
}

/* The lock is held. */
static void post_lines(struct session *s, const struct line_work *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (!x[i].rc)
            post_companions(s, x[i].job.row, &x[i].extra);
        if (!x[i].rc || x[i].e.code != ERR_CANCEL)
            measure_post(&s->rows->measure, &x[i].job, &x[i].f, x[i].viewed ? &x[i].view : NULL,
                         x[i].rc ? &x[i].e : NULL);
    }
    announce_figures(s);
}

static int work(struct job *own, void *ctx, struct err *quiet)
{
    struct session *s = ctx;
    int me = (int)(own - s->worker), most = 1;
    struct line_work *x = mem_alloc(TOGETHER * sizeof *x);
    (void)quiet;
    session_lock(s);
    s->watch[me].crew = &s->crew;
    while (!s->stop) {
        int n = s->paused ? 0 : take_lines(s, me, most, x), posted = 0;
        if (!n) {
            help_or_wait(s);
            continue;
        }
        session_unlock(s);
        long began = clock_ms();
        for (int i = 0; i < n; i++) {
            if (i > posted && x[i].bytes > TOGETHER_BYTES) { /* a long one: those before it do not wait */
                session_lock(s);
                post_lines(s, x + posted, i - posted);
                session_unlock(s);
                posted = i;
            }
            compute_line(s, me, &x[i]);
        }
        long took = clock_ms() - began;
        most = took > TOGETHER_MS ? most / 2 + 1 : most < TOGETHER / 2 ? most * 2 : TOGETHER;
        session_lock(s);
        s->bytes[me] = 0;
        post_lines(s, x + posted, n - posted);
    }
    session_unlock(s);
    free(x);
    notify(s);
    return 0;
}

/* A large tensor is opened to all workers: those that wait for lines are woken. */
static void call_helpers(void *ctx)
{
    struct session *s = ctx;
    session_lock(s);
    pthread_cond_broadcast(&s->changed);
    session_unlock(s);
}

/* As many workers as processors, where there is any work: also a single tensor is shared. Fewer where the system gives
 * no more threads; none at all is an error. */
static int start_workers(struct session *s, struct err *e)
{
    const struct measure *m = &s->rows->measure;
    int n = threads_wanted(s->opt.workers);
    n = n < 1 ? 1 : n > SESSION_WORKERS ? SESSION_WORKERS : n;
    session_lock(s); /* those of an earlier pairing are at work already */
    s->began_ms = clock_ms();
    s->worked_before = m->worked;
    if (m->wanted == m->finished)
        n = 0;
    session_unlock(s);
    int running = s->workers; /* only this thread changes it */
    while (running < n && job_start(&s->worker[running], work, s) == 0)
        running++;
    session_lock(s);
    s->workers = running;
    session_unlock(s);
    if (n == 0 || running)
        return 0;
    *e = s->worker[0].err;
    return -1;
}

/* Whether the conductor has to do something at once. */
static bool asked(const struct session *s)
{
    return s->stop || s->rejudge || s->repair;
}

/* Whether calls are to be recomputed, now that all is judged; the lock is held. */
static bool wants_oracle(struct session *s, bool all)
{
    bool wants = all && s->opt.of.oracle.mode != ORACLE_OFF && !s->opt.of.pair_only && !s->tabled &&
                 !atomic_load(&s->rows->oracle);
    if (wants)
        atomic_store(&s->oracle_cancel, asked(s));
    return wants;
}

/* Which side is wrong, from a judgement of all, published already: takes seconds, without the lock, and ends early
 * where something else is asked for. */
static void ask_oracle(struct session *s, const struct comparison *judged)
{
    struct oracle_options o = s->opt.of.oracle;
    o.workers = s->opt.workers;
    struct oracle *found = oracle_run(&judged->measure, judged->judged, &o, &s->oracle_cancel);
    session_lock(s);
    atomic_store(&judged->rows->oracle, found);
    s->settled = found && !asked(s);
    announce(s);
    session_unlock(s);
    notify(s);
}

static void judge_now(struct session *s)
{
    session_lock(s);
    const struct measure *m = &s->rows->measure;
    size_t posts = m->finished;
    bool all = posts == m->wanted;
    struct comparison *fresh = snapshot(s);
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
    const struct comparison *before = publish(s, fresh);
    session_unlock(s);
    comparison_drop(before);
    notify(s);
    if (asking) {
        ask_oracle(s, fresh);
        comparison_drop(fresh);
    }
}

/* One path, and what lies there is a comparison somebody made: its other columns are the golden side. */
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
    publish_state(s, NULL, false);
}

static int open_companions(struct session *s, struct err *e)
{
    const struct dump *const side[2] = {&s->recordings->side[TARGET].dump, &s->recordings->side[GOLDEN].dump};
    struct third_run *c[] = {&s->recordings->golden2, &s->recordings->reference};
    for (int i = 0; i < 2 && !s->single; i++)
        if (c[i]->path && third_run_open(c[i], found_of(s), side, &s->lock, e))
            return -1;
    return 0;
}

/* While the sides are read. */
static void read_before(struct session *s)
{
    struct recordings *r = s->recordings;
    struct round x;
    struct err e = {0};
    if (!s->opt.before.file || s->single || s->opt.of.pair_only)
        return;
    round_init(&x);
    bool there = round_open(&x, &s->opt.before, &e) == 0;
    if (!there)
        round_release(&x);
    session_lock(s);
    r->before = x;
    r->before_there = there;
    r->before_err = e;
    session_unlock(s);
    publish_state(s, NULL, false);
}

/* Reads both sides, the round before meanwhile. */
static int load_sides(struct session *s, struct err *e)
{
    int sides = s->single ? 1 : 2, rc = 0;
    for (int i = 0; i < sides && rc == 0; i++)
        rc = begin_load(s, i, e);
    if (rc == 0)
        read_before(s);
    for (int i = 0; i < sides; i++) {
        job_wait(&s->loader[i], NULL, NULL, 0);
        if (rc == 0 && s->recordings->side[i].state == SIDE_FAILED) {
            *e = s->recordings->side[i].err;
            rc = -1;
        }
    }
    return rc;
}

static int prepare(struct session *s, struct err *e)
{
    if (find_side(s, TARGET, e))
        return -1;
    open_as_table(s);
    if (!s->single && find_side(s, GOLDEN, e))
        return -1;
    if (choose(s, e) || load_maps(s, e) || load_sides(s, e) || open_companions(s, e))
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

/* Pairs that are given: of a result table, of a pack, or of joined recordings. */
static struct line *given_pairs(const struct session *s, struct pairing_options *o)
{
    const struct dump *t = &s->recordings->side[TARGET].dump, *g = &s->recordings->side[GOLDEN].dump;
    struct line *given = s->tabled
                         ? table_verdicts_pairs(t, g, &o->given_count) : packed_verdicts_pairs(t, g, &o->given_count);
    if (!given)
        given = joined_lines(t, g, &o->given_count);
    if (!given)
        return NULL;
    o->given = given;
    o->map_only = true;
    o->map_count = 0;
    return given;
}

/* Pairs as the decisions of now want it. What was computed before is shared. */
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
    struct line *given = given_pairs(s, &o);
    pairing_build(&fresh->pairing, t, g, &o);
    fused_parts_find(&fresh->pairing, t, g);
    axis_order_vote_find(&fresh->pairing, t, g);
    packed_verdicts_tell(&fresh->pairing, t, g);
    free(given);
    session_lock(s);
    before = s->rows;
    measure_init(&fresh->measure, t, g, &fresh->pairing, before ? &before->measure : NULL);
    packed_verdicts_measure(&fresh->measure);
    if (r->golden2.path)
        third_run_join(&r->golden2, &fresh->measure);
    if (r->reference.path)
        third_run_join(&r->reference, &fresh->measure);
    s->rows = fresh;
    s->judged_posts = 0;
    s->want_count = 0;
    s->pairings++;
    session_unlock(s);
    paired_rows_drop(before);
    judge_now(s); /* what recorded figures say is on the screen before the first tensor is read */
    return s->opt.of.pair_only ? 0 : start_workers(s, e);
}

/* Judges whenever there is something new, but not more often than the eye can follow. */
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
        if (!s->rejudge && s->judged_posts == m->finished) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        if (m->finished != m->wanted && !s->rejudge) {
            long until = clock_ms() + JUDGE_EVERY_MS;
            while (!asked(s) && m->finished != m->wanted && clock_ms() < until &&
                   clock_wait(&s->changed, &s->lock, (int)(until - clock_ms()) + 1))
                continue;
        }
        if (s->stop || s->repair)
            continue;
        session_unlock(s);
        judge_now(s);
        session_lock(s);
    }
    session_unlock(s);
    return rc;
}

static void tell_examined(void *ctx)
{
    publish_state(ctx, NULL, false);
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
    publish_state(s, NULL, false);
    if (s->opt.examine)
        one_side_run(&rows->examined, d, s->kern, threads_wanted(s->opt.workers), &s->watch[0], &s->lock, tell_examined,
                     s);
    publish_state(s, NULL, true);
}

static int conduct(struct job *j, void *ctx, struct err *e)
{
    struct session *s = ctx;
    (void)j;
    int rc = prepare(s, e);
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
        publish_state(s, e, false);
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
        return err_set(e, ERR_USAGE, _("this machine has no kernel variant \"%s\""), o->cpu);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->recordings = recordings_new(&o->of);
    work_crew_init(&s->crew);
    s->crew.call = call_helpers;
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
    struct comparison *c = snapshot(s);
    c->complete = s->settled;
    s->now = c;
    if (!s->conducted || job_start(&s->conductor, conduct, s) == 0)
        return 0;
    *e = s->conductor.err;
    s->conducted = false;
    session_stop(s);
    return -1;
}

void session_fail(struct session *s, const struct err *why)
{
    publish_state(s, why, s->settled);
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
    announce(s);
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
    announce(s);
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
    announce(s);
}

void session_set_tol(struct session *s, const struct thresholds *t)
{
    s->opt.of.tol = *t;
    if (s->single || !s->conducted) /* one side has no verdicts */
        return;
    s->rejudge = true;
    s->settled = false;
    atomic_store(&s->oracle_cancel, true);
    announce(s);
}

/* Nothing is foretold from less than a second and a half. */
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
    for (int i = 0; i < s->workers; i++)
        if (s->bytes[i] && s->numel[i]) {
            double part = (double)atomic_load(&s->watch[i].done) / (double)s->numel[i];
            worked += (double)s->bytes[i] * (part < 1 ? part : 1); /* through a view it may be read twice */
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
