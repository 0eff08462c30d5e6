/* Compares a step's pairs of ranks one after the other, each in its own session, and adds each result. */
#include "session/job_pairs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/msg.h"

#define LOOK_MS 100 /* between two looks at the comparison at work */

bool job_of_another(struct job_compare *k, int step, int rank, size_t number)
{
    if (k->opt.take)
        return !k->opt.take(k->opt.take_ctx, step, rank);
    return k->opt.workers && (k->turn + number) % (size_t)k->opt.workers != (size_t)k->opt.worker;
}

void job_leave(struct job_compare *k, int step, int rank)
{
    struct place p = job_place(step, rank);
    job_change(k);
    vec_push(&k->result.left, p);
    job_changed(k);
}

int job_no_common(const struct job_compare *k, struct err *e)
{
    const char *const *path = k->opt.of.of.path;
    return err_set(e, ERR_USAGE, _("%s and %s have no common step and rank"), path[0], path[path[1] ? 1 : 0]);
}

void job_change(struct job_compare *k)
{
    job_compare_lock(k);
}

void job_changed(struct job_compare *k)
{
    k->version++;
    job_compare_unlock(k);
    if (k->opt.notify)
        k->opt.notify(k->opt.ctx);
}

bool job_cancelled(struct job_compare *k, struct err *e)
{
    if (!atomic_load(&k->watch.cancel))
        return false;
    err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    return true;
}

static bool is_pair_before(const struct job_pair *a, const struct job_pair *b)
{
    return a->step != b->step ? a->step < b->step : a->rank[TARGET] < b->rank[TARGET];
}

/* Puts the newest state of the running comparison into the result and updates what depends on it. Called with the lock
 * held. */
static void take_comparison(struct job_compare *k, const struct comparison *c, const struct twin *x)
{
    struct job_result *r = &k->result;
    if (k->at == SIZE_MAX) {
        struct job_pair p = {.step = x->step[TARGET], .rank = {x->rank[TARGET], x->rank[GOLDEN]}, .c = c};
        vec_push(&r->pairs, p);
        for (k->at = r->pairs.n - 1; k->at && is_pair_before(&p, &r->pairs.v[k->at - 1]); k->at--)
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

static void look_at_session(struct job_compare *k, struct session *s, const struct twin *x)
{
    struct session_progress p;
    session_lock(s);
    session_progress(s, &p);
    session_unlock(s);
    const struct comparison *c = session_hold(s);
    bool fresh = c->judged && c->serial != k->shown;
    job_change(k);
    k->progress.share = p.comparing ? p.share : 0;
    if (fresh) {
        k->shown = c->serial;
        take_comparison(k, c, x);
    }
    job_changed(k);
    if (!fresh)
        comparison_drop(c);
}

struct looking {
    struct job_compare *k;
    struct session *s;
    const struct twin *x;
};

static bool look_while_comparing(void *ctx)
{
    struct looking *l = ctx;
    if (atomic_load(&l->k->watch.cancel))
        return false;
    look_at_session(l->k, l->s, l->x);
    return true;
}

/* A comparison that did not finish is not a result, and one that was passed on need not be kept. */
static void take_pair_back(struct job_compare *k)
{
    struct job_result *r = &k->result;
    if (k->at == SIZE_MAX)
        return;
    job_change(k);
    comparison_drop(r->pairs.v[k->at].c);
    memmove(&r->pairs.v[k->at], &r->pairs.v[k->at + 1], (r->pairs.n - k->at - 1) * sizeof *r->pairs.v);
    r->pairs.n--;
    job_changed(k);
}

int job_compare_places(struct job_compare *k, struct found_trees *found, const struct twin *x, struct err *e)
{
    struct session s;
    struct session_options so = k->opt.of;
    so.of.found = found;
    so.unwatched = k->wait != NULL;
    for (int i = 0; i < 2; i++) {
        so.of.step[i] = x->step[i];
        so.of.rank[i] = x->rank[i];
    }
    if (job_cancelled(k, e) || session_start(&s, &so, e))
        return -1;
    struct looking l = {k, &s, x};
    k->at = SIZE_MAX;
    k->shown = 0;
    job_change(k);
    k->progress.rank = x->rank[TARGET];
    k->progress.share = 0;
    job_changed(k);
    int rc = k->wait ? k->wait(&s, k->wait_ctx, e) : session_wait_each(&s, look_while_comparing, &l, LOOK_MS, e);
    if (rc == 0) {
        const struct comparison *c = session_hold(&s);
        job_change(k);
        take_comparison(k, c, x);
        k->progress.done += x->rank[TARGET] < 0 ? k->progress.ranks : 1;
        k->progress.share = 0;
        k->progress.rank = -1;
        job_changed(k);
    } else {
        take_pair_back(k);
    }
    session_stop(&s);
    if (rc || !k->opt.finished)
        return rc;
    rc = k->opt.finished(k->opt.take_ctx, k->at, e);
    take_pair_back(k); /* it is where it was told */
    return rc;
}

/* The first column in which a rank's recorded figures differ; SIZE_MAX if none do. */
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

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->rank - y->rank;
}

static void add_unread_pair(struct job_compare *k, int step, int rank, const struct err *e)
{
    struct buf b = {0};
    buf_fmt(&b, e->code == ERR_RESOURCE ? _("step %d rank %d  not compared: %s") : _("step %d rank %d  not read: %s"),
            step, rank, e->text);
    struct read_failure f = {.path = mem_strdup(""), .text = b.p};
    job_change(k);
    vec_push(&k->result.failed, f);
    if (k->opt.live)
        job_strip_unread(&k->strip, step, rank);
    k->progress.done++;
    job_changed(k);
    if (k->opt.unread)
        k->opt.unread(k->opt.take_ctx);
}

int job_compare_twin(struct job_compare *k, const struct twin *x, bool first, struct err *e)
{
    int rc = first || memory_left() ? job_compare_places(k, k->found, x, e)
                                    : memory_short(e, _("comparisons of the ranks before"));
    if (rc && (e->code == ERR_IO || e->code == ERR_DATA || (e->code == ERR_RESOURCE && !first))) {
        add_unread_pair(k, x->step[TARGET], x->rank[TARGET], e);
        rc = 0;
    }
    return rc;
}

static void keep_unpaired_ranks(struct job_compare *k, struct joined_job *j)
{
    job_change(k);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < j->set[s].ranks.n; i++)
            if (rank_set_find(&j->set[!s], j->set[s].ranks.v[i]->rank) == NONE) {
                struct place p = job_place(j->set[TARGET].step, j->set[s].ranks.v[i]->rank);
                vec_push(&k->result.alone[s], p);
                if (k->opt.live && s == TARGET)
                    job_strip_unread(&k->strip, p.step, p.rank);
            }
    job_changed(k);
}

int job_compare_ranks(struct job_compare *k, struct joined_job *j, struct err *e)
{
    int step = j->set[TARGET].step;
    bool compared = false;
    bool some = j->set[TARGET].others.n > 0; /* then ranks are their numbers */
    VEC(struct turn) turns = {0};
    keep_unpaired_ranks(k, j);
    job_share_leave_others(k, j);
    for (size_t i = 0; i < j->set[TARGET].ranks.n; i++) {
        struct turn t = {.rank = j->set[TARGET].ranks.v[i]->rank};
        if (rank_set_find(&j->set[GOLDEN], t.rank) == NONE)
            continue;
        t.first = k->opt.live ? first_difference(k, step, t.rank) : 0;
        vec_push(&turns, t);
    }
    vec_sort(&turns, compare_turns);
    int rc = 0;
    for (size_t i = 0; i < turns.n && rc == 0; i++) {
        if (job_of_another(k, step, turns.v[i].rank, some ? (size_t)turns.v[i].rank : i)) {
            job_leave(k, step, turns.v[i].rank);
            continue;
        }
        const struct twin x = {{step, step}, {turns.v[i].rank, turns.v[i].rank}};
        rc = job_compare_twin(k, &x, !compared, e);
        compared = true;
    }
    vec_release(&turns);
    if (rc || k->result.pairs.n || k->result.left.n || compared)
        return rc;
    return job_no_common(k, e);
}

static void ranks_named(const struct rank_set *s, rank_list *out)
{
    for (size_t i = 0; i < s->ranks.n; i++)
        rank_list_add(out, s->ranks.v[i]->rank);
    rank_set_absent(s, rank_set_numbered(s), out);
}

int job_compare_what_is_there(struct job_compare *k, struct joined_job *j, struct err *e)
{
    rank_list named[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        ranks_named(&j->set[s], &named[s]);
    for (size_t i = 0; i < k->missing.n; i++)
        if (k->missing.v[i].step == j->set[TARGET].step)
            rank_list_add(&named[k->missing.v[i].side], k->missing.v[i].rank);
    bool same =
        named[0].n == named[1].n && named[0].n && memcmp(named[0].v, named[1].v, named[0].n * sizeof *named[0].v) == 0;
    vec_release(&named[0]);
    vec_release(&named[1]);
    if (same)
        return job_compare_ranks(k, j, e);
    job_change(k);
    for (int s = 0; s < 2; s++)
        if (!rank_set_is_whole(&j->set[s])) {
            struct buf b = {0};
            buf_fmt(&b, _("%s: shards cannot be joined: a rank is missing or was not read in full"),
                    j->set[s].path);
            struct read_failure f = {.path = mem_strdup(""), .text = b.p};
            vec_push(&k->result.failed, f);
        }
    for (size_t i = 0; i < j->set[TARGET].ranks.n && k->opt.live; i++)
        job_strip_unread(&k->strip, j->set[TARGET].step, j->set[TARGET].ranks.v[i]->rank);
    job_changed(k);
    return 0;
}
