/* Panel 5: one optimizer step of each side, replayed, and the evidence of the second loss. */
#include "base/msg.h"
#include "optimizer/optimizer_section.h"
#include "panel/procedure.h"

static void second_loss(struct panel_page *p, const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_CURVES);
    const struct curves *c = r ? r->curves : NULL;
    if (!c || c->first_loss != STAGE_PASS || c->usable.n < 3)
        return;
    if (c->apart_at >= 0) {
        const struct panel_item *it = page_item(
            p, MARK_ADVICE, NULL, _("the first loss agrees and the loss of step %lld does not: backward or optimizer"),
            (long long)c->apart_at);
        p->summary = *p->summary ? p->summary : it->text;
    } else {
        page_item(p, MARK_NOTE, NULL, "%s", _("the losses of steps 1, 2 and 3 agree"));
    }
}

/* The subject of each item; the summary contains the explanation of the step. */
static void set_item_subjects(struct panel_page *p, const struct optimizer *x, size_t first)
{
    size_t reason = 0;
    for (size_t i = first; i < p->items.n && reason < x->reasons.n; i++) {
        struct panel_item *it = &p->items.v[i];
        const struct step_reason *r = &x->reasons.v[reason];
        if (it->mark != MARK_ADVICE)
            continue;
        page_subject(p, it, SUBJECT_HYPOTHESIS, NULL, NULL,
                     arena_fmt(&p->arena, "%s %s", r->side ? "golden" : "target", r->what));
        if (!reason++)
            p->summary = it->text;
    }
    page_find(p, "target-replay")->side = TARGET;
    page_find(p, "golden-replay")->side = GOLDEN;
}

void panel_optimizer(struct panel_page *p, const struct procedure *g)
{
    page_inputs(p, g, PANEL_INPUT_TARGET_STEP, PANEL_INPUT_GOLDEN_STEP, true);
    if (!procedure_pending(p, g, ENGINE_RUN_STEP, "step", _("one optimizer step of both sides"))) {
        const struct optimizer *x = procedure_result(g, ENGINE_RUN_STEP)->step;
        struct document d;
        document_begin(&d);
        optimizer_section(&d, x);
        set_item_subjects(p, x, page_items(p, &d));
        document_release(&d);
    }
    second_loss(p, g);
    page_settle(p, g);
    if (!*p->summary && page_find(p, "step"))
        p->summary = page_find(p, "step")->text;
    if (p->state == PANEL_PASSED)
        p->next = _("Both optimizers match their settings: freeze the weights and compare many steps.");
    else if (!*p->next)
        p->next = _("Save weights, gradients and updated weights of one step on both sides; w writes the code for it.");
}
