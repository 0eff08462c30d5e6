/* Recomputes normalisations from the input and finds the one that gives the recorded output. */
#include "diagnose/norm_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define GROUPS_MOST    64      /* the most groups tried for a group norm */
#define LINE_LEAST     3        /* the fewest values per channel for fitting a line */
#define LINES_SPARE    12      /* values needed beyond those for the lines: fewer fit by chance */
#define WEIGHTS_OFFSET 2    /* weights as given, and one more (1 + w) */

/* Sums over values normalised together. With y = b + w z / √(v + ε), and per group A = Σ(wz)², B = Σ(wz)(y−b), C =
 * Σ(y−b)², the error is C − 2B s + A s², s = 1/√(v + ε). */
struct group_sums {
    double v, a, b, c;
};

static size_t lines_over(const struct norm_data *d)
{
    return d->ndim < 2 ? 1 : d->n / (size_t)(d->shape[0] * d->shape[1]);
}

/* The group and the weight of an element. */
struct norm_layout {
    size_t groups, inner; /* inner: number of elements after the second axis */
    size_t channels, per_group;
    bool last;            /* over the last axis */
};

static struct norm_layout layout_of(const struct norm_data *d, enum norms_format kind, int64_t groups)
{
    struct norm_layout l = {.last = kind == NORM_RMS || kind == NORM_LAYER};
    if (l.last) {
        l.channels = (size_t)d->shape[d->ndim - 1];
        l.groups = d->n / l.channels;
        return l;
    }
    l.inner = lines_over(d);
    l.channels = (size_t)d->shape[1];
    l.per_group = kind == NORM_GROUP ? l.channels / (size_t)groups : 1;
    l.groups = kind == NORM_GROUP     ? (size_t)(d->shape[0] * groups)
               : kind == NORM_CHANNEL ? d->n / l.channels
                                      : l.channels;
    return l;
}

static void place_of_element(const struct norm_layout *l, enum norms_format kind, size_t i, size_t *group,
                             size_t *channel)
{
    if (l->last) {
        *group = i / l->channels;
        *channel = i % l->channels;
        return;
    }
    size_t sample = i / (l->inner * l->channels);
    *channel = i / l->inner % l->channels;
    *group = kind == NORM_CHANNEL ? sample * l->inner + i % l->inner
             : kind == NORM_GROUP ? sample * (l->channels / l->per_group) + *channel / l->per_group
                                  : *channel;
}

static void take_moments(const struct norm_data *d, const struct norm_layout *l, enum norms_format kind,
                         const double *x, double *mean, double *var)
{
    size_t group, channel, count = d->n / l->groups;
    for (size_t g = 0; g < l->groups; g++)
        mean[g] = var[g] = 0;
    for (size_t i = 0; i < d->n && kind != NORM_RUNNING; i++) {
        place_of_element(l, kind, i, &group, &channel);
        mean[group] += kind == NORM_RMS ? 0 : x[i] / (double)count;
    }
    for (size_t i = 0; i < d->n && kind != NORM_RUNNING; i++) {
        place_of_element(l, kind, i, &group, &channel);
        var[group] += (x[i] - mean[group]) * (x[i] - mean[group]) / (double)count;
    }
    for (size_t g = 0; g < l->groups && kind == NORM_RUNNING; g++) {
        mean[g] = d->mean[g];
        var[g] = d->variance[g];
    }
}

/* The sums of every group; the caller frees them. */
static struct group_sums *sums_of(const struct norm_data *d, enum norms_format kind, int64_t groups, enum dtype rounded,
                                  int more, size_t *count)
{
    struct norm_layout l = layout_of(d, kind, groups);
    struct group_sums *s = mem_zalloc((l.groups + 1) * sizeof *s);
    double *x = mem_alloc((d->n + 1) * sizeof(double)), *mean = mem_alloc((l.groups + 1) * sizeof(double)),
           *var = mem_alloc((l.groups + 1) * sizeof(double));
    size_t group, channel;
    for (size_t i = 0; i < d->n; i++)
        x[i] = rounded ? dtype_round(rounded, d->x[i]) : d->x[i];
    take_moments(d, &l, kind, x, mean, var);
    for (size_t i = 0; i < d->n; i++) {
        place_of_element(&l, kind, i, &group, &channel);
        double z = (x[i] - mean[group]) * (d->weight ? d->weight[channel] + more : 1),
               y = d->y[i] - (d->bias ? d->bias[channel] : 0);
        s[group].a += z * z;
        s[group].b += z * y;
        s[group].c += y * y;
    }
    for (size_t g = 0; g < l.groups; g++)
        s[g].v = var[g];
    free(x);
    free(mean);
    free(var);
    *count = l.groups;
    return s;
}

static double left_at(const struct group_sums *s, size_t n, double epsilon)
{
    double left = 0;
    for (size_t g = 0; g < n; g++) {
        double k = s[g].v + epsilon > 0 ? 1 / sqrt(s[g].v + epsilon) : 0;
        left += fmax(0, s[g].c - 2 * s[g].b * k + s[g].a * k * k);
    }
    return left;
}

/* Finds the epsilon with the smallest residual: half decades first, then a golden-section search around the best. */
static double best_epsilon(const struct group_sums *s, size_t n, double *left2)
{
    double best = 0;
    *left2 = left_at(s, n, 0);
    for (int i = -26; i <= -2; i++) {
        double left = left_at(s, n, pow(10, i * 0.5));
        if (left < *left2) {
            *left2 = left;
            best = i * 0.5;
        }
    }
    if (best == 0)
        return 0;
    double low = best - 0.5, high = best + 0.5;
    for (int i = 0; i < 48; i++) {
        double a = high - 0.61803398874989 * (high - low), b = low + 0.61803398874989 * (high - low);
        if (left_at(s, n, pow(10, a)) < left_at(s, n, pow(10, b)))
            high = b;
        else
            low = a;
    }
    *left2 = left_at(s, n, pow(10, (low + high) / 2));
    return pow(10, (low + high) / 2);
}

static bool format_is_possible(const struct norm_data *d, enum norms_format kind, int64_t groups)
{
    bool last = kind == NORM_RMS || kind == NORM_LAYER, params = d->weight || d->bias || d->mean;
    size_t width = d->ndim < (last ? 1 : 2) ? 0 : (size_t)d->shape[last ? d->ndim - 1 : 1];
    if (width < (last ? 2 : 1) || (params && d->width != width))
        return false;
    if (kind == NORM_RUNNING)
        return d->mean && d->variance;
    if (kind == NORM_GROUP)
        return groups <= (int64_t)width && (int64_t)width % groups == 0 && d->n / (size_t)(d->shape[0] * groups) >= 2;
    if (kind == NORM_CHANNEL)
        return d->ndim >= 3 && width >= 2;
    return last || d->n / width >= 2;
}

static void try_one(const struct norm_data *d, struct norm_fit f, struct norm_fit *best)
{
    size_t n;
    if (!format_is_possible(d, f.kind, f.groups))
        return;
    for (int more = 0; more < (d->weight ? WEIGHTS_OFFSET : 1); more++) {
        struct group_sums *s = sums_of(d, f.kind, f.groups, f.rounded, more, &n);
        f.epsilon = best_epsilon(s, n, &f.left2);
        free(s);
        if (f.left2 < best->left2)
            *best = f;
    }
}

/* The sum of squared residuals of a straight line through the points. */
static double left_of_line(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xx > 0 ? fmax(0, yy - xy * xy / xx) : yy;
}

/* The residual of a line through each channel's values: unrecorded running statistics cannot do better. */
static double left_of_lines(const struct norm_data *d)
{
    struct norm_layout l = layout_of(d, NORM_BATCH, 0);
    double *x = mem_alloc((d->n / l.channels + 1) * sizeof(double)),
           *y = mem_alloc((d->n / l.channels + 1) * sizeof(double)), left = 0;
    for (size_t c = 0; c < l.channels; c++) {
        size_t n = 0;
        for (size_t from = c * l.inner; from < d->n; from += l.channels * l.inner)
            for (size_t i = from; i < from + l.inner; i++, n++) {
                x[n] = d->x[i];
                y[n] = d->y[i];
            }
        left += left_of_line(x, y, n);
    }
    free(x);
    free(y);
    return left;
}

bool norm_fit(const struct norm_data *a, double most2, struct norm_fit *out)
{
    static const enum dtype grains[] = {DTYPE_UNKNOWN, DTYPE_BF16, DTYPE_F16};
    *out = (struct norm_fit){.left2 = INFINITY};
    for (size_t i = 0; i < sizeof grains / sizeof *grains && out->left2 > most2; i++) {
        static const enum norms_format kinds[] = {NORM_RMS, NORM_LAYER, NORM_BATCH, NORM_RUNNING, NORM_CHANNEL};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            try_one(a, (struct norm_fit){.kind = kinds[k], .rounded = grains[i]}, out);
        for (int64_t g = 1; g <= GROUPS_MOST && out->left2 > most2; g++)
            try_one(a, (struct norm_fit){.kind = NORM_GROUP, .groups = g, .rounded = grains[i]}, out);
        if (i == 0 && out->left2 > most2 && format_is_possible(a, NORM_BATCH, 0) && !a->mean &&
            a->n / (size_t)a->shape[1] >= LINE_LEAST && a->n >= 2 * (size_t)a->shape[1] + LINES_SPARE) {
            double left = left_of_lines(a);
            if (left <= most2)
                *out = (struct norm_fit){.kind = NORM_RUNNING, .left2 = left};
        }
    }
    return out->left2 <= most2;
}

void norm_refit(const struct norm_data *a, struct norm_fit *f)
{
    struct norm_fit best = *f;
    best.left2 = INFINITY;
    try_one(a, *f, &best);
    *f = best;
}

double norm_left(const struct norm_data *a, const struct norm_fit *f, double epsilon)
{
    size_t n;
    double least = INFINITY;
    if (!format_is_possible(a, f->kind, f->groups))
        return INFINITY;
    for (int more = 0; more < (a->weight ? WEIGHTS_OFFSET : 1); more++) {
        struct group_sums *s = sums_of(a, f->kind, f->groups, f->rounded, more, &n);
        least = fmin(least, left_at(s, n, epsilon));
        free(s);
    }
    return least;
}
