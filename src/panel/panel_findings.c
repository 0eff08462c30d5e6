/* Panel 8: the content of the investigation, and whether it is complete. */
#include "base/msg.h"
#include "base/str.h"
#include "panel/subject.h"

static void add_marks_held(struct panel_page *p, const struct investigation *v)
{
    for (size_t i = 0; i < v->bookmarks.n; i++) {
        const struct bookmark *b = &v->bookmarks.v[i];
        struct panel_item *it = page_item(p, MARK_NOTE, NULL, _("bookmark: %s"), *b->row[0] ? b->row[0] : b->row[1]);
        it->detail = *b->note ? b->note : NULL;
        it->command = arena_fmt(&p->arena, "find %s", *b->row[0] ? b->row[0] : b->row[1]);
    }
    if (v->decisions.now)
        page_item(p, MARK_NOTE, NULL, _("%zu decisions about correspondences"), v->decisions.now);
    for (size_t i = 0; i < v->waived.n; i++)
        page_item(p, MARK_NOTE, NULL, _("waived, %s: %s"), v->waived.v[i].name, v->waived.v[i].text);
    for (size_t i = 0; i < v->answers.n; i++)
        page_item(p, MARK_NOTE, NULL, _("answered, %s: %s"), v->answers.v[i].name, v->answers.v[i].text);
}

static void add_question(struct panel_page *p, const char *id, const char *text)
{
    struct panel_item *it = page_item(p, MARK_OPEN, id, "%s", text);
    page_detail(p, it, _(":answer %s TEXT answers it."), id);
}

/* Each finding as a line that opens it. Suspected ones keep the panel open: somebody has to confirm or clear them. */
static size_t add_finding_items(struct panel_page *p, const struct investigation *v)
{
    static const uint8_t marks[FINDING_STATUSES] =
        {[FINDING_SUSPECTED] = MARK_OPEN, [FINDING_CLEARED] = MARK_NOTE, [FINDING_WAIVED] = MARK_WAIVED,
         [FINDING_ROOT_CAUSE] = MARK_OK};
    finding_list l = {0};
    struct buf about = {0}, text = {0};
    size_t open = 0;
    findings_read(&v->findings, &l);
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *x = &l.v[i];
        buf_clear(&about);
        subject_text(x, &about);
        finding_line(x->text, &text);
        struct panel_item *it = page_item(p, (enum panel_mark)marks[x->status], NULL, _("%*sfinding %u, %s: %s"),
                                          2 * (x->depth < 8 ? x->depth : 8), "", x->number,
                                          _(finding_status_name((enum finding_status)x->status)), text.p ? text.p : "");
        page_subject(p, it, (enum finding_subject)x->subject, x->about[0], x->about[1], x->at);
        page_detail(p, it, x->status == FINDING_SUSPECTED ? _("About %s. Confirm it or rule it out: Enter opens it.")
                                                          : _("About %s."), about.p ? about.p : "");
        it->command = arena_fmt(&p->arena, "finding %u", x->number);
        open += x->status == FINDING_SUSPECTED;
    }
    buf_release(&about);
    buf_release(&text);
    vec_release(&l);
    return open;
}

/* The finding with the root cause: that of the first deviation if the dumps have one, otherwise any. */
static bool root_cause(const struct procedure *g, struct finding *x)
{
    finding_list l = {0};
    bool any = false;
    if (g->s->judged && g->s->judged->first != NONE)
        return subject_explains_first(g, x);
    findings_read(&g->inv->findings, &l);
    for (size_t i = 0; i < l.n && !any; i++)
        if (l.v[i].status == FINDING_ROOT_CAUSE) {
            *x = l.v[i];
            any = true;
        }
    vec_release(&l);
    return any;
}

/* An earlier round confirmed the fix, and nothing deviates in this one: the run was only enlarged. */
static bool confirmed_before(struct panel_page *p, const struct procedure *g)
{
    const struct round *before = g->s->since.before;
    const struct round_panel *f = round_panel(before, panels[PANEL_FINDINGS - 1].name);
    bool agrees = g->s->since.changes.comparable && g->s->judged && g->s->judged->first == NONE;
    if (!agrees || !f || strcmp(f->state, panel_state_name(PANEL_PASSED)) != 0)
        return false;
    page_item(p, MARK_OK, "confirmed", _("confirmed: round %u agreed, nothing deviates in this one"), before->number);
    return true;
}

/* A new dump after a fix: true if the deviation is gone and no new one appeared. */
static bool add_round_items(struct panel_page *p, const struct procedure *g)
{
    const struct round_since *x = &g->s->since;
    struct buf b = {0};
    if (!x->told)
        return false;
    changes_sentence(&x->changes, &b);
    struct panel_item *it =
        page_item(p, x->changes.confirmed ? MARK_OK : x->changes.status == 1 ? MARK_ADVICE : MARK_NOTE,
                  x->changes.confirmed ? "confirmed" : NULL, "%s", b.p);
    it->detail = it->text;
    it->command = "changes";
    buf_release(&b);
    return x->changes.confirmed || confirmed_before(p, g);
}

void panel_findings(struct panel_page *p, const struct procedure *g)
{
    const struct investigation *v = g->inv;
    bool all = true, failed = false;
    for (int i = 0; i < procedure_panels(g); i++) {
        if (i == PANEL_FINDINGS - 1)
            continue;
        enum panel_state s = g->page[i].state;
        all &= s == PANEL_PASSED || s == PANEL_WAIVED;
        failed |= s == PANEL_FAILED;
    }
    struct finding root;
    bool named = root_cause(g, &root);
    bool begun = g->s->since.told || investigation_text(&v->answers, "root-cause") ||
                 investigation_text(&v->answers, "confirmed") || v->bookmarks.n || v->findings.now;
    bool confirmed = add_round_items(p, g);
    if (all) {
        page_item(p, MARK_OK, "root-cause", "%s", _("all panels passed or waived"));
    } else if (failed || begun) {
        if (named)
            page_item(p, MARK_OK, "root-cause", _("root cause: finding %u, %s"), root.number, root.text)->command =
                arena_fmt(&p->arena, "finding %u", root.number);
        else
            add_question(p, "root-cause", _("root cause: why the runs differ"));
        if (!confirmed)
            add_question(p, "confirmed", _("confirmed: a run without the root cause agrees"));
    }
    size_t open = add_finding_items(p, v);
    add_marks_held(p, v);
    page_settle(p, g);
    size_t notes = v->bookmarks.n + v->answers.n + v->waived.n;
    bool unnamed = p->state == PANEL_OPEN && !named && !investigation_text(&v->answers, "root-cause");
    p->summary = open      ? arena_fmt(&p->arena, _("findings with status suspected: %zu"), open)
                 : all     ? _("all panels passed or waived")
                 : named   ? arena_fmt(&p->arena, _("root cause: finding %u, %s"), root.number, root.text)
                 : unnamed ? _("root cause not named yet")
                           : arena_fmt(&p->arena, _("decisions and answers: %zu"), notes);
    p->next = p->state == PANEL_PASSED ? _("Write the report and close the ticket.")
              : p->state == PANEL_OPEN && open && named ? _("Confirm or rule out the findings that are still "
                                                            "suspected.")
              : p->state == PANEL_OPEN ? _("Name the root cause, remove it and run again: it is confirmed if the "
                                           "deviation is gone and nothing new deviates.")
                                       : _("No findings yet: work through panels 1 to 7.");
}
