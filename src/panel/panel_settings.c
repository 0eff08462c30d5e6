/* Panel 1: the checklist. */
#include "base/msg.h"
#include "config/settings_section.h"
#include "panel/known_causes.h"

/* One question for all checks whose files were not given. */
static void add_unanswered_checks(struct panel_page *p, const struct config_compare *c)
{
    struct buf names = {0};
    size_t named = 0;
    for (size_t i = 0; i < c->checks.n && named < 6; i++)
        if (config_check_closed(&c->checks.v[i]))
            buf_fmt(&names, "%s%.*s", named++ ? ", " : "", STR_ARG(c->checks.v[i].row->key));
    if (named) {
        struct panel_item *it =
            page_item(p, MARK_OPEN, "settings", _("not in the files given: %zu checks of severity error (%s%s)"),
                      c->closed, names.p, c->closed > named ? " …" : "");
        it->need = "settings";
        page_detail(p, it, "%s", _("Give the settings of the whole run (launch script, printed arguments, yaml) and "
                                   "the environment, or confirm that the runs agree in these."));
    }
    buf_release(&names);
}

static void add_checks(struct panel_page *p, const struct procedure *g, const struct config_compare *c)
{
    struct document d;
    document_begin(&d);
    settings_section(&d, c, SETTINGS_ALL);
    page_known_causes(p, g, "check:");
    page_items(p, &d);
    for (size_t i = page_rows(p, &d); i < p->items.n; i++)
        page_subject(p, &p->items.v[i], SUBJECT_SETTING, NULL, NULL, p->items.v[i].id);
    document_release(&d);
}

/* The batch that a log counts, against the one that its own side's settings ask for. A product of settings is less
 * certain: a launcher may set one of them. */
static void logged_batch(struct panel_page *p, const struct procedure *g, const struct config_compare *c)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_CURVES);
    for (size_t i = 0; r && i < c->checks.n; i++) {
        const struct config_check *k = &c->checks.v[i];
        for (int s = 0; str_is(k->row->key, "global_batch_size") && s < 2; s++) {
            double samples = (double)curves_batch(r->curves, s);
            if (k->value[s].state != VALUE_SET || !k->value[s].number || !(samples > 0))
                continue;
            bool same = samples >= k->value[s].num && samples <= k->value[s].num;
            struct panel_item *it =
                page_item(p, same ? MARK_OK : k->value[s].how.n ? MARK_ADVICE : MARK_BAD, "batch-logged",
                          s ? _("golden: %.0f samples per step in the log, %.0f in the settings")
                            : _("target: %.0f samples per step in the log, %.0f in the settings"),
                          samples, k->value[s].num);
            it->detail = same ? NULL : _("The log is of another run, or the run took other settings than these.");
        }
    }
}

/* Shared experts among a side's names, and a gate on them; "gate_proj" and "gate_up" are parts of the expert itself. */
struct shared_gate {
    bool experts, gate;
    const char *name; /* of the gate */
};

static void look_for_gate(struct shared_gate *x, struct str name, struct arena *a)
{
    static const struct str gates[] = {STR("shared_expert_gate"), STR("shared_experts_gate"), STR("gate_weight"),
                                       STR("shared_expert.gate.weight"), STR("shared_experts.gate.weight")};
    if (!str_ihas(name, "shared_expert"))
        return;
    x->experts = true;
    for (size_t i = 0; i < ARRAY_LEN(gates) && !x->gate; i++)
        if (str_ihas(name, gates[i].p) && !str_ihas(name, "gate_proj") && !str_ihas(name, "gate_up")) {
            x->gate = true;
            x->name = arena_str(a, name).p;
        }
}

static struct shared_gate find_shared_gate(const struct procedure *g, int side, struct arena *a)
{
    struct shared_gate x = {0};
    const struct engine_run_result *w = procedure_result(g, ENGINE_RUN_WEIGHTS);
    const struct dump *d = &g->s->side[side].dump;
    for (size_t i = 0; w && i < w->weights->side[side].list.n && !x.gate; i++)
        look_for_gate(&x, w->weights->side[side].list.v[i].name, a);
    for (size_t i = 0; g->s->paired && !g->s->single && i < d->scopes.n && !x.gate; i++)
        look_for_gate(&x, str_of(d->scopes.v[i]), a);
    return x;
}

/* The gate on shared experts: what the settings say against what weights and dumps have. */
static void shared_gate(struct panel_page *p, const struct procedure *g, const struct config_compare *c)
{
    for (size_t i = 0; i < c->checks.n; i++) {
        const struct config_check *k = &c->checks.v[i];
        for (int s = 0; str_is(k->row->key, "use_shared_expert_gating") && s < 2; s++) {
            struct shared_gate x = find_shared_gate(g, s, &p->arena);
            if (!x.experts || k->value[s].state != VALUE_SET)
                continue;
            enum panel_mark mark = value_true(&k->value[s]) == x.gate ? MARK_OK : MARK_BAD;
            const char *side = s ? _("golden") : _("target");
            const struct str said = k->value[s].text;
            if (x.gate)
                page_item(p, mark, "shared-gate", _("%s: the shared expert has a gate (%s), the settings say %.*s"),
                          side, x.name, STR_ARG(said));
            else
                page_item(p, mark, "shared-gate", _("%s: the shared expert has no gate, the settings say %.*s"), side,
                          STR_ARG(said));
        }
    }
}

void panel_settings(struct panel_page *p, const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_SETTINGS);
    page_inputs(p, g, PANEL_INPUT_TARGET_SETTINGS, PANEL_INPUT_GOLDEN_SETTINGS, true);
    page_inputs(p, g, PANEL_INPUT_TARGET_ENV, PANEL_INPUT_GOLDEN_ENV, false);
    if (procedure_pending(p, g, ENGINE_RUN_SETTINGS, "settings", _("settings of both runs"))) {
        page_settle(p, g);
        p->summary = _("settings of both runs");
        p->next = _("Give the settings of both runs: MindFormers yaml, Megatron launch script or printed arguments, or "
                    "config.json.");
        return;
    }
    const struct config_compare *c = r->settings;
    if (c->environments)
        page_item(p, MARK_MISSING, "settings", "%s",
                  _("settings of both runs: not given yet; only the environments are compared"))->need = "settings";
    p->values[0] = _("target");
    p->values[1] = _("golden");
    add_checks(p, g, c);
    logged_batch(p, g, c);
    shared_gate(p, g, c);
    if (!c->environments)
        add_unanswered_checks(p, c);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->unmapped[s].n && i < 200; i++) {
            struct panel_item *it = page_item(p, MARK_NOTE, NULL, "%.*s", STR_ARG(c->unmapped[s].v[i]));
            it->side = s;
            page_subject(p, it, SUBJECT_SETTING, NULL, NULL, it->text);
            it->value[s] = _("not covered by a check");
            it->value[!s] = "";
        }
    page_settle(p, g);
    if (p->state == PANEL_OPEN) {
        p->summary = arena_fmt(&p->arena, _("open: %zu"), page_count(p, MARK_OPEN));
        p->next = _("Answer the checks marked ?, which the files do not show: :confirm says ok to the selected one, "
                    ":answer ID TEXT says more (\"bad …\" if the runs differ in it), :waive ID REASON keeps a "
                    "setting.");
    }
    else
        p->next =
            c->pass ? _("Read the recommendations marked !, then continue.")
                    : _("Make the settings marked ✗ equal, errors first; :waive ID REASON accepts a setting that "
                        "cannot be changed.");
}
