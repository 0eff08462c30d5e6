/* Makes the section of gradient norms: the verdict, the recorded data of each side, the weights sorted by their
 * difference. */
#include "norms/norms_section.h"

#include <math.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"

/* What is recorded, and the evidence for it. */
static void put_norm_side(struct document *d, const struct norm_side *x, bool golden)
{
    static const char *const how[] = {
        [UNIT_USUAL] = N_("usual for named values"),
        [UNIT_FORM] = N_("usual for lists without names"),
        [UNIT_FIGURES] = N_("inferred from the values of the other side"),
        [UNIT_GLOBAL] = N_("they match the global norm printed at that step"),
        [UNIT_TENSOR] = N_("computed from the gradients themselves"),
    };
    char c[NUM_MAX], step[64] = "";
    if (x->step >= 0)
        snprintf(step, sizeof step, _("step %lld, "), (long long)x->step);
    doc_note(d, DOC_NOTE, NULL,
             x->square ? _("%s: %s%s squares of norms, their square roots are compared: %s") : _("%s: %s%s norms, %s"),
             golden ? _("golden") : _("target"), step, num_count(c, x->values.n), _(how[x->unit]));
    doc_detail(d, "%s, %s", x->path, x->format);
}

static void put_norm_row(struct document *d, const struct norms *n, const struct norm_pair *p, double most)
{
    struct buf name = {0};
    char t[NUM_MAX], v[NUM_MAX];
    const char *rel = num_cell(t, 100 * p->rel, 3);
    bool digits = p->rel > 0 && p->rel <= p->unseen;
    bool outlier = p->outlier && n->verdict != STAGE_PASS; /* within all limits there is nothing to check */
    enum doc_tone tone = !outlier ? TONE_PLAIN : n->verdict == STAGE_FAIL ? TONE_BAD : TONE_WARN;
    norm_pair_name(n, p, &name);
    doc_row(d, outlier ? DOC_ADVICE : DOC_NOTE, NULL);
    doc_detail(d, outlier ? _("Outlier: differs by %s %%. First check the backward pass, the precision and the "
                                 "initialisation of its layer.")
                             : _("Differs by %s %%."), rel);
    doc_share(d, isfinite(p->rel) ? (most > 0 ? p->rel / most : 0) : 1);
    doc_cell(d, DOC_NAME, TONE_PLAIN, buf_view(&name));
    for (int s = 0; s < 2; s++)
        doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(num_cell(v, p->norm[s], 7)));
    doc_cellf(d, DOC_NUMBER, digits ? TONE_QUIET : tone, "%s%s %%", digits ? "≈ " : "", rel);
    buf_release(&name);
}

static void put_norm_weights(struct document *d, const struct norms *n, size_t most)
{
    const char *const head[] = {_("weight"), _("target"), _("golden"), _("difference")};
    size_t told = 0, digits = 0;
    double largest = 0;
    for (size_t i = 0; i < n->pairs.n; i++)
        if (isfinite(n->pairs.v[i].rel))
            largest = fmax(largest, n->pairs.v[i].rel);
    doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < n->pairs.n; i++) {
        const struct norm_pair *p = &n->pairs.v[i];
        if (i >= most && !p->outlier)
            continue;
        put_norm_row(d, n, p, largest);
        digits += p->rel > 0 && p->rel <= p->unseen;
        told++;
    }
    if (digits)
        doc_say(d, TONE_QUIET, "%s", _("≈: within the printed precision"));
    if (n->pairs.n > told)
        doc_note(d, DOC_NOTE, NULL,
                 _("%zu weights with smaller differences are not listed; `diverge norms` with -o FILE.csv writes all"),
                 n->pairs.n - told);
}

void norms_section(struct document *d, const struct norms *n, size_t most)
{
    size_t outliers = 0;
    double largest = 0;
    char m[NUM_MAX], most_text[NUM_MAX];
    for (size_t i = 0; i < n->pairs.n; i++) {
        outliers += n->pairs.v[i].outlier;
        if (isfinite(n->pairs.v[i].rel))
            largest = fmax(largest, n->pairs.v[i].rel);
    }
    doc_verdict(d, n->verdict, "local-norm", _("The gradient norms agree."), _("The gradient norms differ."));
    if (isnan(n->median))
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" Weights compared: %zu."), n->pairs.n);
    else if (n->verdict == STAGE_PASS) /* an outlier within all limits is no contradiction, but may look like one */
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" Weights compared: %zu, median difference %s %%, largest %s %%."),
                  n->pairs.n, num_cell(m, 100 * n->median, 3), num_cell(most_text, 100 * largest, 3));
    else
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" Weights compared: %zu, outliers: %zu, median difference %s %%."),
                  n->pairs.n, outliers, num_cell(m, 100 * n->median, 3));
    doc_unread(d, n->unread.v, n->unread.n);
    if (n->not_gradients)
        doc_note(d, DOC_OPEN, "gradients", "%s", _("these are weights, not gradients"));
    for (int s = 0; s < 2; s++)
        put_norm_side(d, &n->side[s], s);
    doc_notes(d, DOC_ADVICE, n->warnings.v, n->warnings.n);
    if (n->pairs.n)
        put_norm_weights(d, n, most);
    doc_notes(d, DOC_NEXT, n->next.v, n->next.n);
}
