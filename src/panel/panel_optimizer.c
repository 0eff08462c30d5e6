/* Panel 5: one optimizer step of each side, replayed; and what the second loss says of it. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "panel/procedure.h"

static void second_loss(struct panel_page *p, const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_CURVES);
    const struct curves *c = r ? r->curves : NULL;
    if (!c || c->first_loss != STAGE_PASS || c->usable.n < 3)
        return;
    if (c->apart_at >= 0)
        page_item(p, MARK_ADVICE, NULL, _("the first loss agrees and the loss of step %lld does not: backward or optimizer"), (long long)c->apart_at);
    else
        page_item(p, MARK_NOTE, NULL, "%s", _("the losses of steps 2 and 3 agree as the first does"));
}

static void a_side(struct panel_page *p, const struct optimizer *x, int side)
{
    const struct step_side *s = &x->side[side];
    const char *who = side ? _("golden") : _("target");
    char n[NUM_MAX];
    struct panel_item *it;
    if (!s->replayed)
        it = page_item(p, MARK_OPEN, side ? "golden-replay" : "target-replay", _("%s: its step could not be replayed"), who);
    else
        it = page_item(p, s->reproduced ? MARK_OK : MARK_BAD, side ? "golden-replay" : "target-replay",
                       s->reproduced ? _("%s: AdamW with its settings gives its weights (%s %% left unexplained)")
                                     : _("%s: AdamW with its settings does not give its weights (%s %% left unexplained)"),
                       who, num_cell(n, 100 * s->residual, 2));
    it->side = side;
}

static void reasons(struct panel_page *p, const struct optimizer *x)
{
    char n[NUM_MAX];
    for (size_t i = 0; i < x->reasons.n; i++) {
        const struct step_reason *r = &x->reasons.v[i];
        const char *value = r->text ? r->text : isnan(r->value) ? "" : r->flag ? (r->value > 0 ? _("yes") : _("no")) : num_cell(n, r->value, 4);
        struct panel_item *it = page_item(p, MARK_ADVICE, NULL, _("%s: %s %s would explain it"), r->side ? _("golden") : _("target"), r->what, value);
        page_subject(p, it, SUBJECT_HYPOTHESIS, NULL, NULL, arena_fmt(&p->arena, "%s %s", r->side ? "golden" : "target", r->what));
        it->detail = arena_fmt(&p->arena, "%s", r->detail ? r->detail : "");
    }
}

void panel_optimizer(struct panel_page *p, const struct procedure *g)
{
    page_inputs(p, g, PANEL_INPUT_TARGET_STEP, PANEL_INPUT_GOLDEN_STEP, true);
    if (!procedure_pending(p, g, ENGINE_RUN_STEP, "step", _("one optimizer step of both sides"))) {
        const struct optimizer *x = procedure_result(g, ENGINE_RUN_STEP)->step;
        a_side(p, x, TARGET);
        a_side(p, x, GOLDEN);
        page_item(p, x->verdict == STAGE_PASS ? MARK_OK : x->verdict == STAGE_FAIL ? MARK_BAD : MARK_OPEN, "step",
                  _("after the step %zu of %zu weights differ"), x->differing, x->pairs);
        reasons(p, x);
        page_sentences(p, MARK_NOTE, x->warnings.v, x->warnings.n);
        p->next = x->next.n ? x->next.v[0] : "";
    }
    second_loss(p, g);
    page_settle(p, g);
    for (size_t i = 0; i < p->items.n; i++)
        if (p->items.v[i].mark == MARK_ADVICE || (p->items.v[i].id && strcmp(p->items.v[i].id, "step") == 0)) {
            p->summary = p->items.v[i].text;
            if (p->items.v[i].mark == MARK_ADVICE)
                break;
        }
    if (p->state == PANEL_PASSED)
        p->next = _("Both optimizers do what their settings say: freeze the weights and look at many steps.");
    else if (!*p->next)
        p->next = _("Save weights, gradients and updated weights of one step on both sides; w writes the code that does.");
}
