/* Panel 9: reinforcement learning, the trainer against the rollout engine. */
#include "base/msg.h"
#include "panel/procedure.h"
#include "rollout/rollout_section.h"
#include "weights/weights_section.h"

#define ROWS_MOST 2000

/* The target of each line: the sequence, at the token named or otherwise at its largest difference. */
static void lead_to_tokens(struct panel_page *p, const struct rollout *r, struct panel_item *it, uint32_t sequence,
                           uint32_t token)
{
    const struct rollout_sequence *s = &r->sequences.v[sequence];
    if (it && token != ROLLOUT_NONE)
        it->command = arena_fmt(&p->arena, "tokens %u %u", s->row[0], token - (uint32_t)s->from);
}

static void add_rollout_verdict(struct panel_page *p, const struct procedure *g)
{
    const struct rollout *r = procedure_result(g, ENGINE_RUN_ROLLOUT)->rollout;
    struct document d;
    document_begin(&d);
    rollout_section(&d, r, ROWS_MOST);
    page_items(p, &d);
    if (r->first != ROLLOUT_NONE)
        lead_to_tokens(p, r, page_find(p, "rollout-first"), r->first_sequence, r->first);
    size_t first = page_rows(p, &d);
    for (size_t i = first; i < p->items.n && i - first < r->worst.n; i++) {
        const struct rollout_sequence *s = &r->sequences.v[r->worst.v[i - first]];
        p->items.v[i].text = arena_fmt(&p->arena, _("sequence %s"), p->items.v[i].text);
        lead_to_tokens(p, r, &p->items.v[i], r->worst.v[i - first], s->first != ROLLOUT_NONE ? s->first : s->worst);
    }
    document_release(&d);
}

static void add_sync_weights(struct panel_page *p, const struct procedure *g)
{
    bool given = panel_input_path(g->inv, PANEL_INPUT_TRAIN_SYNC) || panel_input_path(g->inv, PANEL_INPUT_ROLLOUT_SYNC);
    struct document d;
    if (!given || procedure_pending(p, g, ENGINE_RUN_SYNC, "sync", _("weights after the sync")))
        return;
    const struct weight_compare *c = procedure_result(g, ENGINE_RUN_SYNC)->weights;
    document_begin(&d);
    weights_section(&d, c);
    size_t from = page_items(p, &d);
    if (from < p->items.n && p->items.v[from].id) {
        p->items.v[from].id = "sync";
        page_detail(p, &p->items.v[from], _("Weights after the sync: `diverge weights` lists every pair."));
    }
    document_release(&d);
}

void panel_rollout(struct panel_page *p, const struct procedure *g)
{
    page_input(p, g, PANEL_INPUT_TRAIN_PROBS, true);
    page_input(p, g, PANEL_INPUT_ROLLOUT_PROBS, false);
    page_input(p, g, PANEL_INPUT_TRAIN_SYNC, false);
    page_input(p, g, PANEL_INPUT_ROLLOUT_SYNC, false);
    bool pending =
        procedure_pending(p, g, ENGINE_RUN_ROLLOUT, "rollout", _("log-probabilities of trainer and rollout"));
    if (!pending)
        add_rollout_verdict(p, g);
    add_sync_weights(p, g);
    page_settle(p, g);
    if (!*p->summary)
        p->summary = page_find(p, "rollout") ? page_find(p, "rollout")->text : "";
    if (!*p->next)
        p->next = p->state == PANEL_PASSED
                      ? _("Trainer and rollout agree: continue with rewards and advantages.")
                      : _("Give the log-probabilities of the same tokens from both engines: a verl batch, slime debug "
                          "data, or JSON lines.");
}
