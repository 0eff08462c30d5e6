/* Makes the section of a replayed optimizer step: the verdict, each side's step against its settings, what explains a
 * difference, the settings side by side, the weights that differ. */
#include "optimizer/optimizer_section.h"

#include <math.h>

#include "base/msg.h"

#define WORST 12

static void put_replay_result(struct document *d, const struct step_side *s, bool golden)
{
    const char *who = golden ? _("golden") : _("target"), *id = golden ? "golden-replay" : "target-replay";
    char n[NUM_MAX];
    if (!s->replayed)
        doc_note(d, DOC_OPEN, id, _("%s: the step could not be replayed"), who);
    else if (isinf(s->residual))
        doc_note(d, DOC_BAD, id, _("%s: the step does not match the settings: no weight was updated"), who);
    else
        doc_note(d, s->reproduced ? DOC_OK : DOC_BAD, id,
                 s->reproduced ? _("%s: the step matches the settings, %s %% unexplained")
                               : _("%s: the step does not match the settings, %s %% unexplained"),
                 who, num_cell(n, 100 * s->residual, 3));
    doc_detail(d, "%s", s->path);
}

static void put_step_reason(struct document *d, const struct step_reason *r)
{
    char n[NUM_MAX], left[NUM_MAX];
    const char *value = step_reason_value(r, n), *is = *value ? " = " : "", *who = r->side ? _("golden") : _("target");
    if (isnan(r->residual))
        doc_note(d, DOC_ADVICE, NULL, _("%s: %s%s%s explains it"), who, r->what, is, value);
    else
        doc_note(d, DOC_ADVICE, NULL,
                 r->combined ? _("%s: %s%s%s explains a part of it; together they leave %s %% unexplained")
                             : _("%s: %s%s%s explains it, %s %% unexplained"),
                 who, r->what, is, value, num_cell(left, 100 * r->residual, 2));
    if (r->detail)
        doc_detail(d, "%s", r->detail);
}

/* In parentheses if the settings do not contain it. */
static void hyper_value(struct document *d, const struct step_side *s, int k)
{
    char n[NUM_MAX];
    double v = s->hyper.v[k];
    const char *text = hyper_params_is_flag((enum hyper_key)k) ? (v > 0 ? _("yes") : _("no")) : num_exact(n, v);
    if (!s->stated)
        doc_cell(d, DOC_NUMBER, TONE_QUIET, str_of(_("not given")));
    else
        doc_cellf(d, DOC_NUMBER, s->hyper.has[k] ? TONE_PLAIN : TONE_QUIET, s->hyper.has[k] ? "%s" : "(%s)", text);
}

/* How far apart the gradients are that go in, where they are. */
static void put_gradients(struct document *d, const struct optimizer *x)
{
    char all[NUM_MAX], one[NUM_MAX];
    if (x->apart[STEP_GRAD] > 0)
        doc_note(d, DOC_NOTE, NULL, _("the gradients differ by %s %%, those of one weight by up to %s %%"),
                 num_cell(all, 100 * x->together[STEP_GRAD], 3), num_cell(one, 100 * x->apart[STEP_GRAD], 3));
}

static void put_hyper_params(struct document *d, const struct optimizer *x)
{
    const char *const head[] = {_("hyper-parameter"), _("target"), _("golden")};
    bool usual = false;
    if (!x->side[0].stated && !x->side[1].stated)
        return;
    doc_table(d, ARRAY_LEN(head), head);
    doc_cell(d, DOC_NAME, TONE_PLAIN, STR("optimizer"));
    for (int s = 0; s < 2; s++) {
        const char *name = x->side[s].hyper.optimizer, *none = x->side[s].stated ? "(AdamW)" : _("not given");
        doc_cell(d, DOC_NUMBER, name ? TONE_PLAIN : TONE_QUIET, str_of(name ? name : none));
        usual |= x->side[s].stated && !name;
    }
    for (int k = 0; k < HYPER_KEYS; k++) {
        doc_cell(d, DOC_NAME, TONE_PLAIN, str_of(hyper_params_name((enum hyper_key)k)));
        for (int s = 0; s < 2; s++) {
            hyper_value(d, &x->side[s], k);
            usual |= x->side[s].stated && !x->side[s].hyper.has[k];
        }
    }
    if (usual)
        doc_say(d, TONE_QUIET, "%s", _("In parentheses: not in the settings; common default."));
}

static void put_worst_weights(struct document *d, const struct optimizer *x)
{
    const char *const head[] = {_("weight"), _("relative L2")};
    char n[NUM_MAX];
    if (x->worst.n)
        doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < x->worst.n && i < WORST; i++) {
        doc_cell(d, DOC_NAME, TONE_PLAIN, str_of(x->worst.v[i].param));
        doc_cell(d, DOC_NUMBER, TONE_PLAIN, str_of(num_error(n, x->worst.v[i].rel_l2)));
    }
    if (x->worst.n > WORST)
        doc_say(d, TONE_QUIET, _("… and %zu more"), x->worst.n - WORST);
}

void optimizer_section(struct document *d, const struct optimizer *x)
{
    doc_verdict(d, x->verdict, "step", _("The optimizer steps agree."), _("The optimizer steps differ."));
    doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" %zu of %zu weights differ after the step."), x->differing, x->pairs);
    doc_unread(d, x->unread.v, x->unread.n);
    for (int s = 0; s < 2; s++)
        put_replay_result(d, &x->side[s], s);
    for (size_t i = 0; i < x->reasons.n; i++)
        put_step_reason(d, &x->reasons.v[i]);
    put_gradients(d, x);
    put_hyper_params(d, x);
    put_worst_weights(d, x);
    doc_notes(d, DOC_ADVICE, x->warnings.v, x->warnings.n);
    doc_notes(d, DOC_NEXT, x->next.v, x->next.n);
}
