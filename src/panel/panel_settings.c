/* Panel 1: the checklist. Its rows stand in the order in which a person has to look at them. */
#include <stdio.h>

#include "base/msg.h"
#include "panel/known_causes.h"

static enum panel_mark mark_of(const struct config_check *k)
{
    switch (k->state) {
    case CHECK_OK:
        return MARK_OK;
    case CHECK_DIFFERS:
    case CHECK_MISSING:
        return k->row->severity == SEVERITY_INFO ? MARK_NOTE : MARK_BAD;
    case CHECK_ADVICE:
        return MARK_ADVICE;
    case CHECK_WAIVED:
        return MARK_WAIVED;
    default:
        return MARK_NOTE;
    }
}

/* Errors, warnings, advice, notes, waived ones, what is fine. */
static int order_of(const struct config_check *k)
{
    static const int order[MARK_COUNT] = {[MARK_BAD] = 0, [MARK_ADVICE] = 3, [MARK_NOTE] = 4, [MARK_WAIVED] = 5, [MARK_OK] = 6};
    enum panel_mark m = mark_of(k);
    return m == MARK_BAD && k->row->severity != SEVERITY_ERROR ? 1 : order[m];
}

static const char *value_of(struct panel_page *p, const struct value *v)
{
    struct buf b = {0};
    config_value_text(&b, v);
    const char *s = b.n ? arena_cstr(&p->arena, buf_view(&b)) : "–";
    buf_release(&b);
    return s;
}

static void add_check(struct panel_page *p, const struct config_check *k)
{
    char id[16];
    struct buf b = {0};
    snprintf(id, sizeof id, "%.*s", STR_ARG(k->row->id));
    struct panel_item *it = page_item(p, mark_of(k), id, "%.*s", STR_ARG(k->row->key));
    page_subject(p, it, SUBJECT_SETTING, NULL, NULL, id);
    for (int s = 0; s < 2; s++)
        it->value[s] = value_of(p, &k->value[s]);
    const char *why = check_why_text(k);
    if (k->reason)
        buf_fmt(&b, _("waived: %s. "), k->reason);
    else if (why && k->why != WHY_MANUAL)
        buf_fmt(&b, _("%s. "), why);
    buf_str(&b, checklist_text(k->row));
    page_detail(p, it, "%s", b.p);
    buf_release(&b);
}

static void summarise(struct panel_page *p, const struct config_compare *c)
{
    size_t differ = 0;
    for (size_t i = 0; i < c->checks.n; i++)
        differ += mark_of(&c->checks.v[i]) == MARK_BAD;
    p->summary = c->count[CHECK_WAIVED]
                     ? arena_fmt(&p->arena, _("%zu checks, %zu differ, %zu waived"), c->checks.n, differ, c->count[CHECK_WAIVED])
                     : arena_fmt(&p->arena, _("%zu checks, %zu differ"), c->checks.n, differ);
    p->next = differ ? _("Make the settings marked ✗ equal, the errors first; :waive ID REASON accepts one that has to stay.")
                     : _("Read the advice marked ! once; then go on.");
}

void panel_settings(struct panel_page *p, const struct procedure *g)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_SETTINGS);
    page_inputs(p, g, PANEL_INPUT_TARGET_SETTINGS, PANEL_INPUT_GOLDEN_SETTINGS, true);
    page_inputs(p, g, PANEL_INPUT_TARGET_ENV, PANEL_INPUT_GOLDEN_ENV, false);
    if (procedure_pending(p, g, ENGINE_RUN_SETTINGS, "settings", _("settings of both runs"))) {
        page_settle(p, g);
        p->summary = _("settings of both runs");
        p->next = _("Give both runs' settings: any of MindFormers yaml, Megatron's launch script or printed arguments, config.json.");
        return;
    }
    const struct config_compare *c = r->settings;
    p->values[0] = _("target");
    p->values[1] = _("golden");
    page_known_causes(p, g, "check:");
    for (int order = 0; order <= 6; order++)
        for (size_t i = 0; i < c->checks.n; i++)
            if (order_of(&c->checks.v[i]) == order)
                add_check(p, &c->checks.v[i]);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->unmapped[s].n && i < 200; i++) {
            struct panel_item *it = page_item(p, MARK_NOTE, NULL, "%.*s", STR_ARG(c->unmapped[s].v[i]));
            it->side = s;
            page_subject(p, it, SUBJECT_SETTING, NULL, NULL, it->text);
            it->value[s] = _("no check reads it");
            it->value[!s] = "";
        }
    page_settle(p, g);
    summarise(p, c);
}
