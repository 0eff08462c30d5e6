/* The queue of lines to compare: which come first, what a worker gets, the comparison itself (as stored, reordered,
 * or through a view), and its result put in place. */
#include "measure/measure.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/msg.h"
#include "dump/contradiction.h"
#include "measure/figures_cache.h"

/* Figures are shared by the measures of several pairings. */
struct counted_figures {
    atomic_uint holders;
    struct figures f;
};

static struct counted_figures *count_figures(const struct figures *f)
{
    return (struct counted_figures *)((char *)f - offsetof(struct counted_figures, f));
}

struct figures *figures_keep(const struct figures *f)
{
    struct counted_figures *c = mem_alloc(sizeof *c);
    atomic_init(&c->holders, 1);
    c->f = *f;
    return &c->f;
}

static struct figures *figures_share(struct figures *f)
{
    if (f)
        atomic_fetch_add_explicit(&count_figures(f)->holders, 1, memory_order_relaxed);
    return f;
}

static void figures_drop(struct figures *f)
{
    if (f && atomic_fetch_sub_explicit(&count_figures(f)->holders, 1, memory_order_acq_rel) == 1)
        free(count_figures(f));
}

/* Two tensors whose elements can be laid on each other one by one, as they are or through the pair's view. */
static bool line_is_comparable(const struct measure *m, const struct line *l)
{
    if (l->row[TARGET] == NONE || l->row[GOLDEN] == NONE || !dump_row_readable(m->side[TARGET], l->row[TARGET]) ||
        !dump_row_readable(m->side[GOLDEN], l->row[GOLDEN]))
        return false;
    uint64_t t = dump_row_numel(m->side[TARGET], l->row[TARGET]), g = dump_row_numel(m->side[GOLDEN], l->row[GOLDEN]);
    return t > 0 && g > 0 && (t == g || m->pairing->pairs.v[l->pair].view != NONE);
}

static int side_alone(const uint32_t row[2])
{
    return row[GOLDEN] == NONE ? TARGET : row[TARGET] == NONE ? GOLDEN : -1;
}

/* A row without a partner whose file can be held to the figures that were recorded of it. */
static bool line_is_checkable(const struct measure *m, const struct line *l)
{
    int s = side_alone(l->row);
    if (s < 0 || !m->side[!s]->rows.n || !dump_row_readable(m->side[s], l->row[s]))
        return false;
    if (m->side[s]->given) /* its parts are held to what was recorded of them when they are opened */
        return true;
    return recorded_figures(&m->side[s]->rows.v[l->row[s]]);
}

/* The view the user or the layout of a fused tensor gives the pair, or NULL. */
static const struct view *given_view(const struct measure *m, const struct line *l)
{
    uint32_t v = l->pair == NONE ? NONE : m->pairing->pairs.v[l->pair].view;
    return v == NONE ? NULL : &m->pairing->views.v[v];
}

/* One copy of each view: there are few. */
static const struct view *keep_view(struct measure *m, uint32_t line, const struct view *v)
{
    if (line && view_same(m->view[line - 1], v))
        return m->view[line - 1];
    struct view *kept = arena_alloc(&m->arena, sizeof *kept);
    *kept = *v;
    return kept;
}

static void take_over(struct measure *m, uint32_t line, const struct measure *old)
{
    const struct pairing *before = old->pairing;
    const struct line *l = &m->pairing->lines.v[line];
    int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    uint32_t at = before->line_of[s][l->row[s]];
    for (; at != NONE && at < before->lines.n && before->lines.v[at].row[s] == l->row[s]; at++) {
        const struct line *o = &before->lines.v[at];
        uint32_t v = o->pair == NONE ? NONE : before->pairs.v[o->pair].view;
        if (o->row[!s] != l->row[!s] || !view_same(given_view(m, l), v == NONE ? NULL : &before->views.v[v]) ||
            old->state[at] == MEASURE_WAITING || old->state[at] == MEASURE_RUNNING)
            continue;
        m->state[line] = old->state[at];
        m->figures[line] = figures_share(old->figures[at]);
        m->view[line] = old->view[at] ? keep_view(m, line, old->view[at]) : NULL;
        m->failure[line] = old->failure[at] ? arena_cstr(&m->arena, str_of(old->failure[at])) : NULL;
        m->finished++;
        m->worked += measure_bytes(m, line);
        return;
    }
}

uint64_t measure_bytes(const struct measure *m, uint32_t line)
{
    return m->bytes ? m->bytes[line] : 0;
}

static uint64_t bytes_of(const struct measure *m, const struct line *l)
{
    uint64_t n = 0;
    for (int s = 0; s < 2; s++)
        if (l->row[s] != NONE)
            n += dump_row_numel(m->side[s], l->row[s]) * dtype_table[m->side[s]->rows.v[l->row[s]].dtype].size;
    return n;
}

void measure_init(struct measure *m, const struct dump *target, const struct dump *golden,
                  const struct pairing *p, const struct measure *old)
{
    size_t n = p->lines.n;
    *m = (struct measure){
        .side = {target, golden},
        .pairing = p,
        .lines = n,
        .state = mem_zalloc(n + 1),
    };
    for (size_t i = 0; i < n; i++)
        if (line_is_comparable(m, &p->lines.v[i]) || line_is_checkable(m, &p->lines.v[i])) {
            m->state[i] = MEASURE_WAITING;
            m->wanted++;
            if (!m->bytes)
                m->bytes = mem_zalloc((n + 1) * sizeof *m->bytes);
            m->bytes[i] = bytes_of(m, &p->lines.v[i]);
            m->work += m->bytes[i];
        }
    if (m->wanted) { /* statistics dumps do not pay for these */
        m->figures = mem_zalloc((n + 1) * sizeof *m->figures);
        m->failure = mem_zalloc((n + 1) * sizeof *m->failure);
        m->view = mem_zalloc((n + 1) * sizeof *m->view);
    }
    if (!old)
        return;
    m->round = old->round + 1;
    for (size_t i = 0; i < n && old->figures; i++)
        if (m->state[i] == MEASURE_WAITING)
            take_over(m, (uint32_t)i, old);
}

void measure_release(struct measure *m)
{
    for (size_t i = 0; m->figures && i < m->lines; i++)
        figures_drop(m->figures[i]);
    free(m->bytes);
    free(m->figures);
    free(m->failure);
    free(m->view);
    free(m->state);
    arena_release(&m->arena);
    *m = (struct measure){0};
}

/* A job for a line, by a view or by none: a view is large, and left as it is where there is none. */
static void make_job(struct measure_job *job, const struct measure *m, uint32_t line, const struct view *v)
{
    const struct line *l = &m->pairing->lines.v[line];
    job->line = line;
    job->round = m->round;
    job->row[TARGET] = l->row[TARGET];
    job->row[GOLDEN] = l->row[GOLDEN];
    job->bytes = measure_bytes(m, line);
    job->cache = NULL;
    job->given = v != NULL;
    if (v)
        job->view = *v;
}

bool measure_take(struct measure *m, const uint32_t *want, size_t n, struct measure_job *job)
{
    uint32_t found = NONE;
    for (size_t i = 0; i < n && found == NONE; i++)
        if (want[i] < m->lines && m->state[want[i]] == MEASURE_WAITING)
            found = want[i];
    for (; found == NONE && m->next < m->lines; m->next++)
        if (m->state[m->next] == MEASURE_WAITING)
            found = (uint32_t)m->next;
    if (found == NONE)
        return false;
    m->state[found] = MEASURE_RUNNING;
    make_job(job, m, found, given_view(m, &m->pairing->lines.v[found]));
    return true;
}

/* Flat first; where that fails and the shapes differ, in the order of axes that makes the sides meet. */
static int compare_elements(struct tensor *t, struct tensor *g, const struct kern *k, struct figures *out,
                            struct view *view, bool *viewed, struct figures_watch *watch, struct err *e)
{
    if (figures_two(k, t, g, out, watch, e))
        return -1;
    if (!axis_order_needed(t, g))
        return 0;
    *view = (struct view){.side = GOLDEN};
    *viewed = true;
    struct view found;
    int rc = axis_order_search(t, g, out, &found, e);
    if (rc <= 0)
        return rc;
    *view = found;
    return view_apply(view, view->side == TARGET ? t : g, e) ? -1 : figures_two(k, t, g, out, watch, e);
}

/* Computes through the pair's own view: a view that does not match the shapes, or gives unequal counts, is reported and
 * not computed. */
static int compare_through(const struct view *v, struct tensor *t, struct tensor *g, const struct kern *k,
                           struct figures *out, struct figures_watch *watch, struct err *e)
{
    struct tensor *viewed = v->side == TARGET ? t : g, *other = v->side == TARGET ? g : t;
    if (view_apply(v, viewed, e))
        return -1;
    if (viewed->numel != other->numel)
        return err_set(e, ERR_DATA, _("element counts after the view: %llu and "
                                      "%llu"), (unsigned long long)viewed->numel,
                       (unsigned long long)other->numel);
    return figures_two(k, t, g, out, watch, e);
}

/* A row without a partner: its file is held to what was recorded of it. */
static int check_alone(const struct dump *d, uint32_t row, const struct kern *k, struct side_figures *out,
                       struct figures_watch *watch, struct err *e)
{
    struct tensor t;
    if (dump_tensor(d, row, &t, e))
        return -1;
    bool read = sealed_verify(&t.file, &t.sealed, e) == 0 && figures_one(k, &t, out, watch, e) == 0;
    int rc = read && !figures_contradict(d, row, out, t.file.name, e) ? 0 : -1;
    tensor_close(&t);
    return rc;
}

bool measure_is_of_one(const struct measure_job *job)
{
    return side_alone(job->row) >= 0;
}

int measure_compute(const struct dump *const side[2], const struct measure_job *job, const struct kern *k,
                    struct figures *out, struct view *view, bool *viewed, struct figures_watch *watch, struct err *e)
{
    struct tensor t[2];
    int alone = side_alone(job->row);
    *viewed = job->given;
    if (alone >= 0)
        return check_alone(side[alone], job->row[alone], k, &out->side[alone], watch, e);
    *view = job->view;
    if (dump_tensor(side[TARGET], job->row[TARGET], &t[TARGET], e))
        return -1;
    int rc = dump_tensor(side[GOLDEN], job->row[GOLDEN], &t[GOLDEN], e);
    if (rc == 0) {
        struct figures_cache known;
        figures_cache_start(&known, job->cache, t, job->given ? &job->view : NULL);
        if (!figures_cache_get(&known, out, view, viewed)) {
            if (sealed_verify(&t[TARGET].file, &t[TARGET].sealed, e) ||
                sealed_verify(&t[GOLDEN].file, &t[GOLDEN].sealed, e))
                rc = -1; /* what the cache has was verified then */
            else
                rc = job->given ? compare_through(view, &t[TARGET], &t[GOLDEN], k, out, watch, e)
                                : compare_elements(&t[TARGET], &t[GOLDEN], k, out, view, viewed, watch, e);
            if (rc == 0)
                figures_cache_keep(&known, out, view, *viewed);
        }
        for (int s = 0; s < 2 && rc == 0; s++)
            if (figures_contradict(side[s], job->row[s], &out->side[s], t[s].file.name, e))
                rc = -1;
        tensor_close(&t[GOLDEN]);
    }
    tensor_close(&t[TARGET]);
    return rc;
}

int measure_open_job(const struct dump *const side[2], const struct measure_job *job, struct tensor t[2], struct err *e)
{
    if (dump_tensor(side[TARGET], job->row[TARGET], &t[TARGET], e))
        return -1;
    if (dump_tensor(side[GOLDEN], job->row[GOLDEN], &t[GOLDEN], e)) {
        tensor_close(&t[TARGET]);
        return -1;
    }
    int rc = job->given ? view_apply(&job->view, &t[job->view.side], e) : 0;
    if (rc == 0 && t[TARGET].numel != t[GOLDEN].numel)
        rc = err_set(e, ERR_DATA, _("%s: the file has fewer elements than the shape"), t[TARGET].file.name);
    for (int d = 0; rc && d < 2; d++)
        tensor_close(&t[d]);
    return rc;
}

int measure_open(const struct measure *m, uint32_t line, struct tensor t[2], struct err *e)
{
    struct measure_job job;
    make_job(&job, m, line, measure_view(m, line));
    return measure_open_job(m->side, &job, t, e);
}

bool measure_how(const struct measure *m, uint32_t line, struct measure_job *job)
{
    if (line >= m->lines || m->state[line] == MEASURE_NONE || m->state[line] == MEASURE_FAILED)
        return false;
    const struct line *l = &m->pairing->lines.v[line];
    if (side_alone(l->row) >= 0)
        return false;
    const struct view *v = m->state[line] == MEASURE_DONE ? measure_view(m, line) : given_view(m, l);
    if (m->state[line] != MEASURE_DONE && !v) { /* an order of axes is looked for where shapes differ */
        if (!shape_same(dump_row_shape(m->side[TARGET], l->row[TARGET]),
                        dump_row_shape(m->side[GOLDEN], l->row[GOLDEN])))
            return false;
    }
    make_job(job, m, line, v);
    return true;
}

const struct view *measure_view(const struct measure *m, uint32_t line)
{
    return m->view && m->state[line] == MEASURE_DONE ? m->view[line] : NULL;
}

const struct figures *measure_figures(const struct measure *m, uint32_t line)
{
    return m->figures && m->state[line] == MEASURE_DONE ? m->figures[line] : NULL;
}

double measure_distance(const struct measure *m, uint32_t line)
{
    const struct figures *f = measure_figures(m, line);
    return f && f->two && !f->masked ? f->rel_l2 * f->side[GOLDEN].norm : NAN;
}

void measure_post(struct measure *m, const struct measure_job *job, struct figures *f, const struct view *view,
                  const struct err *e)
{
    uint32_t line = job->line;
    if (job->round != m->round) {
        figures_drop(f);
        return;
    }
    m->finished++;
    m->worked += job->bytes;
    if (e) {
        m->failure[line] = arena_cstr(&m->arena, str_of(e->text));
        m->state[line] = MEASURE_FAILED;
        return;
    }
    if (measure_is_of_one(job)) {
        m->state[line] = MEASURE_NONE;
        return;
    }
    m->figures[line] = f;
    m->view[line] = view ? keep_view(m, line, view) : NULL;
    m->state[line] = MEASURE_DONE;
}
