/* Groups the places where two gradients of max pooling differ by the pooling's input values there. */
#include "judge/pool_ties.h"

#include <math.h>
#include <stdlib.h>

#include "judge/pass_rows.h"
#include "measure/element_sample.h"
#include "pair/align_item.h"

/* A place where the gradients differ. */
struct moved {
    size_t channel;
    double seen, t, g;
};

static int by_value(const void *a, const void *b)
{
    const struct moved *x = a, *y = b;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->seen > y->seen) - (x->seen < y->seen);
}

static bool sums_agree(const struct moved *v, size_t n, double limit)
{
    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0, size = 0;
        for (end = i; end < n && by_value(&v[i], &v[end]) == 0; end++) {
            sum += v[end].t - v[end].g;
            size += fabs(v[end].t - v[end].g);
        }
        if (end - i < 2 || !(fabs(sum) <= limit * size))
            return false;
    }
    return n > 0;
}

bool pool_ties_of(const double *t, const double *g, const double *seen, size_t n, size_t plane, double limit)
{
    double largest = 0, off = 0, whole = 0;
    struct moved *v = mem_alloc((n + 1) * sizeof *v);
    size_t moved = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(t[i]), fabs(g[i])));
    for (size_t i = 0; i < n; i++) {
        whole += g[i] * g[i];
        if (fabs(t[i] - g[i]) > limit * largest)
            v[moved++] = (struct moved){i / plane, seen[i], t[i], g[i]};
        else
            off += (t[i] - g[i]) * (t[i] - g[i]);
    }
    if (moved)
        qsort(v, moved, sizeof *v, by_value);
    bool tied = off <= limit * limit * whole && sums_agree(v, moved, limit);
    free(v);
    return tied;
}

/* The input of the pooling whose backward call outputs this row; NONE: it is no such row. */
static uint32_t seen_by(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    const struct call *c = &d->calls.v[r->call];
    if (r->io != IO_OUTPUT || r->kind != ROW_TENSOR || c->phase != PHASE_BACKWARD || c->gradient || c->twin == NONE ||
        !align_item_does(d, r->call, STR("max_pool2d")))
        return NONE;
    uint32_t seen = pass_first_float(d, c->twin, IO_INPUT);
    const struct shape *s = seen == NONE ? NULL : dump_row_shape(d, seen);
    return s && s->ndim > 2 && dump_row_numel(d, seen) == dump_row_numel(d, row) ? seen : NONE;
}

bool pool_ties_explain(const struct measure *m, uint32_t line, double limit)
{
    const struct line *l = &m->pairing->lines.v[line];
    struct element_sample gradient[2] = {{.n = 0}}, seen[2] = {{.n = 0}};
    uint32_t from[2];
    bool fine = true, tied = false;
    for (int s = 0; s < 2 && fine; s++) {
        from[s] = seen_by(m->side[s], l->row[s]);
        fine = from[s] != NONE && element_sample_whole(&gradient[s], m->side[s], l->row[s]) &&
               element_sample_whole(&seen[s], m->side[s], from[s]);
    }
    size_t n = gradient[0].n;
    fine = fine && n == gradient[1].n && n == seen[0].n && n == seen[1].n && n > 0;
    for (int s = 0; s < 2 && fine && !tied; s++) {
        const struct shape *shape = dump_row_shape(m->side[s], from[s]);
        size_t channels = (size_t)(shape->dim[0] * shape->dim[1]);
        tied = channels && n % channels == 0 &&
               pool_ties_of(gradient[0].v[0], gradient[1].v[0], seen[s].v[0], n, n / channels, limit);
    }
    for (int s = 0; s < 2; s++) {
        element_sample_release(&gradient[s]);
        element_sample_release(&seen[s]);
    }
    return tied;
}
