/* Makes the section of trainer and rollout. */
#include "rollout/rollout_section.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"

#define STRETCHES 8 /* rows of the table of positions */

static void put_rollout_side(struct document *d, const struct rollout *r, int k)
{
    const struct rollout_side *s = &r->side[k];
    char n[NUM_MAX], m[NUM_MAX];
    doc_note(d, DOC_NOTE, NULL, _("%s: %s, sequences: %s, counted tokens: %s (%s)"), k ? _("rollout") : _("trainer"),
             s->column, num_count(n, s->sequences), num_count(m, s->tokens), s->mask ? s->mask : _("no mask"));
    doc_detail(d, "%s, %s", s->path, s->format);
}

static void put_rollout_figures(struct document *d, const struct rollout *r)
{
    const struct rollout_figures *f = &r->all;
    char a[NUM_MAX], b[NUM_MAX], c[NUM_MAX], x[NUM_MAX], y[NUM_MAX];
    if (!r->sizes_only) {
        doc_note(d, DOC_NOTE, NULL,
                 _("log-probabilities: |difference| mean %s, median %s, 90 %% below %s, 99 %% below %s, largest %s; "
                   "signed mean %s"),
                 num_cell(a, f->mean_abs, 3), num_cell(b, f->quantile[0], 3), num_cell(c, f->quantile[1], 3),
                 num_cell(x, f->quantile[2], 3), num_cell(y, f->max_abs, 3), num_cell((char[NUM_MAX]){0}, f->mean, 3));
    }
    doc_note(d, DOC_NOTE, NULL,
             isnan(f->correlation) ? _("probabilities: |difference| mean %s, largest %s, standard deviation %s")
                                   : _("probabilities: |difference| mean %s, largest %s, standard deviation %s; "
                                       "correlation %s"),
             num_cell(a, f->prob_mean, 3), num_cell(b, f->prob_max, 3), num_cell(c, f->prob_std, 3),
             num_cell(x, f->correlation, 5));
    doc_detail(d, "%s", _("Logged by verl as rollout_probs_diff and rollout_actor_probs_pearson_corr."));
    if (r->sizes_only)
        return;
    doc_note(d, DOC_NOTE, NULL, _("KL(rollout ‖ trainer): k1 %s, k2 %s, k3 %s"), num_cell(a, f->k1, 3),
             num_cell(b, f->k2, 3), num_cell(c, f->k3, 3));
    doc_detail(
        d, "%s",
        _("Estimated from the sampled tokens, r = trainer/rollout: k1 = −log r, k2 = (log r)²/2, k3 = r − 1 − log r "
          "(Schulman 2020)."));
    doc_note(d, DOC_NOTE, NULL, _("importance ratio: mean %s ± %s, from %s to %s; effective sample size %s %%"),
             num_cell(a, f->ratio_mean, 4), num_cell(b, f->ratio_error, 2), num_cell(c, f->ratio_min, 3),
             num_cell(x, f->ratio_max, 3), num_cell(y, 100 * f->effective, 3));
    doc_note(d, DOC_NOTE, NULL, _("clipped at ε = %s: %s below, %s above, of %s; ratio beyond %s: %s"),
             num_cell(a, r->limits.epsilon, 3), num_count(b, f->clipped_low), num_count(c, f->clipped_high),
             num_count(x, f->n), num_cell(y, r->limits.ratio, 3), num_count((char[NUM_MAX]){0}, f->far));
    if (r->fit.slope > 0)
        doc_note(d, DOC_NOTE, NULL, _("log-odds: slope %s ± %s of trainer against rollout (%s tokens); expected 1"),
                 num_cell(a, r->fit.slope, 4), num_cell(b, r->fit.slope_error, 2), num_count(c, r->fit.n));
    if (r->routed)
        doc_note(d, DOC_NOTE, NULL, _("experts: %s of %s choices differ"), num_count(a, r->rerouted),
                 num_count(b, r->routed));
}

static const char *number_or_dash(char n[NUM_MAX], double v)
{
    return isnan(v) ? "–" : num_cell(n, v, 3);
}

static void group_cells(struct document *d, const struct rollout *r, const struct rollout_group *g, char n[NUM_MAX])
{
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(num_count(n, g->n)));
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(number_or_dash(n, g->mean)));
    doc_cell(d, DOC_NUMBER, g->mean_abs > r->limits.mean_abs ? TONE_BAD : TONE_PLAIN,
             str_of(number_or_dash(n, g->mean_abs)));
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(g->n ? number_or_dash(n, g->max_abs) : "–"));
}

/* The position of differences along the sequences: bars, and a table of a few stretches, which every form of output
 * has. */
static void put_rollout_positions(struct document *d, const struct rollout *r)
{
    const char *const head[] = {_("position"), _("tokens"), _("mean"), _("mean |d|"), _("largest |d|")};
    size_t each = (r->positions + STRETCHES - 1) / STRETCHES;
    double most = 0;
    char n[NUM_MAX], end[NUM_MAX];
    if (r->positions < 2)
        return;
    for (size_t i = 0; i < r->positions; i++)
        most = fmax(most, r->position[i].n ? r->position[i].mean_abs : 0);
    struct doc_figure *f =
        doc_figure(d, (uint32_t)r->positions, "0", num_count(end, r->positions * r->position_width), "");
    for (size_t i = 0; i < r->positions; i++) {
        f->height[i] = r->position[i].n && most > 0 ? r->position[i].mean_abs / most : r->position[i].n ? 0 : NAN;
        f->tone[i] = r->position[i].mean_abs > r->limits.mean_abs ? TONE_BAD : TONE_PLAIN;
    }
    doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < r->positions; i += each) {
        struct rollout_group g = {0};
        for (size_t k = i; k < i + each && k < r->positions; k++) {
            const struct rollout_group *x = &r->position[k];
            double w = (double)x->n;
            g.n += x->n;
            g.mean += x->n ? w * x->mean : 0;
            g.mean_abs += x->n ? w * x->mean_abs : 0;
            g.max_abs = fmax(g.max_abs, x->max_abs);
        }
        g.mean /= (double)g.n;
        g.mean_abs /= (double)g.n;
        doc_cellf(d, DOC_NUMBER, TONE_PLAIN, "%zu…", i * r->position_width);
        group_cells(d, r, &g, n);
    }
}

static void put_rollout_rounds(struct document *d, const struct rollout *r)
{
    const char *const head[] = {_("round"), _("tokens"), _("mean"), _("mean |d|"), _("largest |d|")};
    char n[NUM_MAX];
    if (r->rounds.n < 2)
        return;
    doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < r->rounds.n && i < 16; i++) {
        doc_cellf(d, DOC_NUMBER, TONE_PLAIN, "%zu", i);
        group_cells(d, r, &r->rounds.v[i], n);
    }
}

static const char *rollout_pairing_word(enum rollout_pairing p)
{
    static const char *const words[] = {
        [ROLLOUT_WHOLE] = "", [ROLLOUT_TRUNCATED] = N_("truncated"), [ROLLOUT_PARTED] = N_("tokens differ"),
        [ROLLOUT_UNALIGNED] = N_("not aligned"),
    };
    return *words[p] ? _(words[p]) : "";
}

static void put_rollout_sequence(struct document *d, const struct rollout *r, uint32_t at, double most)
{
    const struct rollout_sequence *s = &r->sequences.v[at];
    struct buf name = {0};
    char n[NUM_MAX];
    bool bad = s->mean_abs > r->limits.mean_abs || s->nonfinite || s->pairing >= ROLLOUT_PARTED;
    rollout_sequence_name(r, at, &name);
    doc_row(d,
            s->pairing == ROLLOUT_UNALIGNED   ? DOC_OPEN
            : bad || s->first != ROLLOUT_NONE ? DOC_ADVICE
                                              : DOC_NOTE,
            NULL);
    if (s->worst != ROLLOUT_NONE) {
        const struct rollout_token *t = &r->tokens.v[s->worst];
        doc_detail(d, _("Largest difference at token %zu: trainer %s, rollout %s."), (size_t)s->worst - s->from,
                   num_cell(n, t->lp[0], 6), num_cell((char[NUM_MAX]){0}, t->lp[1], 6));
    }
    doc_share(d, isfinite(s->mean_abs) ? (most > 0 ? s->mean_abs / most : 0) : 1);
    doc_cell(d, DOC_NAME, TONE_PLAIN, buf_view(&name));
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(num_count(n, s->n)));
    doc_cell(d, DOC_NUMBER, bad ? TONE_BAD : TONE_PLAIN, str_of(number_or_dash(n, s->mean_abs)));
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(number_or_dash(n, s->max_abs)));
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(r->sizes_only || !s->n ? "–" : num_cell(n, exp(s->sum), 3)));
    if (s->first == ROLLOUT_NONE)
        doc_cell(d, DOC_NUMBER, TONE_QUIET, STR("–"));
    else
        doc_cellf(d, DOC_NUMBER, TONE_WARN, "%zu", (size_t)s->first - s->from);
    doc_cell(d, DOC_TEXT, TONE_WARN, str_of(rollout_pairing_word(s->pairing)));
    buf_release(&name);
}

static void put_rollout_sequences(struct document *d, const struct rollout *r, size_t most)
{
    const char *const head[] = {_("sequence"), _("tokens"), _("mean |d|"), _("largest |d|"), _("ratio"),
                                _("diverges at"), ""};
    double largest = 0;
    for (size_t i = 0; i < r->sequences.n; i++)
        if (isfinite(r->sequences.v[i].mean_abs))
            largest = fmax(largest, r->sequences.v[i].mean_abs);
    doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < r->worst.n && i < most; i++)
        put_rollout_sequence(d, r, r->worst.v[i], largest);
    if (r->worst.n > most)
        doc_note(d, DOC_NOTE, NULL,
                 _("%zu sequences with smaller differences are not listed; `diverge rollout` with -o FILE.csv "
                   "writes all tokens"),
                 r->worst.n - most);
}

static void put_first_token(struct document *d, const struct rollout *r)
{
    struct buf name = {0};
    char a[NUM_MAX], b[NUM_MAX], c[NUM_MAX];
    if (r->first == ROLLOUT_NONE)
        return;
    const struct rollout_token *t = &r->tokens.v[r->first];
    rollout_sequence_name(r, r->first_sequence, &name);
    doc_note(d, DOC_ADVICE, "rollout-first",
             _("first token that diverges (ratio beyond %s): sequence %s, token %zu: trainer %s, rollout %s"),
             num_cell(a, r->limits.ratio, 3), name.p, (size_t)r->first - r->sequences.v[r->first_sequence].from,
             num_cell(b, t->lp[0], 6), num_cell(c, t->lp[1], 6));
    buf_release(&name);
}

void rollout_section(struct document *d, const struct rollout *r, size_t most)
{
    char n[NUM_MAX], m[NUM_MAX], a[NUM_MAX], b[NUM_MAX];
    doc_verdict(d, r->verdict, "rollout", _("Trainer and rollout agree."), _("Trainer and rollout do not agree."));
    if (r->all.n)
        doc_cellf(
            d, DOC_TEXT, TONE_PLAIN,
            r->sizes_only ? _(" Tokens compared: %s of %s sequences, mean |difference of probabilities| %s, limit %s.")
                          : _(" Tokens compared: %s of %s sequences, mean |difference| %s, limit %s."),
            num_count(n, r->all.n), num_count(m, r->sequences.n),
            num_cell(a, r->sizes_only ? r->all.prob_mean : r->all.mean_abs, 3), num_cell(b, r->limits.mean_abs, 3));
    doc_unread(d, r->unread.v, r->unread.n);
    doc_notes(d, DOC_BAD, r->bad.v, r->bad.n);
    for (int k = 0; k < (r->sizes_only ? 1 : 2); k++)
        put_rollout_side(d, r, k);
    doc_note(d, DOC_NOTE, NULL, _("sequences paired: %s"), _(r->paired_by));
    doc_notes(d, DOC_ADVICE, r->warnings.v, r->warnings.n);
    if (r->all.n) {
        put_rollout_figures(d, r);
        put_rollout_positions(d, r);
        put_rollout_rounds(d, r);
    }
    put_first_token(d, r);
    if (r->sequences.n)
        put_rollout_sequences(d, r, most);
    doc_notes(d, DOC_NEXT, r->next.v, r->next.n);
}
