/* The backward pass and one optimizer step: gradient norms of every weight, what stands out first; the step replayed. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "report/report_sections.h"

#define LISTED 20
#define OUTLIERS 60
#define WORST 12

/* ---- local norm ---- */

static void norm_row(struct building *b, const struct norms *n, const struct norm_pair *x)
{
    char t[NUM_MAX];
    enum doc_tone tone = !x->outlier ? TONE_PLAIN : n->verdict == STAGE_FAIL ? TONE_BAD : TONE_WARN;
    norm_pair_name(n, x, &b->name);
    doc_cell(b->d, DOC_NAME, TONE_PLAIN, buf_view(&b->name));
    for (int s = 0; s < 2; s++)
        doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_cell(t, x->norm[s], 7)));
    doc_cellf(b->d, DOC_NUMBER, tone, "%s %%", num_cell(t, 100 * x->rel, 3));
    doc_cell(b->d, DOC_TEXT, x->outlier ? tone : TONE_QUIET,
             str_of(x->outlier ? _("stands out") : x->rel > 0 && x->rel <= x->unseen ? _("no more than the digits printed leave open") : ""));
}

/* What is recorded, and how that is known. */
static void units(struct building *b, const struct norms *n)
{
    static const char *const how[] = {
        [UNIT_USUAL] = N_("as values with a name are"),     [UNIT_FORM] = N_("as lists without names are"),
        [UNIT_FIGURES] = N_("the other side's figures say so"), [UNIT_GLOBAL] = N_("they add up to the global norm printed at that step"),
        [UNIT_TENSOR] = N_("computed from the gradients themselves"),
    };
    for (int s = 0; s < 2; s++) {
        const struct norm_side *x = &n->side[s];
        doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_TEXT, TONE_QUIET, "%s: ", s ? _("golden") : _("target"));
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, x->square ? _("squares of norms, of which the roots are compared (%s)") : _("norms (%s)"), _(how[x->unit]));
        if (x->step >= 0)
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(", step %lld"), (long long)x->step);
    }
}

void report_norms(struct building *b)
{
    const struct procedure *g = b->o->guide;
    const char *const head[] = {_("weight"), _("target"), _("golden"), _("difference"), ""};
    size_t out = 0, told = 0;
    char m[NUM_MAX];
    const struct investigation *v = b->o->inv;
    bool asked = v && panel_input_path(v, PANEL_INPUT_TARGET_NORMS) && panel_input_path(v, PANEL_INPUT_GOLDEN_NORMS);
    if (g && g->exam[ENGINE_RUN_NORMS].state == ENGINE_RUN_FAILED && !asked)
        return; /* logs or dumps without norms: nothing is wrong with them */
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_NORMS);
    if (!r)
        return;
    const struct norms *n = r->norms;
    for (size_t i = 0; i < n->pairs.n; i++)
        out += n->pairs.v[i].outlier;
    report_stage(b, n->verdict, _("The gradient norms agree."), _("The gradient norms do not agree."));
    if (n->pairs.n)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" %zu weights are on both sides; their median difference is %s %%; %zu stand out."), n->pairs.n,
                  num_cell(m, 100 * n->median, 2), out);
    units(b, n);
    if (n->pairs.n)
        doc_table(b->d, ARRAY_LEN(head), head);
    for (int outliers = 1; outliers >= 0; outliers--)
        for (size_t i = 0, of = 0; i < n->pairs.n && of < (outliers ? OUTLIERS : LISTED); i++)
            if (n->pairs.v[i].outlier == (outliers == 1)) {
                norm_row(b, n, &n->pairs.v[i]);
                of++;
                told++;
            }
    if (n->pairs.n > told)
        doc_say(b->d, TONE_QUIET, _("%zu weights that differ less are not listed"), n->pairs.n - told);
    report_sentences(b, TONE_WARN, n->warnings.v, n->warnings.n);
    report_sentences(b, TONE_PLAIN, n->next.v, n->next.n);
}

/* ---- optimizer ---- */

static void hyper_value(struct building *b, const struct step_side *s, int k)
{
    char n[NUM_MAX];
    if (!s->stated)
        doc_cell(b->d, DOC_NUMBER, TONE_QUIET, str_of(_("not given")));
    else if (hyper_params_is_flag((enum hyper_key)k))
        doc_cell(b->d, DOC_NUMBER, s->hyper.has[k] ? TONE_PLAIN : TONE_QUIET, str_of(s->hyper.v[k] > 0 ? _("yes") : _("no")));
    else
        doc_cell(b->d, DOC_NUMBER, s->hyper.has[k] ? TONE_PLAIN : TONE_QUIET, str_of(num_exact(n, s->hyper.v[k])));
}

static void sides(struct building *b, const struct optimizer *x)
{
    const char *const head[] = {"", _("target"), _("golden")};
    char n[NUM_MAX];
    doc_table(b->d, ARRAY_LEN(head), head);
    doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(_("AdamW with its settings gives its weights")));
    for (int s = 0; s < 2; s++) {
        const struct step_side *y = &x->side[s];
        doc_cell(b->d, DOC_NUMBER, !y->replayed ? TONE_WARN : y->reproduced ? TONE_GOOD : TONE_BAD,
                 str_of(!y->replayed ? _("could not be replayed") : y->reproduced ? _("yes") : _("no")));
    }
    doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(_("of the update left unexplained")));
    for (int s = 0; s < 2; s++)
        if (isnan(x->side[s].residual))
            doc_cell(b->d, DOC_NUMBER, TONE_QUIET, STR("–"));
        else
            doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%s %%", num_cell(n, 100 * x->side[s].residual, 2));
    for (int k = 0; k < HYPER_KEYS; k++) {
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(hyper_params_name((enum hyper_key)k)));
        for (int s = 0; s < 2; s++)
            hyper_value(b, &x->side[s], k);
    }
    doc_say(b->d, TONE_QUIET, "%s", _("Hyper-parameters in grey are not stated: the value is the usual default."));
}

void report_optimizer(struct building *b)
{
    const char *const head[] = {_("weight"), _("relative L2")};
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_STEP);
    char n[NUM_MAX];
    if (!r)
        return;
    const struct optimizer *x = r->step;
    report_stage(b, x->verdict, _("The optimizer step agrees."), _("The optimizer step does not agree."));
    doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" After the step %zu of %zu weights differ."), x->differing, x->pairs);
    for (size_t i = 0; i < x->reasons.n; i++) {
        const struct step_reason *q = &x->reasons.v[i];
        const char *value = q->text ? q->text : isnan(q->value) ? "" : q->flag ? (q->value > 0 ? _("yes") : _("no")) : num_exact(n, q->value);
        doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_STRONG, i ? TONE_PLAIN : TONE_BAD, q->combined ? _("%s: %s%s%s would explain a part of it") : _("%s: %s%s%s would explain it"),
                  q->side ? _("golden") : _("target"), q->what, *value ? " = " : "", value);
        if (!isnan(q->residual))
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(", with %s %% left unexplained"), num_cell(n, 100 * q->residual, 2));
        if (q->detail)
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, " (%s)", q->detail);
    }
    sides(b, x);
    if (x->worst.n)
        doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < x->worst.n && i < WORST; i++) {
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(x->worst.v[i].param));
        doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_error(n, x->worst.v[i].rel_l2)));
    }
    if (x->worst.n > WORST)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), x->worst.n - WORST);
    report_sentences(b, TONE_WARN, x->warnings.v, x->warnings.n);
    report_sentences(b, TONE_PLAIN, x->next.v, x->next.n);
}
