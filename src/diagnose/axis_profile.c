/* Sums a deviation by the indices of one axis and searches the step between few deviating indices and the rest. */
#include "diagnose/axis_profile.h"

#include <math.h>
#include <stdlib.h>

#define AXIS_MOST 65536

void axis_profile_release(struct axis_profile *x)
{
    free(x->rel2);
    free(x->in);
    x->rel2 = NULL;
    x->in = NULL;
}

static int by_size_down(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The largest step between the sorted errors of indices, within the first half: indices before it deviate. */
static double find_step(const struct axis_profile *x, int64_t seen)
{
    double *sorted = mem_alloc((size_t)x->n * sizeof(double)), limit = INFINITY, widest = 0;
    memcpy(sorted, x->rel2, (size_t)x->n * sizeof(double));
    qsort(sorted, (size_t)x->n, sizeof(double), by_size_down);
    for (int64_t i = 0; i * 2 + 2 <= seen && sorted[i] > 0; i++) {
        double step = sorted[i] / fmax(sorted[i + 1], 1e-12 * sorted[0]);
        if (step > widest) {
            widest = step;
            limit = sorted[i];
        }
    }
    free(sorted);
    return limit;
}

bool axis_profile_find(struct axis_profile *x, const struct element_sample *s, int axis, float level)
{
    *x = (struct axis_profile){.n = s->shape[axis]};
    uint64_t step = 1;
    if (x->n < 2 || x->n > AXIS_MOST || !(s->g2 > 0) || !(s->dev2 > 0))
        return false;
    for (int i = axis + 1; i < s->ndim; i++)
        step *= (uint64_t)s->shape[i];
    double *g2 = mem_zalloc((size_t)x->n * sizeof(double)), *dev2 = mem_zalloc((size_t)x->n * sizeof(double));
    x->rel2 = mem_zalloc((size_t)x->n * sizeof(double));
    x->in = mem_zalloc((size_t)x->n);
    for (size_t i = 0; i < s->n; i++) {
        if (!element_sample_pair(s, i))
            continue;
        size_t at = (size_t)((s->at ? s->at[i] : i) / step % (uint64_t)x->n);
        double d = s->v[0][i] - s->v[1][i];
        dev2[at] += d * d;
        g2[at] += s->v[1][i] * s->v[1][i];
    }
    int64_t seen = 0;
    for (int64_t i = 0; i < x->n; i++) {
        x->rel2[i] = dev2[i] / (g2[i] + 0.01 * s->g2 / (double)x->n);
        seen += g2[i] > 0 || dev2[i] > 0;
    }
    double limit = find_step(x, seen), sum[2][2] = {{0}};
    for (int64_t i = 0; i < x->n; i++) {
        x->in[i] = x->rel2[i] >= limit;
        x->hit += x->in[i];
        sum[x->in[i]][0] += dev2[i];
        sum[x->in[i]][1] += g2[i];
    }
    free(g2);
    free(dev2);
    double inside = sum[1][0] / fmax(sum[1][1], 1e-300), outside = sum[0][1] > 0 ? sum[0][0] / sum[0][1] : INFINITY;
    double noise = 2 * (double)level;
    x->held = sum[1][0] / s->dev2;
    /* not only because these indices have the large values: the others must agree better relative to their own size
     * too */
    x->some = x->hit > 0 && x->hit * 2 <= seen && outside <= 0.04 * inside &&
              (x->held >= 0.99 || (x->held >= 0.8 && outside <= noise * noise));
    return true;
}
