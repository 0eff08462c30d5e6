/* The elements of all parts of a row in memory, the results of joins, and a whole row as a tensor. */
#include "ranks/join_trial.h"

#include <stdlib.h>

#include "base/msg.h"
#include "dump/contradiction.h"
#include "ranks/join_view.h"
#include "ranks/part_values.h"

void parts_let_go(struct held *h)
{
    for (size_t i = 0; h->part && i < h->parts; i++)
        free(h->part[i]);
    free(h->part);
    *h = (struct held){0};
}

static uint64_t whole_row_elements(const struct whole_row *x)
{
    uint64_t n = 1;
    for (int i = 0; i < x->ndim; i++)
        n *= (uint64_t)x->shape[i];
    return n;
}

bool parts_hold(struct held *h, const struct whole_rows *r, const struct whole_row *x)
{
    *h = (struct held){.parts = x->parts.n, .numel = whole_row_elements(x)};
    if (!h->numel || h->numel * x->parts.n > PARTS_HELD_MOST)
        return false;
    h->part = mem_zalloc((h->parts + 1) * sizeof *h->part);
    for (size_t i = 0; i < h->parts; i++) {
        uint64_t n = 0;
        h->part[i] = part_values(&part_dump(r, &x->parts.v[i])->dump, x->parts.v[i].row, &n);
        if (!h->part[i] || n != h->numel) {
            parts_let_go(h);
            return false;
        }
    }
    return true;
}

/* The difference between parts that differ in one step only and the first of them. */
static double spread_along(const struct whole_row *x, const struct held *h, int step)
{
    double most = 0;
    uint32_t stride = 1;
    for (int s = 0; s < step; s++)
        stride *= x->step[s].n;
    for (size_t i = 0; i < h->parts; i++) {
        size_t at = i / stride % x->step[step].n;
        double off = at ? part_distance_finite(h->part[i], h->part[i - at * stride], h->numel) : 0;
        most = off > most ? off : most;
    }
    return most;
}

double candidate_spread(const struct whole_row *x, const struct candidate *c, const struct held *h,
                        struct spreads *known)
{
    double most = 0;
    for (int s = 0; s < x->steps; s++) {
        if (c->step[s].how != JOIN_REPLICA)
            continue;
        if (known->of[s] < 0)
            known->of[s] = spread_along(x, h, s);
        most = known->of[s] > most ? known->of[s] : most;
    }
    return most;
}

/* The size to which a vocabulary axis is cut, or -1. */
static int64_t vocab_of(const struct join_step *step, int steps, const int64_t *shape)
{
    for (int s = 0; s < steps; s++)
        if (step[s].how == JOIN_VOCAB)
            return shape[step[s].axis];
    return -1;
}

/* All elements of a view, which is released. */
static double *values_through(struct joined_view *v, const struct held *h, const int64_t *part_shape, uint64_t *n)
{
    *n = 1;
    for (int i = 0; i < v->ndim; i++)
        *n *= (uint64_t)v->shape[i];
    double *out = mem_alloc(((size_t)*n + 1) * sizeof *out);
    for (uint64_t i = 0; i < *n; i++)
        out[i] = join_view_value(v, h->part, part_shape, i);
    joined_view_release(v);
    return out;
}

double *candidate_values(const struct whole_row *x, const struct candidate *c, const struct held *h, uint64_t *n)
{
    struct joined_view v;
    int64_t vocab = vocab_of(c->step, x->steps, c->shape);
    bool there = join_view(&v, x->shape, x->ndim, c->step, x->steps, c->scale, vocab);
    return there ? values_through(&v, h, x->shape, n) : NULL;
}

bool whole_row_is_sum(const struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].how == JOIN_SUM || x->step[s].how == JOIN_MEAN || x->step[s].how == JOIN_MAX)
            return true;
    return false;
}

const struct shape *whole_row_part_shape(const struct whole_rows *r, const struct whole_row *x)
{
    return dump_row_shape(&part_dump(r, &x->parts.v[0])->dump, x->parts.v[0].row);
}

bool whole_row_view(const struct whole_row *x, const struct shape *part, struct joined_view *v)
{
    return join_view(v, part->dim, part->ndim, x->step, x->steps, x->scale,
                     vocab_of(x->step, x->steps, x->shape)) &&
           (!x->order || join_view_reorder(v, x->order));
}

double *row_values(const struct whole_rows *r, const struct whole_row *x, const struct held *h, uint64_t *n)
{
    struct joined_view v;
    const struct shape *ps = whole_row_part_shape(r, x);
    return whole_row_view(x, ps, &v) ? values_through(&v, h, ps->dim, n) : NULL;
}

bool row_hold(struct held *h, const struct whole_rows *r, const struct whole_row *x)
{
    struct whole_row parts = *x;
    const struct shape *ps = whole_row_part_shape(r, x);
    if (!ps)
        return false;
    parts.ndim = ps->ndim;
    memcpy(parts.shape, ps->dim, (size_t)ps->ndim * sizeof *ps->dim);
    return parts_hold(h, r, &parts);
}

/* Holds a part's file to the figures that its rank recorded, once: those of the whole are computed from the files. */
static int hold_part(const struct whole_rows *r, const struct part_row *p, const struct tensor *t, struct err *e)
{
    const struct rank_dump *x = part_dump(r, p);
    struct side_figures f;
    if (!x->held || !recorded_figures(&x->dump.rows.v[p->row]) || atomic_load(&x->held[p->row]))
        return 0;
    if (figures_one(kern_select(NULL), t, &f, NULL, e) || figures_contradict(&x->dump, p->row, &f, t->file.name, e))
        return -1;
    atomic_store(&x->held[p->row], true);
    return 0;
}

static int part_tensor(const struct whole_rows *r, const struct part_row *p, struct tensor *t, struct err *e)
{
    if (dump_tensor(&part_dump(r, p)->dump, p->row, t, e))
        return -1;
    int rc = hold_part(r, p, t, e);
    if (rc)
        tensor_close(t);
    return rc;
}

int whole_row_tensor(const struct whole_rows *r, const struct whole_row *x, struct tensor *t, struct err *e)
{
    size_t n = x->parts.n, opened = 0;
    if (n == 1 && x->scale == 1 && !x->order)
        return part_tensor(r, &x->parts.v[0], t, e);
    struct tensor *part = mem_zalloc((n + 1) * sizeof *part);
    int rc = 0;
    for (; opened < n && rc == 0; opened += rc == 0)
        rc = part_tensor(r, &x->parts.v[opened], &part[opened], e);
    struct joined_view v;
    const struct shape *ps = whole_row_part_shape(r, x);
    if (rc == 0 && (!ps || !whole_row_view(x, ps, &v)))
        rc = err_set(e, ERR_DATA, _("%s: the parts cannot be joined"), part[0].file.name);
    if (rc == 0)
        rc = joined_open(t, part, n, &v, part[0].file.name, e);
    else
        for (size_t i = 0; i < opened; i++)
            tensor_close(&part[i]);
    free(part);
    return rc;
}
