/* What the differences of all tokens come to: of everything, of each sequence, of stretches of positions, of rounds.
 *
 * Estimates of KL(rollout ‖ trainer) from tokens the rollout engine drew: with r = trainer / rollout, k1 = −log r,
 * k2 = (log r)² / 2, k3 = (r − 1) − log r (J. Schulman, "Approximating KL Divergence", 2020,
 * joschu.net/blog/kl-approx.html). Probabilities' differences and their correlation are what verl prints as
 * training/rollout_probs_diff_* and rollout_actor_probs_pearson_corr (MiniMax-M1, arXiv 2506.13585). */
#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "rollout/rollout.h"

static const double quantile_at[4] = {0.5, 0.9, 0.99, 0.999};

static void group_add(struct rollout_group *g, double d)
{
    g->n++;
    g->mean += d;
    g->mean_abs += fabs(d);
    g->max_abs = fmax(g->max_abs, fabs(d));
}

static void group_end(struct rollout_group *g)
{
    g->mean = g->n ? g->mean / (double)g->n : NAN;
    g->mean_abs = g->n ? g->mean_abs / (double)g->n : NAN;
}

/* ---- all tokens ---- */

struct sums {
    double d, abs, square, ratio, ratio_square, p, p_square, k2, k3;
    double t, g, tt, gg, tg; /* of the probabilities */
};

static void sum_rollout_tokens(struct rollout *r, struct sums *s)
{
    struct rollout_figures *f = &r->all;
    f->ratio_min = INFINITY;
    for (size_t i = 0; i < r->tokens.n; i++) {
        const struct rollout_token *x = &r->tokens.v[i];
        double d = rollout_difference(r, x), ratio = exp(d), t = exp(x->lp[0]), g = exp(x->lp[1]);
        double p = r->sizes_only ? fabs(d) : fabs(t - g);
        f->nonfinite += !x->finite;
        if (!x->finite)
            continue;
        f->n++;
        s->d += d;
        s->abs += fabs(d);
        s->square += d * d;
        s->p += p;
        s->p_square += p * p;
        f->prob_max = fmax(f->prob_max, p);
        f->max_abs = fmax(f->max_abs, fabs(d));
        s->ratio += ratio;
        s->ratio_square += ratio * ratio;
        s->k2 += d * d / 2;
        s->k3 += expm1(d) - d;
        f->ratio_min = fmin(f->ratio_min, ratio);
        f->ratio_max = fmax(f->ratio_max, ratio);
        s->t += t;
        s->g += g;
        s->tt += t * t;
        s->gg += g * g;
        s->tg += t * g;
    }
}

static double standard_deviation(double sum_, double square, double n)
{
    double v = n > 1 ? (square - sum_ * sum_ / n) / (n - 1) : NAN;
    return v > 0 ? sqrt(v) : v < 0 ? 0 : v;
}

static void compute_quantiles(struct rollout *r)
{
    double *v = mem_resize_array(NULL, r->all.n + 1, sizeof *v);
    size_t n = 0;
    for (size_t i = 0; i < r->tokens.n; i++)
        if (r->tokens.v[i].finite)
            v[n++] = fabs(rollout_difference(r, &r->tokens.v[i]));
    for (int q = 0; q < 4; q++)
        r->all.quantile[q] = n ? select_kth(v, n, (size_t)(quantile_at[q] * (double)(n - 1))) : NAN;
    free(v);
}

static void compute_all_tokens(struct rollout *r)
{
    struct rollout_figures *f = &r->all;
    struct sums s = {0};
    sum_rollout_tokens(r, &s);
    double n = (double)f->n;
    f->mean = s.d / n; /* NaN without a token */
    f->mean_abs = s.abs / n;
    f->std = standard_deviation(s.d, s.square, n);
    f->prob_mean = s.p / n;
    f->prob_std = standard_deviation(s.p, s.p_square, n);
    f->k1 = -f->mean;
    f->k2 = s.k2 / n;
    f->k3 = s.k3 / n;
    f->ratio_mean = s.ratio / n;
    f->ratio_error = standard_deviation(s.ratio, s.ratio_square, n) / sqrt(n);
    f->effective = s.ratio * s.ratio / (n * s.ratio_square);
    double tt = s.tt - s.t * s.t / n, gg = s.gg - s.g * s.g / n;
    f->correlation = tt > 1e-15 * s.tt && gg > 1e-15 * s.gg ? (s.tg - s.t * s.g / n) / sqrt(tt * gg) : NAN;
    compute_quantiles(r);
}

/* ---- sequences, positions, rounds ---- */

static void compute_sequence(struct rollout *r, struct rollout_sequence *s)
{
    struct rollout_group g = {0};
    double most = -1;
    s->worst = ROLLOUT_NONE;
    s->sum = 0;
    for (size_t i = s->from; i < s->from + s->n; i++) {
        double d = rollout_difference(r, &r->tokens.v[i]);
        s->nonfinite += !r->tokens.v[i].finite;
        if (!r->tokens.v[i].finite)
            continue;
        group_add(&g, d);
        s->sum += d;
        if (fabs(d) > most) {
            most = fabs(d);
            s->worst = (uint32_t)i;
        }
    }
    group_end(&g);
    s->mean = g.mean;
    s->mean_abs = g.mean_abs;
    s->max_abs = g.n ? g.max_abs : NAN;
}

/* Descending; items without a figure last. */
static int compare_descending(double a, double b)
{
    return isnan(a) != isnan(b) ? (isnan(a) ? 1 : -1) : a < b ? 1 : a > b ? -1 : 0;
}

/* A merge sort: equal ones stay in their order. */
static void merge_sort_sequences(const struct rollout *r, uint32_t *v, uint32_t *room, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, a = 0, b = half, out = 0;
    merge_sort_sequences(r, v, room, half);
    merge_sort_sequences(r, v + half, room, n - half);
    while (a < half && b < n) {
        const struct rollout_sequence *s = r->sequences.v;
        room[out++] = compare_descending(s[v[a]].mean_abs, s[v[b]].mean_abs) <= 0 ? v[a++] : v[b++];
    }
    while (a < half)
        room[out++] = v[a++];
    while (b < n)
        room[out++] = v[b++];
    memcpy(v, room, n * sizeof *v);
}

static void compute_positions(struct rollout *r)
{
    const struct rollout_group none = {0};
    size_t longest = 0;
    for (size_t i = 0; i < r->sequences.n; i++)
        longest = r->sequences.v[i].n > longest ? r->sequences.v[i].n : longest;
    r->position_width = (longest + ROLLOUT_BINS - 1) / ROLLOUT_BINS;
    r->positions = r->position_width ? (longest + r->position_width - 1) / r->position_width : 0;
    for (size_t i = 0; i < r->sequences.n; i++) {
        const struct rollout_sequence *s = &r->sequences.v[i];
        for (size_t k = 0; k < s->n; k++) {
            const struct rollout_token *t = &r->tokens.v[s->from + k];
            if (!t->finite)
                continue;
            while (r->rounds.n <= t->round && t->round < 4096)
                vec_push(&r->rounds, none);
            group_add(&r->position[k / r->position_width], rollout_difference(r, t));
            if (t->round < r->rounds.n)
                group_add(&r->rounds.v[t->round], rollout_difference(r, t));
        }
    }
    for (size_t i = 0; i < r->positions; i++)
        group_end(&r->position[i]);
    for (size_t i = 0; i < r->rounds.n; i++)
        group_end(&r->rounds.v[i]);
}

void rollout_figures_make(struct rollout *r)
{
    compute_all_tokens(r);
    compute_positions(r);
    for (size_t i = 0; i < r->sequences.n; i++) {
        compute_sequence(r, &r->sequences.v[i]);
        vec_push(&r->worst, (uint32_t)i);
    }
    uint32_t *room = mem_resize_array(NULL, r->worst.n + 1, sizeof *room);
    merge_sort_sequences(r, r->worst.v, room, r->worst.n);
    free(room);
}
