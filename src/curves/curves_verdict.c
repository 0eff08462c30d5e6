/* The points of the migration standard: "first loss: absolute error < 0.005, or relative < 0.5 %; mean loss
 * error: absolute < 0.01, or relative < 1 %; global norm: mean relative error <= 10 %; not below 1,000
 * steps; where the golden runs themselves exceed a limit it is widened by their spread". The numbers are
 * those of data/thresholds.json. */
#include "curves/curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"

#define SCATTER_STEPS 20

double curves_largest(const struct curves *c, int64_t *step)
{
    double most = 0;
    *step = -1;
    for (size_t i = 0; i < c->diff.n; i++)
        if (fabs(c->diff.v[i]) > most) {
            most = fabs(c->diff.v[i]);
            *step = c->points.v[c->usable.v[i]].step;
        }
    return most;
}

const char *curve_limit_name(enum curve_limit l)
{
    static const char *const names[] = {
        [CURVE_STEPS] = "steps",         [CURVE_FIRST_ABS] = "first_loss_abs", [CURVE_FIRST_REL] = "first_loss_rel",
        [CURVE_MEAN_ABS] = "mean_loss_abs", [CURVE_MEAN_REL] = "mean_loss_rel",
        [CURVE_NORM_REL] = "global_norm_mean_rel",
    };
    return names[l];
}

/* |d| / |g|, as a fraction; two zeros agree. */
static double relative_loss_error(double d, double g)
{
    return d == 0 ? 0 : fabs(d) / fabs(g);
}

/* How far the golden loss goes up and down from step to step: the median of what a step is off the middle of its
 * neighbours. */
static double scatter_of(const struct curves *c)
{
    size_t n = c->usable.n;
    if (n < SCATTER_STEPS)
        return NAN;
    double *off = mem_resize_array(NULL, n, sizeof *off), *level = mem_resize_array(NULL, n, sizeof *level);
    for (size_t i = 1; i + 1 < n; i++) {
        double at = curve_record(c, c->usable.v[i], 1)->value[LOG_LOSS];
        double beside = (curve_record(c, c->usable.v[i - 1], 1)->value[LOG_LOSS] +
                         curve_record(c, c->usable.v[i + 1], 1)->value[LOG_LOSS]) / 2;
        off[i - 1] = fabs(at - beside);
        level[i - 1] = fabs(at);
    }
    /* of independent values the middle of two has half their variance */
    double scatter = 1.4826 / sqrt(1.5) * median_of(off, n - 2), middle = median_of(level, n - 2);
    free(off);
    free(level);
    return middle > 0 ? scatter / middle : NAN;
}

static bool norms_finite(const struct log_record *a, const struct log_record *b)
{
    return log_has(a, LOG_NORM) && log_has(b, LOG_NORM) && isfinite(a->value[LOG_NORM]) && isfinite(b->value[LOG_NORM]);
}

static void compute_limit_values(struct curves *c)
{
    double sum = 0, sum_rel = 0, norm = 0;
    for (int l = 0; l < CURVE_LIMITS; l++)
        c->limit[l] = (struct curve_judged){.value = NAN, .verdict = STAGE_UNKNOWN};
    c->norms = 0;
    for (size_t i = 0; i < c->points.n; i++) {
        const struct log_record *t = curve_record(c, i, 0), *g = curve_record(c, i, 1);
        if (!norms_finite(t, g))
            continue;
        norm += relative_loss_error(t->value[LOG_NORM] - g->value[LOG_NORM], g->value[LOG_NORM]);
        c->norms++;
    }
    for (size_t i = 0; i < c->usable.n; i++) {
        double rel = relative_loss_error(c->diff.v[i], curve_record(c, c->usable.v[i], 1)->value[LOG_LOSS]);
        sum += fabs(c->diff.v[i]);
        sum_rel += rel;
        if (i == 0) {
            c->limit[CURVE_FIRST_ABS].value = fabs(c->diff.v[i]);
            c->limit[CURVE_FIRST_REL].value = rel;
        }
    }
    c->limit[CURVE_STEPS].value = (double)c->points.n;
    if (c->usable.n) {
        c->limit[CURVE_MEAN_ABS].value = sum / (double)c->usable.n;
        c->limit[CURVE_MEAN_REL].value = sum_rel / (double)c->usable.n;
    }
    if (c->norms)
        c->limit[CURVE_NORM_REL].value = norm / (double)c->norms;
}

/* The time that both runs took for the joined steps, as far as they print it. */
static double hours_of(const struct curves *c)
{
    double least = 0;
    for (int s = 0; s < 2; s++) {
        double seconds = 0;
        for (size_t i = 0; i < c->points.n; i++) {
            int64_t steps = i ? c->points.v[i].step - c->points.v[i - 1].step : 1;
            seconds += (double)curve_record(c, i, s)->seconds * (double)steps;
        }
        least = seconds > 0 && (least == 0 || seconds < least) ? seconds : least;
    }
    return least / 3600;
}

static void judge_curve_limit(struct curves *c, enum curve_limit l, double limit)
{
    struct curve_judged *p = &c->limit[l];
    double spread = c->band.runs > 1 ? c->band.spread[l] : NAN;
    p->limit = limit;
    if (spread > limit) {
        p->widened = spread;
        p->limit += spread;
    }
    if (l == CURVE_STEPS)
        p->verdict = p->value >= limit || c->hours >= CURVE_HOURS ? STAGE_PASS : STAGE_UNKNOWN;
    else if (!isnan(p->value))
        p->verdict = (l == CURVE_NORM_REL ? p->value <= p->limit : p->value < p->limit) ? STAGE_PASS : STAGE_FAIL;
}

static enum stage_verdict better_limit_verdict(const struct curves *c, enum curve_limit a, enum curve_limit b)
{
    enum stage_verdict x = c->limit[a].verdict, y = c->limit[b].verdict;
    return x == STAGE_PASS || y == STAGE_PASS ? STAGE_PASS : x == STAGE_FAIL ||
           y == STAGE_FAIL ? STAGE_FAIL : STAGE_UNKNOWN;
}

static bool target_nonfinite(const struct curves *c)
{
    for (size_t i = 0; i < c->nonfinite.n; i++)
        if (c->nonfinite.v[i].run == 0 && c->nonfinite.v[i].series == CURVE_LOSS)
            return true;
    return false;
}

static bool auxiliary_fails(const struct curves *c)
{
    for (size_t i = 0; i < c->auxiliary.n; i++)
        if (c->auxiliary.v[i].verdict == STAGE_FAIL)
            return true;
    return false;
}

/* The standard compares runs of the same hyper-parameters. Skipped steps, which differ between correct runs, shift the
 * learning rate by a step. */
static bool other_rates(const struct curves *c)
{
    for (size_t i = 0; i < c->points.n; i++)
        if (curve_skipped(curve_record(c, i, 0)) || curve_skipped(curve_record(c, i, 1)))
            return false;
    return c->lr.there && !c->lr.equal;
}

static void doubt_verdict(enum stage_verdict *v, enum stage_verdict from)
{
    if (*v == from)
        *v = STAGE_UNKNOWN;
}

/* Unread parts neither pass nor fail: an unread file of the run may contain its first steps, or the loss if only zeros
 * were found. A beginning that was read is judged. */
static void hold_unread(struct curves *c)
{
    for (size_t k = 0; k < c->runs; k++) {
        const struct series *s = &c->run[k];
        for (size_t i = 0; i < s->unread.n; i++) {
            const struct log_unread *u = &s->unread.v[i];
            bool own = u->rank < 0 || series_rank(s) < 0 || u->rank == series_rank(s);
            if (u->whole && (own || !series_has_loss(s)))
                doubt_verdict(&c->first_loss, STAGE_FAIL);
            if (u->whole && !series_has_loss(s)) {
                doubt_verdict(&c->mean_loss, STAGE_FAIL);
                doubt_verdict(&c->global_norm, STAGE_FAIL);
            }
        }
    }
}

void curves_judge(struct curves *c, const struct thresholds_curves *t)
{
    vec_clear(&c->spikes);
    vec_clear(&c->nonfinite);
    vec_clear(&c->unread);
    vec_clear(&c->warnings);
    vec_clear(&c->next);
    arena_clear(&c->arena);
    curve_notes_unread(c);
    if (c->runs < 2) {
        c->verdict = STAGE_UNKNOWN;
        outlier_steps_find(c, t);
        return;
    }
    compute_limit_values(c);
    c->hours = hours_of(c);
    c->scatter = scatter_of(c);
    noise_band_find(c);
    constant_factors_find(c);
    judge_curve_limit(c, CURVE_STEPS, t->steps);
    judge_curve_limit(c, CURVE_FIRST_ABS, t->first_loss_abs);
    judge_curve_limit(c, CURVE_FIRST_REL, t->first_loss_rel);
    judge_curve_limit(c, CURVE_MEAN_ABS, t->mean_loss_abs);
    judge_curve_limit(c, CURVE_MEAN_REL, t->mean_loss_rel);
    judge_curve_limit(c, CURVE_NORM_REL, t->global_norm_rel);
    c->first_loss = better_limit_verdict(c, CURVE_FIRST_ABS, CURVE_FIRST_REL);
    c->mean_loss = better_limit_verdict(c, CURVE_MEAN_ABS, CURVE_MEAN_REL);
    c->global_norm = c->limit[CURVE_NORM_REL].verdict;
    c->shift = (struct step_shift){0};
    if (c->first_loss == STAGE_FAIL || c->mean_loss == STAGE_FAIL)
        step_shift_find(c);
    curve_departure_find(c, t);
    outlier_steps_find(c, t);
    loss_trend_find(c, t);
    learning_rates_find(c);
    c->other_rates = other_rates(c);
    auxiliary_losses_find(c, t);
    curve_metrics_find(c);
    curve_statistics_find(c);
    hold_unread(c);
    if (c->first_loss == STAGE_FAIL || c->mean_loss == STAGE_FAIL || c->global_norm == STAGE_FAIL ||
        target_nonfinite(c) || auxiliary_fails(c) || c->other_rates)
        c->verdict = STAGE_FAIL;
    else if (c->limit[CURVE_STEPS].verdict != STAGE_PASS || !c->usable.n || c->unread.n)
        c->verdict = STAGE_UNKNOWN;
    else
        c->verdict = STAGE_PASS;
    curve_notes_write(c, t);
}
