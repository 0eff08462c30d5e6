/* What would make the replay come out as the side did: a table of hypotheses, a row each, tried on the sample.
 *
 * Each row proposes values (a switch turned, round values people use, a least-squares estimate), the best of
 * which may be refined. Several rows can fit equally (at step 1 clipping and eps enter as one quotient); a
 * switch or a round value is then likelier than a fitted one. Where no single row explains, the best one is
 * taken and the next is looked for on top of it. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "optimizer/optimizer.h"

#define VALUES 24
#define CHAIN 3

/* A replay that differs from the stated one. */
struct replay_trial {
    struct adam_rule rule;
    bool other_p, other_g;
};

static double trial_residual(const struct step_side *s, const struct replay_trial *t)
{
    return step_try(s, &t->rule, t->other_p, t->other_g);
}

/* ---- proposals: the count of values put into out ---- */

static size_t propose_flipped_flag(const struct step_side *s, const struct replay_trial *base, enum hyper_key k,
                                   double *out)
{
    (void)s;
    out[0] = !base->rule.v[k];
    return 1;
}

static size_t switched_off(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    (void)s;
    out[0] = 0;
    return base->rule.v[k] != 0;
}

static size_t copy_proposals(const double *from, size_t n, double *out)
{
    memcpy(out, from, n * sizeof *out);
    return n;
}

/* v rounded to so many significant digits, as a user types a setting. */
static double round_as_typed(double v, int digits)
{
    char tmp[NUM_MAX];
    double out = v;
    str_double(str_of(num_cell(tmp, v, digits)), &out);
    return out;
}

static size_t round_eps(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    size_t n = 0;
    (void)s;
    for (int e = -1; e >= -16; e--)
        out[n++] = round_as_typed(pow(10, e), 1);
    out[n++] = 0;
    if (base->rule.v[HYPER_BIAS_CORRECTION] != 0) /* added before the correction, as MindSpore's nn.Adam does */
        out[n++] = base->rule.v[k] / sqrt(1 - pow(base->rule.v[HYPER_BETA2], base->rule.v[HYPER_STEP]));
    return n;
}

static size_t round_clips(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    static const double usual[] = {1, 0.5, 0.1, 0.25, 2, 5, 10};
    (void)s;
    (void)base;
    (void)k;
    return copy_proposals(usual, ARRAY_LEN(usual), out);
}

static size_t round_betas(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    static const double usual[] = {0.9, 0.95, 0.98, 0.99, 0.999, 0.9999, 0.8, 0.85, 0.5, 0};
    (void)s;
    (void)base;
    (void)k;
    return copy_proposals(usual, ARRAY_LEN(usual), out);
}

/* Sums over the sample for least squares: of u (the trial's update), w (the recorded update), p. */
struct sums {
    double uw, uu, wp, up, pp;
};

static struct sums least_squares_sums(const struct step_side *s, const struct replay_trial *t, bool decayed_only)
{
    const struct step_sample *a = &s->sample;
    struct sums out = {0};
    float moved[1024];
    double scale = adam_clip(&t->rule, s->norm);
    for (size_t i = 0; i < s->params.n; i++) {
        const struct step_param *p = &s->params.v[i];
        if (decayed_only && p->one_axis && t->rule.v[HYPER_DECAY_1D] == 0)
            continue;
        for (size_t at = 0; at < p->taken; at += ARRAY_LEN(moved)) {
            size_t n = p->taken - at < ARRAY_LEN(moved) ? (size_t)(p->taken - at) : ARRAY_LEN(moved),
                   from = (size_t)p->sample + at;
            adam_step(&t->rule, scale, p->one_axis, a->p + from, a->g + from, a->moments ? a->m + from : NULL,
                      a->moments ? a->v + from : NULL, moved, n);
            for (size_t k = 0; k < n; k++) {
                double x = a->p[from + k], u = moved[k] - x, w = a->a[from + k] - x;
                if (!isfinite(u) || !isfinite(w))
                    continue;
                out.uw += u * w;
                out.uu += u * u;
                out.wp += w * x;
                out.up += u * x;
                out.pp += x * x;
            }
        }
    }
    return out;
}

/* Both parts of the update are proportional to the rate, so it follows from the recorded and the replayed update. */
static size_t fitted_lr(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    struct sums q = least_squares_sums(s, base, false);
    double lr = q.uu > 0 ? base->rule.v[k] * q.uw / q.uu : 0;
    if (!(lr > 0))
        return out[0] = 0, 1;
    out[0] = round_as_typed(lr, 1);
    out[1] = round_as_typed(lr, 2);
    out[2] = round_as_typed(lr, 3);
    return 3;
}

/* The rest of the update without decay, along the weights: −lr · wd · p. */
static size_t fitted_decay(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    static const double usual[] = {0, 0.1, 0.01, 0.05, 0.001, 0.005, 0.02, 0.2};
    size_t n = copy_proposals(usual, ARRAY_LEN(usual), out);
    struct replay_trial without = *base;
    without.rule.v[k] = 0;
    struct sums q = least_squares_sums(s, &without, true);
    double wd = q.pp > 0 && base->rule.v[HYPER_LR] != 0 ? -(q.wp - q.up) / (base->rule.v[HYPER_LR] * q.pp) : 0;
    if (isfinite(wd) && wd > 0)
        for (int digits = 1; digits <= 3; digits++)
            out[n++] = round_as_typed(wd, digits);
    return n;
}

static const enum dtype halves[] = {DTYPE_BF16, DTYPE_F16};

/* The types that can represent every updated weight: float32 masters would give other values. */
static size_t half_types(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    size_t n = 0;
    (void)base;
    (void)k;
    for (size_t h = 0; h < ARRAY_LEN(halves); h++) {
        size_t i = 0;
        while (i < s->sample.n && (isnan(s->sample.a[i]) || dtype_round(halves[h], s->sample.a[i]) == s->sample.a[i]))
            i++;
        if (i == s->sample.n)
            out[n++] = (double)h;
    }
    return n;
}

static size_t other_side(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out)
{
    (void)base;
    (void)k;
    out[0] = 1;
    return s->sample.others;
}

/* ---- the table ---- */

static void set_key(struct replay_trial *t, enum hyper_key k, double v)
{
    t->rule.v[k] = v;
}

static void set_weights(struct replay_trial *t, enum hyper_key k, double v)
{
    (void)k;
    t->rule.weights = halves[(size_t)v];
}

static void set_other_p(struct replay_trial *t, enum hyper_key k, double v)
{
    (void)k;
    (void)v;
    t->other_p = true;
}

static void set_other_g(struct replay_trial *t, enum hyper_key k, double v)
{
    (void)k;
    (void)v;
    t->other_g = true;
}

static const struct hypothesis {
    const char *what;
    size_t (*propose)(const struct step_side *s, const struct replay_trial *base, enum hyper_key k, double *out);
    void (*set)(struct replay_trial *t, enum hyper_key k, double v);
    const char *detail; /* a sentence for people */
    enum hyper_key key;
    double refine;      /* the best value is searched within this factor; 0: it is as proposed */
} table[] = {
    {"before", other_side, set_other_p, N_("the update matches the weights of the other side before the step: the file "
                                           "\"before\" does not contain the weights the step started "
                                           "with"), HYPER_KEYS, 0},
    {"grads", other_side, set_other_g, N_("the update matches the gradients of the other side: the file \"grad\" does "
                                          "not contain the gradients the step used"), HYPER_KEYS, 0},
    {"decay_1d", propose_flipped_flag, set_key, N_("weight decay of biases and norms is the opposite of the settings"), HYPER_DECAY_1D, 0},
    {"bias_correction", propose_flipped_flag, set_key, N_("bias correction is the opposite of the settings (MindSpore's "
                                                          "nn.AdamWeightDecay has none)"), HYPER_BIAS_CORRECTION, 0},
    {"clip", switched_off, set_key, N_("gradients are not clipped, although the settings enable "
                                       "clipping"), HYPER_CLIP, 0},
    {"eps", round_eps, set_key, N_("eps differs from the settings, or is added in a different place of the "
                                   "formula"), HYPER_EPS, 10},
    {"clip", round_clips, set_key, N_("gradients are clipped to a global norm that differs from the "
                                      "settings"), HYPER_CLIP, 4},
    {"lr", fitted_lr, set_key, N_("the learning rate of this step differs from the settings"), HYPER_LR, 1.2},
    {"weight_decay", fitted_decay, set_key, N_("weight decay differs from the settings"), HYPER_DECAY, 1.5},
    {"beta1", round_betas, set_key, N_("beta1 differs from the settings"), HYPER_BETA1, 0},
    {"beta2", round_betas, set_key, N_("beta2 differs from the settings"), HYPER_BETA2, 0},
    {"master_weights", half_types, set_weights, N_("the weights are updated in a 16-bit type, without master weights in float32"), HYPER_KEYS, 0},
};

/* ---- trying ---- */

struct hypothesis_result {
    const struct hypothesis *h;
    struct replay_trial trial;
    double value, residual;
    int fitted;             /* 0: a switch, 1: a round value, 2: refined */
};

static double at_value(const struct step_side *s, const struct hypothesis *h, const struct replay_trial *base, double v,
                       struct replay_trial *out)
{
    *out = *base;
    h->set(out, h->key, v);
    return trial_residual(s, out);
}

/* Golden-section search of the logarithm around v. */
static void refine_hypothesis(const struct step_side *s, const struct hypothesis *h, const struct replay_trial *base,
                              struct hypothesis_result *f)
{
    const double ratio = 0.6180339887498949;
    double lo = log(f->value / h->refine), hi = log(f->value * h->refine);
    double a = hi - ratio * (hi - lo), b = lo + ratio * (hi - lo);
    struct replay_trial t;
    double ra = at_value(s, h, base, exp(a), &t), rb = at_value(s, h, base, exp(b), &t);
    for (int i = 0; i < 36 && hi - lo > 1e-4; i++) {
        if (ra <= rb) {
            hi = b;
            b = a;
            rb = ra;
            a = hi - ratio * (hi - lo);
            ra = at_value(s, h, base, exp(a), &t);
        } else {
            lo = a;
            a = b;
            ra = rb;
            b = lo + ratio * (hi - lo);
            rb = at_value(s, h, base, exp(b), &t);
        }
    }
    double v = round_as_typed(exp((lo + hi) / 2), 4), r = at_value(s, h, base, v, &t);
    if (r < f->residual) {
        f->value = v;
        f->residual = r;
        f->trial = t;
        f->fitted = 2;
    }
}

static bool best_proposed_value(const struct step_side *s, const struct hypothesis *h, const struct replay_trial *base,
                                double enough, struct hypothesis_result *f)
{
    double values[VALUES];
    size_t n = h->propose(s, base, h->key, values);
    *f = (struct hypothesis_result){.h = h, .residual = INFINITY};
    for (size_t i = 0; i < n; i++) {
        struct replay_trial t;
        if (h->key < HYPER_KEYS && values[i] == base->rule.v[h->key])
            continue;
        double r = at_value(s, h, base, values[i], &t);
        if (r < f->residual)
            *f = (struct hypothesis_result){h, t, values[i], r, h->refine > 0 || n > 2};
    }
    if (h->refine > 0 && f->residual > enough && isfinite(f->residual) && f->value > 0)
        refine_hypothesis(s, h, base, f);
    return isfinite(f->residual);
}

/* Complete explanations first, those without a fitted value before others; then the smallest rest. */
static int compare_likelihood(const struct hypothesis_result *a, const struct hypothesis_result *b, double enough)
{
    bool x = a->residual <= enough, y = b->residual <= enough;
    if (x != y)
        return x ? -1 : 1;
    if (x && a->fitted != b->fitted)
        return a->fitted - b->fitted;
    if (!x && a->residual != b->residual)
        return a->residual < b->residual ? -1 : 1;
    return a->h < b->h ? -1 : a->h > b->h;
}

static void sort_hypotheses(struct hypothesis_result *f, size_t n, double enough)
{
    for (size_t i = 1; i < n; i++) /* a dozen at most */
        for (size_t k = i; k && compare_likelihood(&f[k], &f[k - 1], enough) < 0; k--) {
            struct hypothesis_result swap = f[k];
            f[k] = f[k - 1];
            f[k - 1] = swap;
        }
}

static void add_hypothesis_reason(struct optimizer *x, int side, const struct hypothesis_result *f)
{
    struct step_reason r =
        {.side = side, .what = f->h->what, .value = NAN, .residual = f->residual, .detail = _(f->h->detail)};
    if (f->h->set == set_key) {
        r.value = f->value;
        r.flag = hyper_params_is_flag(f->h->key);
    } else if (f->h->set == set_weights) {
        r.text = dtype_table[f->trial.rule.weights].name;
    }
    vec_push(&x->reasons, r);
}

/* All hypotheses on top of `base`, the likeliest first. */
static size_t try_all(const struct step_side *s, const struct replay_trial *base, double enough,
                      struct hypothesis_result *out)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        n += best_proposed_value(s, &table[i], base, enough, &out[n]);
    sort_hypotheses(out, n, enough);
    return n;
}

/* Alternatives of the first round: all that explain as much as the first. */
static void add_alternatives(struct optimizer *x, int side, const struct hypothesis_result *f, size_t n, double enough)
{
    size_t first = x->reasons.n;
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = first; k < x->reasons.n; k++)
            known = known || strcmp(x->reasons.v[k].what, f[i].h->what) == 0;
        if (!known && f[i].residual <= enough)
            add_hypothesis_reason(x, side, &f[i]);
    }
    if (x->reasons.n > first + 1)
        step_warn(x, _("%s: one step is not enough to distinguish %s from %s; the first is more likely"),
                  side ? _("golden") : _("target"),
                  x->reasons.v[first].what, x->reasons.v[first + 1].what);
}

void hypotheses_explain(struct optimizer *x, int side, const struct thresholds_optimizer *t)
{
    const struct step_side *s = &x->side[side];
    struct replay_trial base = {0};
    struct hypothesis_result found[ARRAY_LEN(table)], chain[CHAIN];
    const char *who = side ? _("golden") : _("target");
    size_t links = 0;
    step_rule(s, &base.rule);
    double whole = trial_residual(s, &base), now = whole;
    for (int round = 0; round < 2 * CHAIN && links < CHAIN && now > t->residual; round++) {
        size_t n = try_all(s, &base, t->residual, found);
        if (!links && n && found[0].residual <= t->residual) {
            add_alternatives(x, side, found, n, t->residual);
            return;
        }
        /* a second reason must improve more than a fit always does */
        if (!n || !(found[0].residual < (links ? 0.3 : 0.7) * now))
            break;
        size_t link = 0; /* a value fitted before may fit better together with another reason */
        while (link < links && strcmp(chain[link].h->what, found[0].h->what) != 0)
            link++;
        chain[link] = found[0];
        links += link == links;
        base = found[0].trial;
        now = found[0].residual;
    }
    if (!links || now > fmax(t->residual, t->explain * whole)) {
        step_warn(x, _("%s: no hypothesis explains the step; possible causes: a different optimizer, gradients "
                       "averaged or scaled after saving, different moments"), who);
        return;
    }
    for (size_t i = 0; i < links; i++) {
        chain[i].residual = now; /* of all of them together */
        add_hypothesis_reason(x, side, &chain[i]);
        vec_last(&x->reasons)->combined = links > 1;
    }
    if (links > 1)
        step_warn(x, _("%s: no single cause explains the step; these together do"), who);
}
