/* Outlier steps, and values that are not numbers.
 *
 * A spike of the loss is a difference above a fixed limit, or one far outside of its neighbourhood: more than
 * `outlier` robust deviations (1.4826 times the median deviation) from the median of the blocks around it, and
 * at least the mean-loss limit away, so that two almost equal runs have none. Where most steps are above the
 * fixed limit the runs are apart, and none of them stands out by that; behind a departure (departure.c) only what is
 * off its neighbours can, and of losses that are a constant multiple none. Of the global norm, which
 * scatters in proportion, the same is asked of the logarithm of the ratio.
 *
 * A run alone is compared with its own course: the median of the steps around. There a spike is also at least
 * `spike` away, since nothing tells the batch's part of a loss from the training's. */
#include "curves/curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"

#define AROUND 3       /* blocks of the neighbourhood */
#define NORM_FACTOR 2  /* a norm is an outlier at this ratio at least */
#define BESIDE 5       /* steps on each side with which a single run is compared */
#define REACH 500      /* how far they are looked for */

static void mark_outlier_step(struct curves *c, int run, size_t point, enum curve_series s)
{
    const struct log_record *r = curve_record(c, point, run);
    struct outlier_step m = {.step = c->points.v[point].step, .value = r->value[curve_value(s)],
                             .run = (uint8_t)run, .series = (uint8_t)s};
    vec_push(&c->spikes, m);
}

/* The median and the robust deviation of n values; scratch has room for them. */
static void median_and_deviation(const double *v, size_t n, double *scratch, double *middle, double *deviation)
{
    memcpy(scratch, v, n * sizeof *v);
    *middle = median_of(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(v[i] - *middle);
    *deviation = 1.4826 * median_of(scratch, n);
}

/* A value that is compared: of point[i], and its deviation. */
struct course {
    const uint32_t *point;
    const double *v;
    size_t n;
    double least; /* the smallest deviation from the median of an outlier */
    double always; /* a value of this size is always an outlier */
};

static double curve_value_at(const struct curves *c, size_t point, int run, enum curve_series s)
{
    return curve_record(c, point, run)->value[curve_value(s)];
}

/* The run that deviates: the one whose value is farther from the mean of its neighbours. Outliers follow each other,
 * so the neighbours are the nearest steps that are none. */
static int run_farther_from_neighbours(const struct curves *c, const struct course *x, size_t i, enum curve_series s,
                                       const bool *out)
{
    double sum[2] = {0}, off[2] = {0};
    size_t n = 0;
    if (c->runs < 2)
        return 0;
    for (int way = -1; way <= 1; way += 2)
        for (size_t found = 0, far = 1; found < BESIDE && far < REACH; far++) {
            if (way < 0 ? far > i : i + far >= x->n)
                break;
            size_t k = way < 0 ? i - far : i + far;
            if (out[k])
                continue;
            for (int run = 0; run < 2; run++)
                sum[run] += curve_value_at(c, x->point[k], run, s);
            found++;
            n++;
        }
    for (int run = 0; run < 2 && n; run++)
        off[run] = fabs(curve_value_at(c, x->point[i], run, s) - sum[run] / (double)n);
    return off[1] > off[0];
}

static void find_outlier_steps(struct curves *c, const struct course *x, const struct thresholds_curves *t,
                               enum curve_series s)
{
    size_t block = t->block < 10 ? 10 : t->block > 10000 ? 10000 : (size_t)t->block, around = AROUND * block;
    double *scratch = mem_resize_array(NULL, around, sizeof *scratch);
    bool *outs = mem_zalloc(x->n + 1);
    for (size_t from = 0; from < x->n; from += block) {
        size_t to = from + block < x->n ? from + block : x->n;
        size_t lo = from < block ? 0 : from - block, hi = lo + around < x->n ? lo + around : x->n;
        double middle, deviation;
        if (hi - lo < around && hi >= around)
            lo = hi - around;
        median_and_deviation(x->v + lo, hi - lo, scratch, &middle, &deviation);
        for (size_t i = from; i < to; i++) {
            double off = fabs(x->v[i] - middle);
            bool out = hi - lo >= block && off > t->outlier * deviation && off > x->least;
            outs[i] = out || fabs(x->v[i]) > x->always;
        }
    }
    for (size_t i = 0; i < x->n; i++)
        if (outs[i])
            mark_outlier_step(c, run_farther_from_neighbours(c, x, i, s, outs), x->point[i], s);
    free(outs);
    free(scratch);
}

static void norm_outliers(struct curves *c, const struct thresholds_curves *t)
{
    VEC(uint32_t) point = {0};
    VEC(double) ratio = {0};
    for (size_t i = 0; i < c->usable.n; i++) {
        double a = curve_value_at(c, c->usable.v[i], 0, CURVE_NORM),
            b = curve_value_at(c, c->usable.v[i], 1, CURVE_NORM);
        bool both = log_has(curve_record(c, c->usable.v[i], 0), LOG_NORM) &&
                    log_has(curve_record(c, c->usable.v[i], 1), LOG_NORM);
        if (!both || !(a > 0 && b > 0) || isinf(a) || isinf(b))
            continue;
        vec_push(&point, c->usable.v[i]);
        vec_push(&ratio, log(a / b));
    }
    struct course x = {point.v, ratio.v, ratio.n, log(NORM_FACTOR), INFINITY};
    find_outlier_steps(c, &x, t, CURVE_NORM);
    vec_release(&point);
    vec_release(&ratio);
}

/* The deviation of each value from the median of its neighbours. */
static void off_course(const double *v, size_t n, double *off)
{
    double around[2 * BESIDE + 1];
    for (size_t i = 0; i < n; i++) {
        size_t from = i < BESIDE ? 0 : i - BESIDE, to = i + BESIDE + 1 < n ? i + BESIDE + 1 : n;
        memcpy(around, v + from, (to - from) * sizeof *v);
        off[i] = v[i] - median_of(around, to - from);
    }
}

/* The loss of a single run, or the logarithm of its global norm. */
static void lone_outliers(struct curves *c, const struct thresholds_curves *t, enum curve_series s)
{
    enum log_value which = curve_value(s);
    VEC(uint32_t) point = {0};
    VEC(double) value = {0};
    for (size_t i = 0; i < c->points.n; i++) {
        const struct log_record *r = curve_record(c, i, 0);
        double v = r->value[which];
        if (!log_has(r, which) || !isfinite(v) || curve_skipped(r) || (s == CURVE_NORM && !(v > 0)))
            continue;
        vec_push(&point, (uint32_t)i);
        vec_push(&value, s == CURVE_LOSS ? v : log(v));
    }
    double *off = mem_resize_array(NULL, value.n + 1, sizeof *off);
    off_course(value.v, value.n, off);
    struct course x = {point.v, off, value.n, s == CURVE_LOSS ? t->spike : log(NORM_FACTOR), INFINITY};
    find_outlier_steps(c, &x, t, s);
    free(off);
    vec_release(&point);
    vec_release(&value);
}

/* An infinite norm is expected at a skipped step. */
static void mark_non_finite_values(struct curves *c, size_t run)
{
    const struct series *s = &c->run[run];
    for (size_t i = 0; i < s->records.n; i++) {
        const struct log_record *r = &s->records.v[i];
        bool hidden = log_loss_hidden(s, r);
        if (hidden || (log_has(r, LOG_LOSS) && !isfinite(r->value[LOG_LOSS]))) {
            struct outlier_step m = {.step = r->step, .run = (uint8_t)run, .series = CURVE_LOSS,
                                     .value = hidden ? NAN : r->value[LOG_LOSS]};
            vec_push(&c->nonfinite, m);
        } else if (log_has(r, LOG_NORM) && !isfinite(r->value[LOG_NORM]) && !curve_skipped(r)) {
            struct outlier_step m =
                {.step = r->step, .run = (uint8_t)run, .series = CURVE_NORM, .value = r->value[LOG_NORM]};
            vec_push(&c->nonfinite, m);
        }
    }
}

static int by_outlier_step(const void *a, const void *b)
{
    const struct outlier_step *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return x->series != y->series ? (x->series < y->series ? -1 : 1) : x->run < y->run ? -1 : x->run > y->run;
}

static void pair_outliers(struct curves *c, const struct thresholds_curves *t)
{
    size_t above = 0, n = c->diff.n, from = c->departure.kind == DEPARTURE_NONE ? n : c->departure.from;
    double *v = mem_resize_array(NULL, n + 1, sizeof *v);
    for (size_t i = 0; i < n; i++)
        above += fabs(c->diff.v[i]) > t->spike;
    if (n) {
        memcpy(v, c->diff.v, n * sizeof *v);
        off_course(c->diff.v + from, n - from, v + from);
    }
    double least = c->band.runs > 1 ? fmax(t->mean_loss_abs, c->band.max_abs) : t->mean_loss_abs;
    struct course loss = {c->usable.v, v, n, least, 2 * above > n ? INFINITY : t->spike};
    if (c->factor[CURVE_LOSS].factor == 0)
        find_outlier_steps(c, &loss, t, CURVE_LOSS);
    free(v);
    norm_outliers(c, t);
}

void outlier_steps_find(struct curves *c, const struct thresholds_curves *t)
{
    if (c->runs > 1) {
        pair_outliers(c, t);
    } else {
        lone_outliers(c, t, CURVE_LOSS);
        lone_outliers(c, t, CURVE_NORM);
    }
    for (size_t run = 0; run < c->runs; run++)
        mark_non_finite_values(c, run);
    vec_sort(&c->spikes, by_outlier_step);
    vec_sort(&c->nonfinite, by_outlier_step);
}
