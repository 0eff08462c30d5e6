/* Judges whether the two engines are the same policy within their arithmetic, with the reasons. */
#include <math.h>
#include <stdarg.h>

#include "base/msg.h"
#include "base/num.h"
#include "rollout/rollout.h"

typedef VEC(const char *) sentences;

static void rollout_say(struct rollout *r, void *list, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void rollout_say(struct rollout *r, void *list, const char *fmt, ...)
{
    va_list ap;
    sentences *l = list;
    va_start(ap, fmt);
    vec_push(l, arena_vfmt(&r->arena, fmt, ap));
    va_end(ap);
}

/* The first token that differs, of all sequences and of each. */
static void first_tokens(struct rollout *r, double limit)
{
    size_t earliest = SIZE_MAX;
    r->first = r->first_sequence = ROLLOUT_NONE;
    r->all.far = r->all.clipped_low = r->all.clipped_high = 0;
    for (size_t i = 0; i < r->sequences.n; i++) {
        struct rollout_sequence *s = &r->sequences.v[i];
        s->first = ROLLOUT_NONE;
        for (size_t k = 0; k < s->n; k++) {
            const struct rollout_token *t = &r->tokens.v[s->from + k];
            double d = rollout_difference(r, t);
            if (t->finite && !r->sizes_only) {
                r->all.clipped_low += exp(d) < 1 - r->limits.epsilon;
                r->all.clipped_high += exp(d) > 1 + r->limits.epsilon;
            }
            bool far = !t->finite || fabs(d) > limit;
            r->all.far += far;
            if (!far || s->first != ROLLOUT_NONE)
                continue;
            s->first = (uint32_t)(s->from + k);
            if (k < earliest) {
                earliest = k;
                r->first = s->first;
                r->first_sequence = (uint32_t)i;
            }
        }
    }
}

static void say_parted_sequences(struct rollout *r)
{
    struct buf name = {0};
    size_t n = r->counted[ROLLOUT_PARTED];
    for (size_t i = 0; i < r->sequences.n && n; i++) {
        const struct rollout_sequence *s = &r->sequences.v[i];
        if (s->pairing != ROLLOUT_PARTED)
            continue;
        if (!r->all.n) {
            rollout_say(r, &r->unread, "%s",
                        _("no sequence starts with the same token on both sides: the files are from different "
                          "rollouts"));
            break;
        }
        rollout_sequence_name(r, (uint32_t)i, &name);
        rollout_say(r, &r->bad,
                    _("the tokens differ in %zu of %zu sequences: first in sequence %s at token %zu (%lld, %lld); "
                      "later tokens of these sequences are not compared"),
                    n, r->sequences.n, name.p, s->n, (long long)s->parted[0], (long long)s->parted[1]);
        break;
    }
    buf_release(&name);
}

static void say_fitted_errors(struct rollout *r)
{
    const struct rollout_fit *f = &r->fit;
    char a[NUM_MAX], b[NUM_MAX], c[NUM_MAX];
    if (f->shifted)
        rollout_say(r, &r->bad,
                    f->shift > 0
                        ? _("the log-probabilities are shifted by one token: compared with the next rollout token, "
                            "the mean difference is %s instead of %s")
                        : _("the log-probabilities are shifted by one token: compared with the previous rollout "
                            "token, the mean difference is %s instead of %s"),
                    num_cell(a, f->shifted_abs, 3), num_cell(b, r->all.mean_abs, 3));
    if (f->scaled)
        rollout_say(r, &r->bad,
                    _("the trainer log-probabilities are %s times those of the rollout, within %s %%: a different "
                      "base of the logarithm (1/ln 10 = 0.4343, 1/ln 2 = 1.4427) or a factor"),
                    num_cell(a, f->factor, 5), num_cell(b, 100 * f->factor_rms, 2));
    if (f->renormalised)
        rollout_say(r, &r->bad,
                    f->cut_rollout
                        ? _("the rollout log-probabilities appear to be renormalised after truncation (top-p, top-k "
                            "or min-p), those of the trainer do not: the mean importance ratio is %s ± %s, expected "
                            "1; %s %% of the differences have that sign; probability kept: %s")
                        : _("the trainer log-probabilities appear to be renormalised after truncation (top-p, top-k "
                            "or min-p), those of the rollout do not: the mean importance ratio is %s ± %s, expected "
                            "1; %s %% of the differences have that sign; probability kept: %s"),
                    num_cell(a, f->kept, 4), num_cell(b, f->kept_error, 2), num_cell(c, 100 * f->negative, 3),
                    num_cell((char[NUM_MAX]){0}, f->cut_rollout ? f->kept : 1 / f->kept, 3));
    if (f->tempered)
        rollout_say(r, &r->bad,
                    f->slope < 1
                        ? _("a temperature appears to be applied on one side only: the slope of the log-odds of "
                            "trainer against rollout is %s ± %s over %s tokens, expected 1: the rollout distribution "
                            "is sharper (lower temperature)")
                        : _("a temperature appears to be applied on one side only: the slope of the log-odds of "
                            "trainer against rollout is %s ± %s over %s tokens, expected 1: the trainer distribution "
                            "is sharper (lower temperature)"),
                    num_cell(a, f->slope, 4), num_cell(b, f->slope_error, 2), num_count(c, f->n));
}

static void say_rollout_reasons(struct rollout *r)
{
    const struct rollout_figures *f = &r->all;
    char a[NUM_MAX], b[NUM_MAX];
    if (f->nonfinite)
        rollout_say(r, &r->bad, _("%zu sampled tokens have no finite log-probability"), f->nonfinite);
    say_parted_sequences(r);
    say_fitted_errors(r);
    double mean = r->sizes_only ? f->prob_mean : f->mean_abs;
    if (mean > r->limits.mean_abs)
        rollout_say(r, &r->bad,
                    r->sizes_only
                        ? _("the probabilities differ by %s on average, so the log-probabilities differ by at least "
                            "as much; limit %s")
                        : _("the log-probabilities differ by %s on average, limit %s"),
                    num_cell(a, mean, 3), num_cell(b, r->limits.mean_abs, 3));
}

static void say_rollout_doubts(struct rollout *r)
{
    char a[NUM_MAX];
    size_t positive = 0;
    for (size_t i = 0; i < r->tokens.n && !r->sizes_only; i++)
        positive += r->tokens.v[i].lp[0] > 1e-3 || r->tokens.v[i].lp[1] > 1e-3;
    if (positive)
        rollout_say(r, &r->unread,
                    _("%zu of %zu tokens have a log-probability above 0: these are not natural logarithms of "
                      "probabilities"), positive, r->tokens.n);
    if (r->unpaired[0])
        rollout_say(r, &r->unread, _("%zu trainer sequences are not paired and not compared"), r->unpaired[0]);
    if (r->unpaired[1])
        rollout_say(r, &r->warnings, _("%zu rollout sequences are not paired: the trainer file has fewer sequences"),
                    r->unpaired[1]);
    if (r->counted[ROLLOUT_TRUNCATED])
        rollout_say(r, &r->warnings, _("%zu sequences are longer on one side: only the common tokens are compared"),
                    r->counted[ROLLOUT_TRUNCATED]);
    if (r->dropped)
        rollout_say(r, &r->warnings,
                    _("no mask and no lengths: %s positions with a constant value at the ends of rows are treated as "
                      "padding"),
                    num_count(a, r->dropped));
    else if (!r->side[0].mask && !r->side[1].mask && !r->sizes_only)
        rollout_say(r, &r->warnings, "%s", _("no mask and no lengths: all positions are counted"));
    if (!r->sizes_only && !(r->side[0].has_tokens && r->side[1].has_tokens))
        rollout_say(r, &r->warnings, "%s", _("no token ids on both sides: tokens are aligned by position"));
    if (r->rerouted)
        rollout_say(r, &r->warnings,
                    _("the experts differ in %zu of %zu choices (one per token and layer): replay the rollout routing "
                      "in the trainer, or compute the router in the same way"),
                    r->rerouted, r->routed);
    if (r->sizes_only)
        rollout_say(r, &r->warnings, "%s",
                    _("only absolute differences of probabilities were recorded: they can show that the sides differ, "
                      "but not that they agree; save the log-probabilities of both sides"));
}

static void what_next(struct rollout *r)
{
    const struct rollout_fit *f = &r->fit;
    if (r->verdict == STAGE_PASS)
        return;
    if (f->renormalised || f->tempered)
        rollout_say(r, &r->next, "%s",
                    _("record log-probabilities of the same distribution on both sides: either the trainer divides "
                      "logits by the sampling temperature and the engine returns processed log-probabilities, or both "
                      "return raw ones"));
    else if (f->shifted)
        rollout_say(r, &r->next, "%s",
                    _("shift the labels of one side by one token: the logit at position i predicts token i + 1"));
    else if (r->counted[ROLLOUT_PARTED])
        rollout_say(r, &r->next, "%s",
                    _("compare the tokens first: the text may be retokenised, or the chat template or sequence may "
                      "differ"));
    else
        rollout_say(r, &r->next, "%s",
                    _("compare the weights after the sync: diverge weights TRAINER_CHECKPOINT ENGINE_CHECKPOINT; if "
                      "they are equal, dump the forward pass of one sequence in both engines: diverge compare"));
}

void rollout_judge(struct rollout *r, const struct thresholds_rollout *t)
{
    r->limits = *t;
    first_tokens(r, r->sizes_only ? INFINITY : log(t->ratio));
    say_rollout_reasons(r);
    say_rollout_doubts(r);
    r->verdict = r->bad.n ? STAGE_FAIL : r->unread.n || !r->all.n || r->sizes_only ? STAGE_UNKNOWN : STAGE_PASS;
    if (!r->tokens.n && !r->unread.n)
        rollout_say(r, &r->unread, "%s", _("no token could be compared"));
    what_next(r);
}
