/* The course of the loss difference: the step from which it stays large, and whether it oscillates around zero. */
#include "curves/curves.h"

#include <math.h>
#include <stdlib.h>

/* The numbers that a limit sets; a user may choose any. */
static size_t steps_of(double v)
{
    return v < 1 ? 1 : v > 1e9 ? 1000000000 : (size_t)v;
}

/* The smallest usable point from which the trailing mean of |difference| over `window` stays above `limit` to the end.
 * Sums of a window are joined from a suffix and a prefix of blocks, so that nothing is ever subtracted: in a running
 * sum the rounding error of one very large step would remain. */
static int64_t leaves(const struct curves *c, size_t window, double limit)
{
    size_t n = c->diff.n, first = SIZE_MAX;
    if (n < window)
        return -1;
    double *suffix = mem_resize_array(NULL, window + 1, sizeof *suffix), prefix = 0;
    for (size_t i = 0; i < n; i++) {
        size_t in = i % window;
        if (in == 0) {
            prefix = suffix[window] = 0;
            for (size_t k = window; i && k-- > 0;)
                suffix[k] = suffix[k + 1] + fabs(c->diff.v[i - window + k]);
        }
        prefix += fabs(c->diff.v[i]);
        if (i + 1 < window)
            continue;
        double sum = prefix + suffix[in + 1];
        if (!(sum / (double)window > limit))
            first = SIZE_MAX;
        else if (first == SIZE_MAX)
            first = i;
    }
    free(suffix);
    return first == SIZE_MAX ? -1 : c->points.v[c->usable.v[first]].step;
}

/* A skipped step, or one at learning rate 0, leaves the weights as they were. */
static void beginning(struct curves *c)
{
    c->updates[0] = c->updates[1] = 0;
    c->forward_only = false;
    if (!c->usable.n)
        return;
    for (size_t i = 0; i < c->usable.v[0]; i++)
        for (int s = 0; s < 2; s++) {
            const struct log_record *r = curve_record(c, i, s);
            c->updates[s] += !curve_skipped(r) && !(log_has(r, LOG_LR) && r->value[LOG_LR] == 0);
        }
    const struct curve_point *first = &c->points.v[0];
    bool each = first->step <= 1 || (c->run[0].interval <= 1 && c->run[1].interval <= 1);
    c->forward_only = each && !first->at[0] && !first->at[1] && !c->updates[0] && !c->updates[1];
}

/* Steps 2 and 3 separate the optimizer from other causes: with bias correction the first update does not depend on the
 * betas, so eps, rate and decay show in step 2, the betas in step 3. */
static int64_t early_jump(const struct curves *c, const struct thresholds_curves *t)
{
    for (size_t i = 1; i < 3 && i < c->diff.n && c->forward_only; i++) {
        double before = fabs(c->diff.v[i - 1]), now = fabs(c->diff.v[i]);
        if (now >= t->first_loss_abs / 5 && now > 10 * before)
            return c->points.v[c->usable.v[i]].step;
    }
    return -1;
}

struct loss_block {
    double mean, step;
};

/* A straight line through the block means, against the step in thousands. Correct runs diverge with time, so the
 * slope's error must not assume one variance: HC3 (MacKinnon and White 1985). */
static void fit(struct loss_trend *r, const struct loss_block *b)
{
    double n = (double)r->blocks, mean = 0, at = 0, sxx = 0, sxy = 0, syy = 0, rest = 0;
    for (size_t i = 0; i < r->blocks; i++) {
        mean += b[i].mean / n;
        at += b[i].step / 1000 / n;
        r->sign_changes += i && (b[i].mean > 0) != (b[i - 1].mean > 0);
    }
    for (size_t i = 0; i < r->blocks; i++) {
        double x = b[i].step / 1000 - at, y = b[i].mean - mean;
        sxx += x * x;
        sxy += x * y;
        syy += y * y;
    }
    r->there = true;
    r->mean = mean;
    r->error = sqrt(syy / (n - 1) / n);
    r->slope = sxx > 0 ? sxy / sxx : 0;
    for (size_t i = 0; i < r->blocks; i++) {
        double x = b[i].step / 1000 - at, lever = sxx > 0 ? 1 - 1 / n - x * x / sxx : 0;
        double y = lever > 0 ? x * (b[i].mean - mean - r->slope * x) / lever : 0;
        rest += y * y;
    }
    r->slope_error = r->blocks > 2 && sxx > 0 ? sqrt(rest) / sxx : NAN;
}

/* Neighbouring steps are correlated, so the tests are made on means of blocks. */
static void trend(struct curves *c, const struct thresholds_curves *t)
{
    size_t block = steps_of(t->block), n = c->diff.n / block;
    c->trend = (struct loss_trend){.blocks = n};
    c->around_zero = -1;
    if (n < 2)
        return;
    struct loss_block *b = mem_resize_array(NULL, n, sizeof *b);
    for (size_t i = 0; i < n; i++) {
        b[i] = (struct loss_block){0};
        for (size_t k = i * block; k < (i + 1) * block; k++) {
            b[i].mean += c->diff.v[k] / (double)block;
            b[i].step += (double)c->points.v[c->usable.v[k]].step / (double)block;
        }
    }
    fit(&c->trend, b);
    free(b);
    if ((double)n < t->blocks || n < 3)
        return;
    const struct loss_trend *r = &c->trend;
    bool inside = c->band.runs > 1 && fabs(r->mean) <= c->band.spread[CURVE_MEAN_ABS];
    bool centred = fabs(r->mean) <= t->sigma * r->error || inside;
    bool level = !(fabs(r->slope) > t->slope_sigma * r->slope_error);
    c->around_zero = centred && level;
}

void loss_trend_find(struct curves *c, const struct thresholds_curves *t)
{
    double limit = t->diverge;
    if (c->band.runs > 1 && t->noise * c->band.spread[CURVE_MEAN_ABS] > limit)
        limit = t->noise * c->band.spread[CURVE_MEAN_ABS];
    size_t window = steps_of(t->window);
    c->diverges_at = leaves(c, window, limit);
    c->from_start = c->diverges_at >= 0 && c->first_loss == STAGE_FAIL &&
                    c->diverges_at == c->points.v[c->usable.v[window - 1]].step;
    beginning(c);
    c->apart_at = early_jump(c, t);
    trend(c, t);
}
