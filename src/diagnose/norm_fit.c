/* Recomputes normalisations from the input and finds the one that gives the recorded output. */
#include "diagnose/norm_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "oracle/norm_values.h"

#define GROUPS_MOST    64      /* the most groups tried for a group norm */
#define LINE_LEAST     3        /* the fewest values per channel for fitting a line */
#define LINES_SPARE    12      /* values needed beyond those for the lines: fewer fit by chance */
#define WEIGHTS_OFFSET 2    /* weights as given, and one more (1 + w) */

/* One normalisation of the data, with copies of the tensors in the form that the oracle's formulas take. */
struct fitted_norm {
    struct real_tensor x, weight, bias, mean, variance;
    double *rounded; /* the input rounded, or NULL */
    struct norm norm;
};

static bool is_over_last(enum norms_format kind)
{
    return kind == NORM_RMS || kind == NORM_LAYER;
}

static struct norm_layout layout_of(const struct real_tensor *x, enum norms_format kind, int64_t groups)
{
    return is_over_last(kind)       ? norm_over_last(x, x->shape[x->axes - 1])
           : kind == NORM_GROUP   ? norm_over_groups(x, groups)
           : kind == NORM_CHANNEL ? norm_over_channels(x)
                                  : norm_over_batch(x);
}

static struct real_tensor tensor_of(const struct norm_data *d, const double *v)
{
    struct real_tensor t = {.axes = d->ndim, .count = (int64_t)d->n, .v = (double *)v, .dtype = DTYPE_F64};
    memcpy(t.shape, d->shape, (size_t)d->ndim * sizeof *d->shape);
    return t;
}

/* NULL: the part was not given. */
static const struct real_tensor *part_of(const struct norm_data *d, const double *v, struct real_tensor *t)
{
    *t = (struct real_tensor){
        .axes = 1, .shape = {(int64_t)d->width}, .count = (int64_t)d->width, .v = (double *)v, .dtype = DTYPE_F64};
    return v ? t : NULL;
}

/* The norm of a form; its `rounded` is the caller's to free. */
static void norm_of_form(struct fitted_norm *n, const struct norm_data *d, const struct norm_fit *f, int more)
{
    bool running = f->kind == NORM_RUNNING;
    n->rounded = f->rounded ? mem_alloc((d->n + 1) * sizeof *n->rounded) : NULL;
    for (size_t i = 0; f->rounded && i < d->n; i++)
        n->rounded[i] = dtype_round(f->rounded, d->x[i]);
    n->x = tensor_of(d, f->rounded ? n->rounded : d->x);
    n->norm = (struct norm){.x = &n->x, .centred = f->kind != NORM_RMS, .offset = more};
    n->norm.weight = part_of(d, d->weight, &n->weight);
    n->norm.bias = part_of(d, d->bias, &n->bias);
    n->norm.mean = part_of(d, running ? d->mean : NULL, &n->mean);
    n->norm.variance = part_of(d, running ? d->variance : NULL, &n->variance);
    n->norm.layout = layout_of(&n->x, f->kind, f->groups);
}

/* The sums of every group; the caller frees them. */
static struct norm_sums *sums_of(const struct norm_data *d, const struct norm_fit *f, int more, int64_t *count)
{
    struct fitted_norm n;
    norm_of_form(&n, d, f, more);
    *count = norm_groups(&n.norm.layout);
    struct norm_sums *s = mem_alloc(((size_t)*count + 1) * sizeof *s);
    for (int64_t g = 0; g < *count; g++)
        s[g] = norm_sums_of(&n.norm, g, d->y);
    free(n.rounded);
    return s;
}

/* Infinite for an epsilon of 0 where values do not vary. */
static double left_at(const struct norm_sums *s, int64_t groups, double epsilon)
{
    double left = norm_error_with(s, groups, epsilon);
    return isnan(left) ? INFINITY : fmax(0, left);
}

/* Finds the epsilon with the smallest residual: half decades first, then a golden-section search around the best. */
static double best_epsilon(const struct norm_sums *s, int64_t n, double *left2)
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
    bool last = is_over_last(kind), params = d->weight || d->bias || d->mean;
    bool axes = d->ndim >= (last ? 1 : 2) && d->ndim <= REAL_AXES;
    size_t width = axes ? (size_t)d->shape[last ? d->ndim - 1 : 1] : 0;
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
    int64_t n;
    if (!format_is_possible(d, f.kind, f.groups))
        return;
    for (int more = 0; more < (d->weight ? WEIGHTS_OFFSET : 1); more++) {
        struct norm_sums *s = sums_of(d, &f, more, &n);
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
    struct real_tensor all = tensor_of(d, d->x);
    struct norm_layout l = norm_over_batch(&all);
    int64_t members = norm_members(&l);
    double *x = mem_alloc(((size_t)members + 1) * sizeof *x), *y = mem_alloc(((size_t)members + 1) * sizeof *y),
           left = 0;
    for (int64_t g = 0; g < norm_groups(&l); g++) {
        for (int64_t i = 0; i < members; i++) {
            int64_t at = norm_group_start(&l, g) + norm_member_at(&l, i);
            x[i] = d->x[at];
            y[i] = d->y[at];
        }
        left += left_of_line(x, y, (size_t)members);
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
    int64_t n;
    double least = INFINITY;
    if (!format_is_possible(a, f->kind, f->groups))
        return INFINITY;
    for (int more = 0; more < (a->weight ? WEIGHTS_OFFSET : 1); more++) {
        struct norm_sums *s = sums_of(a, f, more, &n);
        least = fmin(least, left_at(s, n, epsilon));
        free(s);
    }
    return least;
}
