/* Panel 1: the checklist. */
#include "base/msg.h"
#include "config/settings_section.h"
#include "panel/known_causes.h"

/* One question for all checks whose files were not given. */
static void closed(struct panel_page *p, const struct config_compare *c)
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

static void checks(struct panel_page *p, const struct procedure *g, const struct config_compare *c)
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
    checks(p, g, c);
    if (!c->environments)
        closed(p, c);
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
