/* Steps one after the other, in each the pairs of ranks one after the other; see job_compare.h. What others may look at is
 * made beside it and put in its place under the lock. */
#include "session/job_compare.h"

#include <stdlib.h>

#include "base/msg.h"

#define LOOK_MS 100 /* between two looks at the comparison at work */

/* ---- which steps and pairs ---- */

static bool step_wanted(const struct job_compare *k, int side, int step)
{
    const int *wanted = k->opt.of.of.step;
    return k->opt.all_steps || wanted[side] < 0 || step == wanted[side] || (side == GOLDEN && wanted[GOLDEN] < 0);
}

static bool has_step(const place_list *l, int step)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].step == step)
            return true;
    return false;
}

/* The next step both sides have behind `after`; false where there is none. */
static bool next_step(const struct job_compare *k, bool begun, int after, int *step)
{
    for (size_t i = 0; i < k->places[TARGET].n; i++) {
        int s = k->places[TARGET].v[i].step;
        if ((!begun || s > after) && step_wanted(k, TARGET, s) && has_step(&k->places[GOLDEN], s) && step_wanted(k, GOLDEN, s)) {
            *step = s;
            return true;
        }
    }
    return false;
}

static size_t count_steps(const struct job_compare *k)
{
    int step = 0;
    size_t n = 0;
    for (bool begun = false; next_step(k, begun, step, &step); begun = true)
        n++;
    return k->opt.all_steps ? n : n > 0;
}

/* A share has every pair whose number modulo workers is the worker. What is another's is noted. */
static bool of_another(struct job_compare *k)
{
    return k->opt.workers && (int)(k->dealt++ % (size_t)k->opt.workers) != k->opt.worker;
}

static struct place place_of(int step, int rank)
{
    return (struct place){.step = step, .rank = rank};
}

/* ---- what others see ---- */

static void begin(struct job_compare *k)
{
    job_compare_lock(k);
}

static void tell(struct job_compare *k)
{
    k->version++;
    job_compare_unlock(k);
    if (k->opt.notify)
        k->opt.notify(k->opt.ctx);
}

static bool cancelled(struct job_compare *k, struct err *e)
{
    if (!atomic_load(&k->watch.cancel))
        return false;
    err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    return true;
}

/* ---- a step is read ---- */

static void tell_read(void *ctx)
{
    struct job_compare *k = ctx;
    begin(k);
    k->progress.read++;
    tell(k);
}

/* The others are compared all the same, each rank with its like: what is missing leaves the joins open. */
static bool note_unread(void *ctx, const struct place *p, const struct err *e)
{
    struct job_compare *k = ctx;
    struct buf b = {0};
    buf_fmt(&b, _("step %d rank %d: %s"), p->step, p->rank, e->text);
    struct read_failure f = {.path = mem_strdup(p->paths.v[0]), .text = b.p};
    struct missing_rank x = {k->reading, p->step, p->rank < 0 ? 0 : p->rank};
    begin(k);
    vec_push(&k->result.failed, f);
    vec_push(&k->missing, x);
    k->open = true;
    tell(k);
    return true;
}

static int load_job(struct job_compare *k, int step, struct joined_job *j, struct err *e)
{
    begin(k);
    k->progress.step = step;
    k->progress.read = k->progress.to_read = k->progress.done = k->progress.ranks = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < k->places[s].n; i++)
            k->progress.to_read += k->places[s].v[i].step == step;
    tell(k);
    for (int s = 0; s < 2; s++) {
        k->reading = s;
        if (rank_set_load_watched(&j->set[s], k->opt.of.of.path[s], &k->places[s], step, &k->watch, e))
            return -1;
        if (!j->set[s].ranks.n)
            return err_set(e, ERR_DATA, _("%s: no rank of step %d could be read"), j->set[s].path, step);
        layout_init(&j->layout[s]);
        if (k->opt.layout[s] && layout_parse(&j->layout[s], str_of(k->opt.layout[s]), e))
            return -1;
        layout_infer(&j->layout[s], &j->set[s]);
    }
    if (cancelled(k, e))
        return -1;
    joined_job_build(j);
    return 0;
}

/* Joined or not, with its rows in the strip. */
static void add_step(struct job_compare *k, struct joined_job *j, bool joined)
{
    struct job_result *r = &k->result;
    struct joined_job **all = mem_alloc((r->steps + 1) * sizeof *all);
    if (r->steps)
        memcpy(all, r->job, r->steps * sizeof *all);
    all[r->steps] = j;
    begin(k);
    struct joined_job **old = r->job;
    r->job = all;
    r->steps++;
    r->joined |= joined;
    k->progress.ranks = j->set[TARGET].ranks.n;
    if (k->opt.live) {
        if (r->steps == 1)
            job_strip_lay(&k->strip, r, UINT32_MAX);
        job_strip_add_step(&k->strip, r, r->steps - 1, true);
        if (!joined)
            job_strip_figures(&k->strip, j, &k->opt.of.of.tol);
        for (size_t i = 0; i < k->missing.n; i++)
            if (k->missing.v[i].step == j->set[TARGET].step)
                job_strip_unread(&k->strip, k->missing.v[i].step, k->missing.v[i].rank);
    }
    tell(k);
    free(old);
}

/* ---- a pair is compared ---- */

static bool before(const struct job_pair *a, const struct job_pair *b)
{
    return a->step != b->step ? a->step < b->step : a->rank[TARGET] < b->rank[TARGET];
}

/* The newest comparison at work takes its place in the result, with what it changes. The lock held. */
static void take(struct job_compare *k, const struct comparison *c, int step, int target, int golden)
{
    struct job_result *r = &k->result;
    if (k->at == SIZE_MAX) {
        struct job_pair p = {.step = step, .rank = {target, golden}, .c = c};
        vec_push(&r->pairs, p);
        for (k->at = r->pairs.n - 1; k->at && before(&p, &r->pairs.v[k->at - 1]); k->at--)
            r->pairs.v[k->at] = r->pairs.v[k->at - 1];
        r->pairs.v[k->at] = p;
    } else {
        comparison_drop(r->pairs.v[k->at].c);
        r->pairs.v[k->at].c = c;
    }
    if (!k->opt.live)
        return;
    job_strip_add_pair(&k->strip, r, k->at);
    vec_release(&r->first.ranks);
    job_find_first(r);
    job_strip_mark_first(&k->strip, r);
}

static void look(struct job_compare *k, struct session *s, int step, int target, int golden)
{
    struct session_progress p;
    session_lock(s);
    session_progress(s, &p);
    session_unlock(s);
    const struct comparison *c = session_hold(s);
    bool fresh = c->judged && c->serial != k->shown;
    begin(k);
    k->progress.share = p.comparing ? p.share : 0;
    if (fresh) {
        k->shown = c->serial;
        take(k, c, step, target, golden);
    }
    tell(k);
    if (!fresh)
        comparison_drop(c);
}

struct looking {
    struct job_compare *k;
    struct session *s;
    int step, target, golden;
};

static bool goes_on(void *ctx)
{
    struct looking *l = ctx;
    if (atomic_load(&l->k->watch.cancel))
        return false;
    look(l->k, l->s, l->step, l->target, l->golden);
    return true;
}

/* What could not be compared in full is no result. */
static void take_back(struct job_compare *k)
{
    struct job_result *r = &k->result;
    if (k->at == SIZE_MAX)
        return;
    begin(k);
    comparison_drop(r->pairs.v[k->at].c);
    memmove(&r->pairs.v[k->at], &r->pairs.v[k->at + 1], (r->pairs.n - k->at - 1) * sizeof *r->pairs.v);
    r->pairs.n--;
    tell(k);
}

/* One comparison run to its end; its place in the result is taken. */
static int compare_places(struct job_compare *k, struct found_trees *found, int step, int target, int golden, struct err *e)
{
    struct session s;
    struct session_options so = k->opt.of;
    so.of.found = found;
    for (int i = 0; i < 2; i++) {
        so.of.step[i] = step;
        so.of.rank[i] = i == TARGET ? target : golden;
    }
    if (cancelled(k, e) || session_start(&s, &so, e))
        return -1;
    struct looking l = {k, &s, step, target, golden};
    k->at = SIZE_MAX;
    k->shown = 0;
    begin(k);
    k->progress.rank = target;
    k->progress.share = 0;
    tell(k);
    int rc = k->wait ? k->wait(&s, k->wait_ctx, e) : session_wait_each(&s, goes_on, &l, LOOK_MS, e);
    if (rc == 0) {
        const struct comparison *c = session_hold(&s);
        begin(k);
        take(k, c, step, target, golden);
        k->progress.done += target < 0 ? k->progress.ranks : 1;
        k->progress.share = 0;
        k->progress.rank = -1;
        tell(k);
    } else {
        take_back(k);
    }
    session_stop(&s);
    return rc;
}

/* The first column where a rank's recorded figures differ; behind all of them where none do. */
static size_t first_difference(const struct job_compare *k, int step, int rank)
{
    const struct job_strip_row *row = job_strip_row_of(&k->strip, step, rank);
    const char *at = row ? strchr(row->cells, strip_looks[STRIP_OTHER_FIGURES].letter) : NULL;
    return at ? (size_t)(at - row->cells) : SIZE_MAX;
}

struct turn {
    size_t first;
    int rank;
};

static int by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->rank - y->rank;
}

static void unread(struct job_compare *k, int step, int rank, const struct err *e)
{
    struct buf b = {0};
    buf_fmt(&b, _("step %d rank %d  not read: %s"), step, rank, e->text);
    struct read_failure f = {.path = mem_strdup(""), .text = b.p};
    begin(k);
    vec_push(&k->result.failed, f);
    if (k->opt.live)
        job_strip_unread(&k->strip, step, rank);
    k->progress.done++;
    tell(k);
}

static void keep_alone(struct job_compare *k, struct joined_job *j)
{
    begin(k);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < j->set[s].ranks.n; i++)
            if (rank_set_find(&j->set[!s], j->set[s].ranks.v[i]->rank) == NONE) {
                struct place p = place_of(j->set[TARGET].step, j->set[s].ranks.v[i]->rank);
                vec_push(&k->result.alone[s], p);
                if (k->opt.live && s == TARGET)
                    job_strip_unread(&k->strip, p.step, p.rank);
            }
    tell(k);
}

/* Each rank with its like; those first whose recorded figures differ earliest, where somebody looks on. */
static int compare_ranks(struct job_compare *k, struct joined_job *j, struct err *e)
{
    int step = j->set[TARGET].step;
    bool compared = false;
    VEC(struct turn) turns = {0};
    keep_alone(k, j);
    for (size_t i = 0; i < j->set[TARGET].ranks.n; i++) {
        struct turn t = {.rank = j->set[TARGET].ranks.v[i]->rank};
        if (rank_set_find(&j->set[GOLDEN], t.rank) == NONE)
            continue;
        if (of_another(k)) {
            struct place p = place_of(step, t.rank);
            vec_push(&k->result.left, p);
            continue;
        }
        t.first = k->opt.live ? first_difference(k, step, t.rank) : 0;
        vec_push(&turns, t);
    }
    if (turns.n)
        qsort(turns.v, turns.n, sizeof *turns.v, by_turn);
    int rc = 0;
    for (size_t i = 0; i < turns.n && rc == 0; i++) {
        compared = true;
        rc = compare_places(k, k->found, step, turns.v[i].rank, turns.v[i].rank, e);
        if (rc && (e->code == ERR_IO || e->code == ERR_DATA)) {
            unread(k, step, turns.v[i].rank, e);
            rc = 0;
        }
    }
    vec_release(&turns);
    if (rc || k->result.pairs.n || k->result.left.n || compared)
        return rc;
    return err_set(e, ERR_USAGE, _("%s and %s have no step and rank in common"), k->opt.of.of.path[0], k->opt.of.of.path[1]);
}

static void ranks_named(const struct rank_set *s, rank_list *out)
{
    for (size_t i = 0; i < s->ranks.n; i++)
        rank_list_add(out, s->ranks.v[i]->rank);
    rank_set_absent(s, 0, out);
}

/* Where a rank is absent or was not read in full, nothing is joined, and what it lacks says nothing: each rank is compared
 * with its like where both jobs have the same ranks, else nothing is. */
static int compare_what_is_there(struct job_compare *k, struct joined_job *j, struct err *e)
{
    rank_list named[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        ranks_named(&j->set[s], &named[s]);
    for (size_t i = 0; i < k->missing.n; i++)
        if (k->missing.v[i].step == j->set[TARGET].step)
            rank_list_add(&named[k->missing.v[i].side], k->missing.v[i].rank);
    bool same = named[0].n == named[1].n && named[0].n && memcmp(named[0].v, named[1].v, named[0].n * sizeof *named[0].v) == 0;
    vec_release(&named[0]);
    vec_release(&named[1]);
    if (same)
        return compare_ranks(k, j, e);
    begin(k);
    for (int s = 0; s < 2; s++)
        if (!rank_set_is_whole(&j->set[s])) {
            struct buf b = {0};
            buf_fmt(&b, _("%s: a rank is not there or was not read in full, so that its parts cannot be joined"), j->set[s].path);
            struct read_failure f = {.path = mem_strdup(""), .text = b.p};
            vec_push(&k->result.failed, f);
        }
    for (size_t i = 0; i < j->set[TARGET].ranks.n && k->opt.live; i++)
        job_strip_unread(&k->strip, j->set[TARGET].step, j->set[TARGET].ranks.v[i]->rank);
    tell(k);
    return 0;
}

/* Collectives and replicas; of `live` beside those of the steps before. */
static void look_beside(struct job_compare *k, struct joined_job *j)
{
    int step = j->set[TARGET].step;
    struct job_result *r = &k->result;
    struct collective_list c[2] = {0};
    struct replica_list x[2] = {0};
    for (int s = 0; s < 2; s++) {
        collectives_find(&c[s], &j->calls[s], s, step);
        replicas_find(&x[s], &j->calls[s], &j->calls[!s], s, step);
    }
    collectives_compare(&c[TARGET], &j->calls[TARGET], &c[GOLDEN], &j->calls[GOLDEN]);
    begin(k);
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < c[s].v.n; i++)
            vec_push(&r->collectives[s].v, c[s].v.v[i]);
        vec_release(&c[s].v);
        vec_push(&k->names, c[s].arena);
        for (size_t i = 0; i < x[s].v.n; i++)
            vec_push(&r->replicas[s].v, x[s].v.v[i]);
        vec_release(&x[s].v);
    }
    if (k->opt.live)
        job_strip_add_beside(&k->strip, r);
    tell(k);
}

static void find_first(struct job_compare *k)
{
    begin(k);
    vec_release(&k->result.first.ranks);
    job_find_first(&k->result);
    if (k->opt.live)
        job_strip_mark_first(&k->strip, &k->result);
    tell(k);
}

static int compare_step(struct job_compare *k, int step, struct err *e)
{
    struct joined_job *j = mem_zalloc(sizeof *j);
    if (load_job(k, step, j, e)) {
        joined_job_release(j);
        free(j);
        return -1;
    }
    bool whole = rank_set_is_whole(&j->set[TARGET]) && rank_set_is_whole(&j->set[GOLDEN]) && !k->open;
    bool joined = whole && !layout_same(&j->layout[TARGET], &j->layout[GOLDEN]);
    if (joined)
        joined_job_decide(j);
    add_step(k, j, joined);
    if (joined && of_another(k)) {
        for (size_t i = 0; i < j->set[TARGET].ranks.n; i++) {
            struct place p = place_of(step, j->set[TARGET].ranks.v[i]->rank);
            vec_push(&k->result.left, p);
        }
        return 0;
    }
    if (!whole)
        return compare_what_is_there(k, j, e);
    if (joined ? compare_places(k, &j->found, step, -1, -1, e) : compare_ranks(k, j, e))
        return -1;
    look_beside(k, j);
    find_first(k);
    return 0;
}

/* ---- all of it ---- */

static bool is_recording(const place_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].reader->table || l->v[i].reader->weights)
            return false;
    return l->n > 0;
}

int job_compare_look(struct job_compare *k, struct err *e)
{
    read_failures failed = {0};
    int rc = 0, step;
    if (k->looked)
        return 0;
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = found_trees_below(k->found, k->opt.of.of.path[i], &k->watch.cancel, &k->places[i], &failed, e);
    bool several = rc == 0 && is_recording(&k->places[TARGET]) && is_recording(&k->places[GOLDEN]) && next_step(k, false, 0, &step) &&
                   (place_list_ranks(&k->places[TARGET], step) > 1 || place_list_ranks(&k->places[GOLDEN], step) > 1);
    begin(k);
    for (size_t i = 0; i < failed.n; i++)
        vec_push(&k->result.failed, failed.v[i]);
    k->open = failed.n > 0; /* ranks that cannot be read leave the layout open */
    k->several = several;
    k->looked = rc == 0;
    k->progress.steps = rc ? 0 : count_steps(k);
    tell(k);
    vec_release(&failed);
    return rc;
}

static int run(struct job_compare *k, struct err *e)
{
    int step = -1, rc = job_compare_look(k, e);
    for (bool begun = false; rc == 0 && next_step(k, begun, step, &step) && (!begun || k->opt.all_steps); begun = true) {
        rc = compare_step(k, step, e);
        begin(k);
        k->progress.steps_done += rc == 0;
        tell(k);
    }
    if (rc == 0)
        find_first(k);
    begin(k);
    k->settled = rc == 0;
    if (rc)
        k->err = *e;
    tell(k);
    return rc;
}

static int run_job(struct job *own, void *ctx, struct err *e)
{
    (void)own;
    return run(ctx, e);
}

void job_compare_init(struct job_compare *k, const struct job_compare_options *o)
{
    *k = (struct job_compare){.opt = *o, .at = SIZE_MAX, .progress.rank = -1};
    k->opt.of.notify = NULL;
    k->opt.of.before = (struct round_place){.file = NULL}; /* it is of one step and rank */
    k->opt.of.of.rank[0] = k->opt.of.of.rank[1] = -1;
    k->result.worker = o->worker;
    k->result.workers = o->workers;
    k->result.first = (struct job_first){.collective = NONE, .replica = NONE};
    k->found = o->found ? o->found : &k->own_found;
    k->watch.each = tell_read;
    k->watch.unread = o->live ? note_unread : NULL;
    k->watch.ctx = k;
    pthread_mutex_init(&k->lock, NULL);
    job_init(&k->job, NULL, NULL);
    k->there = true;
}

int job_compare_start(struct job_compare *k, struct err *e)
{
    if (job_start(&k->job, run_job, k) == 0)
        return 0;
    *e = k->err = k->job.err;
    return -1;
}

int job_compare_run(struct job_compare *k, int (*wait)(struct session *s, void *ctx, struct err *e), void *ctx, struct err *e)
{
    k->wait = wait;
    k->wait_ctx = ctx;
    return run(k, e);
}

void job_compare_cancel(struct job_compare *k)
{
    atomic_store(&k->watch.cancel, true);
}

void job_compare_wait(struct job_compare *k)
{
    if (k->there)
        job_wait(&k->job, NULL, NULL, 0);
}

void job_compare_leave(struct job_compare *k, int ms)
{
    if (!k->there)
        return;
    job_compare_cancel(k);
    job_wait_ms(&k->job, ms);
}

bool job_compare_busy(struct job_compare *k)
{
    return k->there && job_busy(&k->job);
}

void job_compare_release(struct job_compare *k)
{
    if (!k->there)
        return;
    job_compare_cancel(k);
    job_release(&k->job);
    job_strip_release(&k->strip);
    job_result_release(&k->result);
    for (size_t i = 0; i < k->names.n; i++)
        arena_release(&k->names.v[i]);
    vec_release(&k->names);
    vec_release(&k->missing);
    found_trees_release(&k->own_found);
    pthread_mutex_destroy(&k->lock);
    *k = (struct job_compare){.there = false};
}

size_t job_compare_pair(const struct job_compare *k, int step, int rank)
{
    for (size_t i = 0; i < k->result.pairs.n; i++)
        if (k->result.pairs.v[i].step == step && (k->result.pairs.v[i].rank[TARGET] == rank || k->result.pairs.v[i].rank[TARGET] < 0))
            return i;
    return SIZE_MAX;
}

struct joined_job *job_compare_step(const struct job_compare *k, int step)
{
    for (size_t i = 0; i < k->result.steps; i++)
        if (k->result.job[i]->set[TARGET].step == step)
            return k->result.job[i];
    return NULL;
}
