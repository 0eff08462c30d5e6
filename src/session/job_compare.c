/* Steps one after the other, in each the pairs of ranks one after the other; see job_compare.h. What others may look at
 * is made beside it and put in its place under the lock. */
#include "session/job_pairs.h"

#include <stdlib.h>

#include "base/msg.h"
#include "config/settings_layout.h"
#include "fmt/digest.h"
#include "panel/procedure.h"
#include "report/job_merge.h"

/* ---- which steps and pairs ---- */

static bool step_wanted(const struct job_compare *k, int side, int step)
{
    const int *wanted = k->opt.of.of.step;
    return k->opt.all_steps || wanted[side] < 0 || step == wanted[side] || (side == GOLDEN && wanted[GOLDEN] < 0);
}

static bool has_job_step(const place_list *l, int step)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].step == step)
            return true;
    return false;
}

/* The next step after `after` that both sides have; false if there is none. */
static bool next_common_step(const struct job_compare *k, bool begun, int after, int *step)
{
    for (size_t i = 0; i < k->places[TARGET].n; i++) {
        int s = k->places[TARGET].v[i].step;
        if ((!begun || s > after) && step_wanted(k, TARGET, s) && has_job_step(&k->places[GOLDEN], s) &&
            step_wanted(k, GOLDEN, s)) {
            *step = s;
            return true;
        }
    }
    return false;
}

static size_t count_common_steps(const struct job_compare *k)
{
    int step = 0;
    size_t n = 0;
    for (bool begun = false; next_common_step(k, begun, step, &step); begun = true)
        n++;
    return k->opt.all_steps ? n : n > 0;
}

/* ---- a step is read ---- */

static void count_read(void *ctx)
{
    struct job_compare *k = ctx;
    job_change(k);
    k->progress.read++;
    job_changed(k);
}

/* The other ranks are still compared, each with its counterpart: missing ones leave joins open. */
static bool note_unread(void *ctx, const struct place *p, const struct err *e)
{
    struct job_compare *k = ctx;
    struct buf b = {0};
    buf_fmt(&b, _("step %d rank %d: %s"), p->step, p->rank, e->text);
    struct read_failure f = {.path = mem_strdup(p->paths.v[0]), .text = b.p};
    struct missing_rank x = {k->reading, p->step, p->rank < 0 ? 0 : p->rank};
    job_change(k);
    vec_push(&k->result.failed, f);
    vec_push(&k->missing, x);
    k->open = true;
    job_changed(k);
    return true;
}

static int load_job(struct job_compare *k, int step, struct joined_job *j, struct err *e)
{
    job_change(k);
    k->progress.step = step;
    k->progress.read = k->progress.to_read = k->progress.done = k->progress.ranks = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < k->places[s].n; i++)
            k->progress.to_read += k->places[s].v[i].step == step;
    job_changed(k);
    size_t failed = k->result.failed.n, missing = k->missing.n;
    bool open = k->open, some = job_share_load(k, step, j);
    if (!some) { /* all ranks are read anew */
        job_change(k);
        for (; k->result.failed.n > failed; k->result.failed.n--) {
            free(vec_last(&k->result.failed)->path);
            free(vec_last(&k->result.failed)->text);
        }
        k->missing.n = missing;
        k->open = open;
        job_changed(k);
    }
    for (int s = 0; s < 2 && !some; s++) {
        k->reading = s;
        if (rank_set_load_watched(&j->set[s], k->opt.of.of.path[s], &k->places[s], step, k->opt.of.workers,
                                  &k->watch, e))
            return -1;
        if (!j->set[s].ranks.n)
            return k->result.failed.n > failed
                       ? read_failures_error(&k->result.failed, e)
                       : err_set(e, ERR_DATA, _("%s: no rank of step %d could be read"), j->set[s].path, step);
        layout_init(&j->layout[s]);
        if (k->opt.layout[s] && layout_parse(&j->layout[s], str_of(k->opt.layout[s]), e))
            return -1;
        if (k->opt.settings[s])
            settings_layout(&j->layout[s], k->opt.settings[s], (int)j->set[s].ranks.n);
        layout_infer(&j->layout[s], &j->set[s]);
    }
    if (job_cancelled(k, e))
        return -1;
    j->dims = k->opt.dims;
    joined_job_build(j);
    return 0;
}

/* Joined or not, with its rows in the strip. */
static void add_job_step(struct job_compare *k, struct joined_job *j, bool joined)
{
    struct job_result *r = &k->result;
    struct joined_job **all = mem_alloc((r->steps + 1) * sizeof *all);
    if (r->steps)
        memcpy(all, r->job, r->steps * sizeof *all);
    all[r->steps] = j;
    job_change(k);
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
    job_changed(k);
    free(old);
}

/* Collectives and replicas; with `live` added to those of earlier steps. */
static void judge_beside_pairs(struct job_compare *k, struct joined_job *j)
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
    job_change(k);
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
    job_changed(k);
}

static void find_first(struct job_compare *k)
{
    job_change(k);
    vec_release(&k->result.first.ranks);
    job_find_first(&k->result);
    if (k->opt.live)
        job_strip_mark_first(&k->strip, &k->result);
    job_changed(k);
}

static void hand_ranks_on(struct job_compare *k, const struct joined_job *j, bool on)
{
    for (int s = 0; s < 2; s++)
        rank_set_hand_on(&j->set[s], &k->places[s], on);
}

/* A digest holds no elements to join. */
static int refuse_digest(const struct joined_job *j, struct err *e)
{
    for (int s = 0; s < 2; s++)
        if (dump_is_digest(&j->set[s].ranks.v[0]->dump))
            return err_set(e, ERR_USAGE,
                           _("%s is a digest, and the layouts of the two jobs differ: joining shards needs tensors. "
                             "Compare jobs with the same layout, or single ranks (--rank T:G)"),
                           j->set[s].path);
    return 0;
}

/* A row whose record was not read is part of no joined row, so it has no verdict. */
static void tell_unread_rows(struct job_compare *k, const struct joined_job *j)
{
    for (int s = 0; s < 2; s++) {
        size_t n = rank_set_unread_rows(&j->set[s]);
        struct buf b = {0};
        if (!n)
            continue;
        buf_fmt(&b, _("%s: rows that could not be read and were not joined: %zu"), j->set[s].path, n);
        struct read_failure f = {.path = mem_strdup(""), .text = b.p};
        vec_push(&k->result.failed, f);
    }
}

static int compare_step(struct job_compare *k, int step, struct err *e)
{
    struct joined_job *j = mem_zalloc(sizeof *j);
    int rc = load_job(k, step, j, e);
    bool whole = rc == 0 && !k->open && rank_set_is_whole(&j->set[TARGET]) && rank_set_is_whole(&j->set[GOLDEN]);
    bool joined = whole && !layout_same(&j->layout[TARGET], &j->layout[GOLDEN]);
    if (rc == 0 && joined)
        rc = refuse_digest(j, e);
    bool of_another = rc == 0 && joined && job_of_another(k, step, -1, 0);
    if (rc == 0 && joined && (!of_another || !k->opt.rows_alone)) /* the layout tells how many rows fit */
        rc = joined_job_decide(j, e);
    if (rc) {
        joined_job_release(j);
        free(j);
        return -1;
    }
    add_job_step(k, j, joined);
    if (joined) {
        job_change(k);
        tell_unread_rows(k, j);
        job_changed(k);
    }
    if (!whole || !joined)
        hand_ranks_on(k, j, true);
    if (!whole) {
        rc = job_compare_what_is_there(k, j, e);
        hand_ranks_on(k, j, false);
        return rc;
    }
    for (size_t i = 0; of_another && i < j->set[TARGET].ranks.n; i++)
        job_leave(k, step, j->set[TARGET].ranks.v[i]->rank);
    if (!joined)
        rc = job_compare_ranks(k, j, e);
    else if (!of_another)
        rc = job_compare_places(k, &j->found, &(struct twin){{step, step}, {-1, -1}}, e);
    hand_ranks_on(k, j, false);
    if (rc)
        return -1;
    if (!k->opt.rows_alone && !(k->opt.workers && k->opt.worker)) /* share 0 does */
        judge_beside_pairs(k, j);
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
        /* one path: a result table, its own golden side */
        rc = found_trees_below(k->found, k->opt.of.of.path[k->opt.of.of.path[i] ? i : TARGET], &k->watch.cancel,
                               &k->places[i], &failed, e);
    struct err mixed; /* told by the session that opens one of them, and by the job that would join them */
    bool belong = rc == 0;
    for (int i = 0; i < 2 && belong; i++)
        belong = place_list_check(&k->places[i], k->opt.of.of.path[k->opt.of.of.path[i] ? i : TARGET],
                                  k->opt.of.of.step[i], k->opt.of.of.rank[i], &mixed) == 0;
    bool several = belong && is_recording(&k->places[TARGET]) && is_recording(&k->places[GOLDEN]) &&
                   next_common_step(k, false, 0, &step) &&
                   (place_list_ranks(&k->places[TARGET], step) > 1 || place_list_ranks(&k->places[GOLDEN], step) > 1);
    job_change(k);
    for (size_t i = 0; i < failed.n; i++)
        vec_push(&k->result.failed, failed.v[i]);
    k->open = failed.n > 0; /* ranks that cannot be read leave the layout open */
    k->several = several;
    if (rc == 0 && !belong)
        k->strangers = mixed;
    k->looked = rc == 0;
    k->progress.steps = rc ? 0 : count_common_steps(k);
    if (rc == 0 && k->opt.by_rank)
        job_twins_find(k);
    job_changed(k);
    vec_release(&failed);
    return rc;
}

static int compare_steps(struct job_compare *k, struct err *e)
{
    int step = -1, rc = job_compare_look(k, e);
    if (rc == 0 && *k->strangers.text) {
        *e = k->strangers;
        rc = -1;
    }
    bool by_rank = k->opt.by_rank;
    if (rc == 0 && by_rank)
        rc = job_compare_twins(k, e);
    for (bool begun = false;
         rc == 0 && !by_rank && next_common_step(k, begun, step, &step) && (!begun || k->opt.all_steps); begun = true) {
        rc = compare_step(k, step, e);
        k->turn++;
        job_change(k);
        k->progress.steps_done += rc == 0;
        job_changed(k);
    }
    if (rc == 0 && !by_rank && !k->result.steps)
        rc = job_no_common(k, e);
    if (rc == 0 && !by_rank)
        find_first(k);
    job_change(k);
    k->settled = rc == 0;
    if (rc)
        k->err = *e;
    job_changed(k);
    return rc;
}

static int run_job(struct job *own, void *ctx, struct err *e)
{
    (void)own;
    return compare_steps(ctx, e);
}

void job_compare_init(struct job_compare *k, const struct job_compare_options *o)
{
    *k = (struct job_compare){.opt = *o, .at = SIZE_MAX, .progress.rank = -1};
    k->opt.of.notify = NULL;
    k->opt.of.before = (struct round_place){.file = NULL}; /* it is of one step and rank */
    if (!o->by_rank)
        k->opt.of.of.rank[0] = k->opt.of.of.rank[1] = -1;
    k->result.worker = o->worker;
    k->result.workers = o->workers;
    k->result.first = (struct job_first){.collective = NONE, .replica = NONE};
    k->found = o->found ? o->found : &k->own_found;
    k->watch.each = count_read;
    k->watch.unread = note_unread;
    k->watch.ctx = k;
    pthread_mutex_init(&k->lock, NULL);
    job_init(&k->job, NULL, NULL);
    k->there = true;
}

static void mark_beside(void *ctx, const struct job_found *x)
{
    struct job_strip *s = ctx;
    uint32_t column = x->kind == JOB_FOUND_ROW || x->golden ? NONE : job_strip_column(s, x->step, x->order);
    for (size_t i = 0; i < x->ranks->n && column != NONE; i++) {
        struct job_strip_row *row = job_strip_row_of(s, x->step, x->ranks->v[i]);
        if (row)
            job_strip_put(row, column, STRIP_BESIDE);
    }
    struct job_found done = *x;
    job_found_release(&done);
}

void job_compare_of_summary(struct job_compare *k, cJSON *all)
{
    const struct job_compare_options none = {.live = true};
    job_compare_init(k, &none);
    job_summary_take(&k->summary, all);
    job_summary_strip(&k->summary, &k->strip, &k->result.first);
    job_summary_each(&k->summary, &k->strip, mark_beside, &k->strip);
    k->result.joined = k->summary.joined;
    k->settled = k->several = k->looked = true;
    k->version++;
}

int job_compare_start(struct job_compare *k, struct err *e)
{
    if (job_start(&k->job, run_job, k) == 0)
        return 0;
    *e = k->err = k->job.err;
    return -1;
}

int job_compare_run(struct job_compare *k, int (*wait)(struct session *s, void *ctx, struct err *e), void *ctx,
                    struct err *e)
{
    k->wait = wait;
    k->wait_ctx = ctx;
    return compare_steps(k, e);
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

void job_compare_release(struct job_compare *k)
{
    if (!k->there)
        return;
    job_compare_cancel(k);
    job_release(&k->job);
    job_strip_release(&k->strip);
    job_summary_release(&k->summary);
    job_result_release(&k->result);
    for (size_t i = 0; i < k->names.n; i++)
        arena_release(&k->names.v[i]);
    vec_release(&k->names);
    vec_release(&k->missing);
    vec_release(&k->twins);
    found_trees_release(&k->own_found);
    pthread_mutex_destroy(&k->lock);
    *k = (struct job_compare){.there = false};
}

size_t job_compare_pair(const struct job_compare *k, int step, int rank)
{
    for (size_t i = 0; i < k->result.pairs.n; i++)
        if (k->result.pairs.v[i].step == step &&
            (k->result.pairs.v[i].rank[TARGET] == rank || k->result.pairs.v[i].rank[TARGET] < 0))
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

void job_compare_layouts(struct job_compare *k, struct ranks_laid *laid)
{
    memset(laid, 0, 2 * sizeof *laid);
    job_compare_lock(k);
    for (int i = 0; i < 2; i++) {
        const struct joined_job *j = k->result.steps ? k->result.job[0] : NULL;
        if (k->summary.all) {
            laid[i].ranks = job_summary_layout(&k->summary, i, &laid[i].layout);
        } else if (j) {
            laid[i].layout = j->layout[i];
            laid[i].ranks = j->set[i].ranks.n;
        }
    }
    job_compare_unlock(k);
}

int job_compare_status(struct job_compare *k)
{
    job_compare_lock(k);
    int status = k->summary.all          ? job_merged_status(k->summary.all)
                 : k->result.first.found ? 1
                 : k->settled            ? job_status(&k->result)
                                         : -1;
    job_compare_unlock(k);
    return status;
}
