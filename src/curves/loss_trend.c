/* The course of the loss difference: a jump in the first steps, and whether it oscillates around zero. */
#include "curves/curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"

#define OTHER_SIDE 0.1 /* share of the blocks on the other side of zero, from which on a difference is around it */

/* The numbers that a limit sets; a user may choose any. */
static size_t limit_as_steps(double v)
{
    return v < 1 ? 1 : v > 1e9 ? 1000000000 : (size_t)v;
}

/* A skipped step, or one at learning rate 0, leaves the weights as they were. */
static void count_first_updates(struct curves *c)
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

#define LIKE_ALL 6    /* times the median of all differences: a jump that is not larger is the noise of the run */
#define CUT 2         /* … a difference is cut to this for their mean */
#define CENTRED 0.85  /* of it their mean is away from zero at most */

/* Whether a difference is like those of the whole run before it departs, which swing around zero within the
 * standard. */
static bool like_all(const struct curves *c, double d, const struct thresholds_curves *t)
{
    /* a departure may begin before it shows */
    size_t n = c->departure.kind == DEPARTURE_NONE ? c->diff.n : c->departure.from / 2;
    if (n < limit_as_steps(t->block))
        return false;
    double *v = mem_resize_array(NULL, n, sizeof *v); /* steps that stand out do not count */
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(curve_record(c, c->usable.v[i], 1)->value[LOG_LOSS]);
    double golden = median_of(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(c->diff.v[i]);
    double size = median_of(v, n), centre = 0;
    free(v);
    for (size_t i = 0; i < n; i++)
        centre += fmax(-CUT * size, fmin(c->diff.v[i], CUT * size)) / (double)n;
    return d <= LIKE_ALL * size && fabs(centre) <= CENTRED * size &&
           (size < t->mean_loss_abs || size < t->mean_loss_rel * golden);
}

#define FOLLOWING 10 /* steps that show whether a jump stays */

/* Whether the steps behind a jump differ as well: an update that was another leaves other weights. */
static bool difference_stays(const struct curves *c, size_t at)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = at + 1; i < c->diff.n && n < FOLLOWING; i++, n++)
        sum += fabs(c->diff.v[i]);
    return n < FOLLOWING || 3 * sum / (double)n >= fabs(c->diff.v[at]);
}

/* Steps 2 and 3 separate the optimizer from other causes: with bias correction the first update does not depend on the
 * betas, so eps, rate and decay show in step 2, the betas in step 3. */
static int64_t early_jump(const struct curves *c, const struct thresholds_curves *t)
{
    double digits = 1.5 * (c->run[0].digit[LOG_LOSS] + c->run[1].digit[LOG_LOSS]);
    for (size_t i = 1; i < 3 && i < c->diff.n && c->forward_only; i++) {
        double before = fabs(c->diff.v[i - 1]), now = fabs(c->diff.v[i]);
        bool jump = now >= t->first_loss_abs / 5 && now > 10 * before && now > digits;
        if (jump && !(c->band.runs > 1 && now <= c->band.max_abs) && !like_all(c, now, t) && difference_stays(c, i))
            return c->points.v[c->usable.v[i]].step;
    }
    return -1;
}

struct loss_block {
    double mean, step;
};

/* A straight line through the block means, against the step in thousands. Correct runs diverge with time, so the
 * slope's error must not assume one variance: HC3 (MacKinnon and White 1985). */
static void fit_loss_trend(struct loss_trend *r, const struct loss_block *b)
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

static bool inside_band(const struct curves *c)
{
    return c->band.runs > 1 && fabs(c->trend.mean) <= c->band.spread[CURVE_MEAN_ABS];
}

static bool is_on_one_side(const struct loss_trend *r)
{
    return fmin(r->above, 1 - r->above) < OTHER_SIDE;
}

bool curves_one_sided(const struct curves *c)
{
    return c->around_zero == 0 && inside_band(c) && is_on_one_side(&c->trend);
}

/* Neighbouring steps are correlated, so the tests are made on means of blocks. */
static void test_loss_trend(struct curves *c, const struct thresholds_curves *t)
{
    size_t block = limit_as_steps(t->block), n = c->diff.n / block;
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
    fit_loss_trend(&c->trend, b);
    size_t above = 0;
    for (size_t i = 0; i < n; i++)
        above += b[i].mean > 0;
    c->trend.above = (double)above / (double)n;
    free(b);
    if ((double)n < t->blocks || n < 3)
        return;
    const struct loss_trend *r = &c->trend;
    bool inside = inside_band(c) && !is_on_one_side(r);
    bool centred = fabs(r->mean) <= t->sigma * r->error || inside;
    bool level = !(fabs(r->slope) > t->slope_sigma * r->slope_error);
    c->around_zero = centred && level;
}

void loss_trend_find(struct curves *c, const struct thresholds_curves *t)
{
    count_first_updates(c);
    test_loss_trend(c, t);
    c->apart_at = early_jump(c, t);
}
