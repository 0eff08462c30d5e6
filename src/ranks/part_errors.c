/* The error of each part relative to its own part of the other side, through the decided join. */
#include "ranks/join_trial.h"

#include <math.h>
#include <stdlib.h>

#include "ranks/join_view.h"

static uint32_t part_number(const struct joined_view *v, uint64_t at)
{
    uint32_t own = v->with[0];
    for (int i = v->ndim - 1; i >= 0; i--) {
        own += v->part[i] ? v->part[i][at % (uint64_t)v->shape[i]] : 0;
        at /= (uint64_t)v->shape[i];
    }
    return own;
}

/* Errors for one choice of replicas: with `pick` set, of the visible parts. */
static void errors_seen(const struct whole_rows *r, struct whole_row *x, const struct held *own, const double *other,
                        uint64_t count)
{
    struct joined_view v;
    const struct shape *ps = whole_row_part_shape(r, x);
    if (!whole_row_view(x, ps, &v))
        return;
    double *off = mem_zalloc((x->parts.n + 1) * sizeof *off), *all = mem_zalloc((x->parts.n + 1) * sizeof *all);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t p = part_number(&v, i);
        double a = join_view_value(&v, own->part, ps->dim, i), b = other[i];
        a = isfinite(a) ? a : 0;
        b = isfinite(b) ? b : 0;
        off[p] += (a - b) * (a - b);
        all[p] += b * b;
    }
    for (size_t p = 0; p < x->parts.n; p++)
        if (off[p] > 0 || all[p] > 0)
            x->parts.v[p].error = off[p] == 0 ? 0 : (float)(all[p] > 0 ? sqrt(off[p] / all[p]) : 1.0 / 0.0);
    free(off);
    free(all);
    joined_view_release(&v);
}

/* Every choice among replicas is evaluated, so that each part has its error; the worst represents all. */
static void part_errors(struct whole_rows *r, struct whole_row *x, const struct held *own, const double *other,
                        uint64_t count)
{
    uint64_t rounds = 1;
    for (int s = 0; s < x->steps; s++)
        rounds *= x->step[s].how == JOIN_REPLICA ? x->step[s].n : 1;
    for (uint64_t k = 0; k < rounds; k++) {
        uint64_t rest = k;
        for (int s = 0; s < x->steps; s++)
            if (x->step[s].how == JOIN_REPLICA) {
                x->step[s].pick = (uint32_t)(rest % x->step[s].n);
                rest /= x->step[s].n;
            }
        errors_seen(r, x, own, other, count);
    }
    size_t worst = 0;
    for (size_t p = 1; p < x->parts.n; p++)
        if (x->parts.v[p].error > x->parts.v[worst].error)
            worst = p;
    uint32_t stride = 1;
    for (int s = 0; s < x->steps; s++) {
        if (x->step[s].how == JOIN_REPLICA)
            x->step[s].pick = (uint32_t)(worst / stride % x->step[s].n);
        stride *= x->step[s].n;
    }
}

void trial_part_errors(struct deciding *d, const struct trial *t)
{
    for (int s = 1; s >= 0; s--) {
        struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        const struct whole_row *other = &d->side[!s]->rows.v[t->row[!s]];
        struct held own = {0}, theirs = {0};
        if ((x->steps || x->order) && !whole_row_is_sum(x) && row_hold(&own, d->side[s], x) &&
            row_hold(&theirs, d->side[!s], other)) {
            uint64_t n[2] = {1, 0};
            double *value = row_values(d->side[!s], other, &theirs, &n[1]);
            for (int i = 0; i < x->ndim; i++)
                n[0] *= (uint64_t)x->shape[i];
            if (value && n[0] == n[1])
                part_errors(d->side[s], x, &own, value, n[0]);
            free(value);
        }
        parts_let_go(&own);
        parts_let_go(&theirs);
    }
}
