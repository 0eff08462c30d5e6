/* Panel 8: what the investigation holds, and whether it closes the ticket. */
#include "base/msg.h"
#include "panel/guide.h"

static void held(struct panel_page *p, const struct investigation *v)
{
    for (size_t i = 0; i < v->bookmarks.n; i++) {
        const struct bookmark *b = &v->bookmarks.v[i];
        struct panel_item *it = page_item(p, MARK_NOTE, NULL, _("bookmark: %s"), *b->row[0] ? b->row[0] : b->row[1]);
        it->detail = *b->note ? b->note : NULL;
        it->command = arena_fmt(&p->arena, "find %s", *b->row[0] ? b->row[0] : b->row[1]);
    }
    if (v->decisions.now)
        page_item(p, MARK_NOTE, NULL, _("%zu decisions about what belongs together"), v->decisions.now);
    for (size_t i = 0; i < v->waived.n; i++)
        page_item(p, MARK_NOTE, NULL, _("waived, %s: %s"), v->waived.v[i].name, v->waived.v[i].text);
    for (size_t i = 0; i < v->answers.n; i++)
        page_item(p, MARK_NOTE, NULL, _("answered, %s: %s"), v->answers.v[i].name, v->answers.v[i].text);
}

static void question(struct panel_page *p, const char *id, const char *text)
{
    struct panel_item *it = page_item(p, MARK_OPEN, id, "%s", text);
    page_detail(p, it, _(":answer %s TEXT keeps it."), id);
}

void panel_findings(struct panel_page *p, const struct guide *g)
{
    const struct investigation *v = g->inv;
    bool all = true, failed = false;
    for (int i = 0; i < PANELS - 1; i++) {
        enum panel_state s = g->page[i].state;
        all &= s == PANEL_PASSED || s == PANEL_WAIVED;
        failed |= s == PANEL_FAILED;
    }
    bool begun = investigation_text(&v->answers, "root-cause") || investigation_text(&v->answers, "confirmed") || v->bookmarks.n;
    if (all) {
        page_item(p, MARK_OK, "root-cause", "%s", _("every panel is passed or waived: nothing is left to explain"));
    } else if (failed || begun) {
        question(p, "root-cause", _("root cause: what makes the runs differ"));
        question(p, "confirmed", _("confirmed: a run without it agrees"));
    }
    held(p, v);
    page_settle(p, g);
    size_t notes = v->bookmarks.n + v->answers.n + v->waived.n;
    p->summary = all ? _("nothing is left to explain")
                 : p->state == PANEL_OPEN && !investigation_text(&v->answers, "root-cause") ? _("the root cause is not named yet")
                                                                                            : arena_fmt(&p->arena, _("notes: %zu"), notes);
    p->next = p->state == PANEL_PASSED ? _("Write the report and close the ticket.")
              : p->state == PANEL_OPEN ? _("Name the root cause, remove it, run again: confirmed is what goes away and brings nothing new.")
                                       : _("Nothing yet: findings come from the panels before.");
}
