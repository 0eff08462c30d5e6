/* Errors that leave a form no noise has, each fitted and told with what it was fitted by.
 *
 * A cut: tokens are drawn from q, so the mean of p/q over them is the share of p that q covers, 1 for two distributions
 * over the same tokens. Where q was renormalised over the tokens top-p, top-k or min-p left, it is what they kept of p,
 * and every token has log p − log q = log(kept) up to the noise: differences of one sign.
 *
 * A temperature: log-odds of a token against one other token are divided by it exactly, against all others but for a
 * number they have in common: how many the others are.
 * Noise leaves the slope of one side's log-odds over the other's at 1. */
#include <math.h>

#include "rollout/rollout.h"

#define ROUNDING 0.01      /* smaller differences occur in any 16-bit arithmetic */
#define TOKENS_LEAST 200   /* a fit on fewer says nothing */

/* ---- a side is a token behind ---- */

static void fit_token_shift(struct rollout *r, struct rollout_fit *f)
{
    double here = r->all.mean_abs;
    f->shifted_abs = NAN;
    for (int by = -1; by <= 1; by += 2) {
        double sum = 0;
        size_t n = 0;
        for (size_t i = 0; i < r->sequences.n; i++) {
            const struct rollout_sequence *s = &r->sequences.v[i];
            for (size_t k = s->from + (by < 0); k + (by > 0) < s->from + s->n; k++) {
                double d = r->tokens.v[k].lp[0] - r->tokens.v[by < 0 ? k - 1 : k + 1].lp[1];
                sum += isfinite(d) ? fabs(d) : 0;
                n += isfinite(d);
            }
        }
        /* a quarter: log-probabilities of neighbouring tokens are unrelated */
        if (n >= 32 && sum / (double)n < here / 4 && (isnan(f->shifted_abs) || sum / (double)n < f->shifted_abs)) {
            f->shifted = here > ROUNDING;
            f->shift = by;
            f->shifted_abs = sum / (double)n;
        }
    }
}

/* ---- one is the other times a factor: another base of the logarithm, nats and bits ---- */

static void fit_log_prob_factor(const struct rollout *r, struct rollout_fit *f)
{
    double xy = 0, xx = 0, yy = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->tokens.n; i++) {
        const struct rollout_token *t = &r->tokens.v[i];
        if (!t->finite)
            continue;
        xy += t->lp[0] * t->lp[1];
        xx += t->lp[1] * t->lp[1];
        yy += t->lp[0] * t->lp[0];
        n++;
    }
    if (n < 32 || !(xx > 0) || !(yy > 0))
        return;
    f->factor = xy / xx;
    f->factor_rms = sqrt(fmax(yy - f->factor * xy, 0) / yy);
    f->scaled = fabs(f->factor - 1) > 0.05 && f->factor_rms < 0.02;
}

/* ---- probabilities renormalised over a part of the tokens ---- */

static void fit_sampling_cut(const struct rollout *r, struct rollout_fit *f)
{
    size_t sign[2] = {0};
    double lowest = 0, highest = 0;
    for (size_t i = 0; i < r->tokens.n; i++) {
        double d = rollout_difference(r, &r->tokens.v[i]);
        if (!r->tokens.v[i].finite)
            continue;
        sign[0] += d < -ROUNDING;
        sign[1] += d > ROUNDING;
        lowest = fmin(lowest, d);
        highest = fmax(highest, d);
    }
    f->kept = r->all.ratio_mean;
    f->kept_error = r->all.ratio_error;
    f->cut_rollout = sign[0] > sign[1];
    size_t with = f->cut_rollout ? sign[0] : sign[1], all = sign[0] + sign[1];
    f->negative = all ? (double)with / (double)all : NAN;
    double far = f->cut_rollout ? -lowest : highest;
    /* sampling cuts in use keep at least a third: top-p 0.8 and above, with noise */
    f->renormalised = r->all.n >= TOKENS_LEAST && with >= TOKENS_LEAST / 10 &&
                      f->negative >= rule_limit(RULE_LIMIT_ROLLOUT_CUT_SIGN) && far < log(3) &&
                      fabs(f->kept - 1) > rule_limit(RULE_LIMIT_ROLLOUT_CUT) &&
                      fabs(f->kept - 1) > rule_limit(RULE_LIMIT_ROLLOUT_ERRORS) * f->kept_error;
}

/* ---- a temperature on one side ---- */

static double log_odds(double lp)
{
    return lp - log(-expm1(lp));
}

static void fit_temperature(const struct rollout *r, struct rollout_fit *f)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->tokens.n; i++) {
        const struct rollout_token *t = &r->tokens.v[i];
        /* closer to 0 the odds are only the rounding of the log-probability */
        if (!t->finite || t->lp[0] > -0.005 || t->lp[1] > -0.005 || t->lp[0] < -30 || t->lp[1] < -30)
            continue;
        double x = log_odds(t->lp[1]), y = log_odds(t->lp[0]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        syy += y * y;
        n++;
    }
    f->n = n;
    if (n < TOKENS_LEAST)
        return;
    double xx = sxx - sx * sx / (double)n, xy = sxy - sx * sy / (double)n, yy = syy - sy * sy / (double)n;
    if (!(xx > 0) || !(yy > 0) || !(xy > 0))
        return;
    /* of the spreads, so that noise of either side takes off less of it */
    f->slope = sqrt(yy / xx);
    f->slope_error = sqrt(fmax(yy - xy * xy / xx, 0) / (double)(n - 2) / xx);
    f->tempered = !f->renormalised && !f->scaled && !f->shifted &&
                  fabs(f->slope - 1) > rule_limit(RULE_LIMIT_ROLLOUT_ODDS) &&
                  fabs(f->slope - 1) > 2 * rule_limit(RULE_LIMIT_ROLLOUT_ERRORS) * f->slope_error;
}

void rollout_fit_make(struct rollout *r)
{
    struct rollout_fit *f = &r->fit;
    *f = (struct rollout_fit){.slope = NAN, .slope_error = NAN, .factor = NAN, .factor_rms = NAN,
                              .kept = NAN,  .kept_error = NAN,  .negative = NAN, .shifted_abs = NAN};
    if (r->sizes_only || !r->all.n)
        return;
    fit_token_shift(r, f);
    fit_log_prob_factor(r, f);
    fit_sampling_cut(r, f);
    fit_temperature(r, f);
}
