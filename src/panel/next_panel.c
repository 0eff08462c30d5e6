/* The decision tree of the procedure, one row per branch; the first branch whose condition is true gives the next
 * panel. */
#include "base/msg.h"
#include "panel/dump_run.h"
#include "panel/procedure.h"

static bool has_failed(const struct procedure *g, int panel)
{
    return g->page[panel - 1].state == PANEL_FAILED;
}

static bool is_judged_panel(const struct procedure *g, int panel)
{
    enum panel_state s = g->page[panel - 1].state;
    return s == PANEL_PASSED || s == PANEL_FAILED || s == PANEL_WAIVED;
}

static const struct curves *judged_curves(const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_CURVES);
    return r ? r->curves : NULL;
}

/* Some panel failed, and panel 8 holds the explanation with its proof. */
static bool is_explained(const struct procedure *g)
{
    bool any = false;
    for (int i = 1; i <= procedure_panels(g); i++)
        any |= i != PANEL_FINDINGS && has_failed(g, i);
    return any && g->page[PANEL_FINDINGS - 1].state == PANEL_PASSED;
}

/* Hooks that change what is computed come before anything else. */
static bool dump_is_another_run(const struct procedure *g)
{
    return page_dump_run_open(&g->page[1]);
}

static bool settings_differ(const struct procedure *g)
{
    return has_failed(g, 1);
}

static bool data_differ(const struct procedure *g)
{
    return has_failed(g, 2);
}

static bool first_step_differs(const struct procedure *g)
{
    return has_failed(g, 3);
}

/* The first loss agrees and the second or third leaves by a jump. */
static bool second_step_differs(const struct procedure *g)
{
    const struct curves *c = judged_curves(g);
    return c && c->first_loss == STAGE_PASS && c->apart_at >= 0;
}

static bool norms_to_do(const struct procedure *g)
{
    return second_step_differs(g) && (!is_judged_panel(g, 4) || has_failed(g, 4));
}

static bool optimizer_to_do(const struct procedure *g)
{
    return second_step_differs(g) && (!is_judged_panel(g, 5) || has_failed(g, 5));
}

static bool backward_again(const struct procedure *g)
{
    return second_step_differs(g) && is_judged_panel(g, 4) && is_judged_panel(g, 5);
}

static bool norms_differ(const struct procedure *g)
{
    return has_failed(g, 4);
}

static bool optimizer_differs(const struct procedure *g)
{
    return has_failed(g, 5);
}

static bool frozen_differs(const struct procedure *g)
{
    return has_failed(g, 6);
}

static bool has_not_finite(const struct procedure *g)
{
    const struct curves *c = judged_curves(g);
    return c && c->nonfinite.n;
}

static bool curves_drift(const struct procedure *g)
{
    const struct curves *c = judged_curves(g);
    return c && has_failed(g, 7) && c->diverges_at >= 0;
}

static bool curves_spike(const struct procedure *g)
{
    const struct curves *c = judged_curves(g);
    return c && has_failed(g, 7) && c->spikes.n;
}

static bool beyond_standard(const struct procedure *g)
{
    return has_failed(g, 7);
}

/* The small run meets the standard and nothing failed: what was reported needs more of the full run. */
static bool not_reproduced(const struct procedure *g)
{
    const struct curves *c = judged_curves(g);
    for (int i = 1; i <= PANELS; i++)
        if (has_failed(g, i))
            return false;
    return c && c->verdict == STAGE_PASS && c->first_loss == STAGE_PASS && g->page[6].state == PANEL_OPEN &&
        !c->spikes.n;
}

static bool rollout_differs(const struct procedure *g)
{
    return procedure_panels(g) == PANELS && has_failed(g, PANEL_ROLLOUT);
}

/* Nothing but rollouts was given. */
static bool rollout_alone(const struct procedure *g)
{
    for (int i = 1; i < PANEL_FINDINGS; i++)
        if (g->page[i - 1].state != PANEL_NOT_STARTED)
            return false;
    return procedure_panels(g) == PANELS && !is_judged_panel(g, PANEL_ROLLOUT);
}

/* The same where both sides' dumps were compared and show where. */
static bool first_row_differs(const struct procedure *g)
{
    const struct comparison *s = g->s;
    return first_step_differs(g) && s->paired && s->judged && !s->single && s->judged->first != NONE;
}

static const char *first_row_told(struct procedure *g)
{
    const char *told = procedure_first_told(g, &g->arena);
    return told ? arena_fmt(&g->arena, _("Step 1 differs, and the dumps show where: %s"), told) : NULL;
}

static const char *norms_told(struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_NORMS);
    const struct norms *n = r ? r->norms : NULL;
    if (n && n->outlier)
        return arena_fmt(&g->arena, _("The gradient of a weight is an outlier: %s. Dump the backward pass of its layer "
                                      "next."), n->outlier);
    return n && n->next.n ? n->next.v[0] : NULL;
}

static const struct {
    bool (*holds)(const struct procedure *g);
    int panel;
    const char *why;
    const char *(*own)(struct procedure *g); /* the same of what was found here; returns NULL where nothing is known */
} branches[] = {
    {is_explained, 8, N_("The root cause is named and confirmed: write the report. Other failures follow from it, or belong "
                         "to a separate ticket."), NULL},
    {dump_is_another_run, 2, N_("The loss in the dump differs from the loss of the run without dump: check that it is "
                                "the same run before you use the dump."), NULL},
    {settings_differ, 1, N_("The settings differ, so the runs are not comparable. Align or waive them first."), NULL},
    {data_differ, 2, N_("Inputs or weights differ, or a run is not deterministic: align these first, because later "
                        "results depend on them."), NULL},
    {first_row_differs, 3, N_("Step 1 differs, and the dumps show where: check the first deviation, and note its cause "
                              "as a finding."), first_row_told},
    {first_step_differs, 3, N_("Step 1 differs, so the forward pass differs. Dump it on both sides and check the first "
                               "deviation."), NULL},
    {norms_to_do, 4, N_("Step 1 agrees, the next step does not: backward or optimizer. Check the local norms first to "
                        "distinguish the two."), NULL},
    {optimizer_to_do, 5, N_("Step 1 and its gradients agree, the next step does not: the optimizer. Replay one step "
                            "of each side."), NULL},
    {backward_again, 4, N_("Optimizer and local norms agree, step 2 does not: dump the backward pass of step 1 in "
                           "detail."), NULL},
    {norms_differ, 4, N_("The gradient of a weight is an outlier: dump the backward pass of its layer next."), norms_told},
    {optimizer_differs, 5, N_("An optimizer does not match its settings, or the settings differ."), NULL},
    {frozen_differs, 6, N_("Outlier step with frozen weights: only its data or the forward pass can cause it."), NULL},
    {has_not_finite, 7, N_("Non-finite loss or norm: find the first non-finite row in a dump of that step; check overflow "
                           "and the loss scale before that step."), NULL},
    {curves_drift, 7, N_("The first steps agree, the losses diverge later: check the step where they diverge, then learning "
                         "rate and weight decay."), NULL},
    {curves_spike, 7, N_("Outlier steps: check their data first, then overflow, then a dump of the step."), NULL},
    {beyond_standard, 7, N_("The first steps agree, but the run does not meet the migration standard: a slow drift. "
                            "Check the optimizer settings, then precision."), NULL},
    {not_reproduced, 7, N_("The difference does not occur in this run. Enlarge the run step by step until it does: add "
                           "one feature, then model size, then devices; compare after each change. Where this takes "
                           "long, go on with the first two steps (panels 3 to 5) meanwhile."), NULL},
    {rollout_differs, PANEL_ROLLOUT, N_("Trainer and rollout engine compute different log-probabilities for the same "
                                        "tokens: check the indications listed in the panel, then the weights after the "
                                        "sync."), NULL},
    {rollout_alone, PANEL_ROLLOUT, N_("Rollouts were given: check panel 9 first."), NULL},
};

static const char *first_open(const struct procedure *g, int *panel)
{
    for (int i = 1; i <= procedure_panels(g); i++) {
        const struct panel_page *p = &g->page[i - 1];
        if (is_judged_panel(g, i))
            continue;
        *panel = i;
        return p->next;
    }
    *panel = 0;
    return _("All panels are judged.");
}

void next_panel(struct procedure *g)
{
    arena_clear(&g->arena);
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++)
        if (branches[i].holds(g)) {
            const char *own = branches[i].own ? branches[i].own(g) : NULL;
            g->next = branches[i].panel;
            g->why = own ? own : _(branches[i].why);
            return;
        }
    g->why = first_open(g, &g->next);
}
