/* Writes the panels as text and as JSON. */
#include "report/panels_output.h"

#include "base/json_write.h"
#include "base/msg.h"
#include "base/utf8.h"

int panels_status(const struct procedure *g)
{
    bool open = false;
    for (int i = 0; i < procedure_panels(g); i++) {
        enum panel_state s = g->page[i].state;
        if (s == PANEL_FAILED)
            return 1;
        open |= s != PANEL_PASSED && s != PANEL_WAIVED;
    }
    return open ? 5 : 0;
}

/* ---- text ---- */

/* s and blanks up to so many cells, one at least. */
static void text_pad(struct buf *b, struct str s, int cells)
{
    int used = utf8_cells(s);
    buf_str(b, s);
    do
        buf_char(b, ' ');
    while (++used < cells);
}

/* s cut in its middle to so many cells, and padded. */
static void text_fit(struct buf *b, struct str s, int cells)
{
    int used = utf8_middle(b, s, cells, "…");
    for (; used < cells; used++)
        buf_char(b, ' ');
}

static void a_panel(struct buf *b, const struct procedure *g, int i)
{
    const struct panel_page *p = &g->page[i];
    struct buf state = {0};
    buf_fmt(b, "%d %s ", i + 1, panel_glyph(p->state));
    text_fit(b, str_of(_(panels[i].title)), 34);
    if (p->state == PANEL_WAITS)
        buf_fmt(&state, _("waiting for %d"), p->waits_for);
    else
        buf_cstr(&state, panel_state_label(p->state));
    text_pad(b, buf_view(&state), 14);
    int was = procedure_was(g, i);
    if (was >= 0 && was != (int)p->state)
        buf_fmt(b, _("(was %s) "), panel_state_label((enum panel_state)was));
    buf_fmt(b, "%s\n", p->summary);
    bool done = p->state == PANEL_PASSED || p->state == PANEL_WAIVED;
    for (size_t k = 0; k < p->items.n; k++) {
        const struct panel_item *it = &p->items.v[k];
        if (it->mark == MARK_BAD || it->mark == MARK_OPEN || (it->mark == MARK_NEED && !done))
            buf_fmt(b, "    %s %s%s%s%s%s%s%s\n", panel_mark_glyph((enum panel_mark)it->mark),
                    it->id && it->mark != MARK_NEED ? it->id : "",
                    it->id && it->mark != MARK_NEED ? "  " : "", it->text, it->value[0] ? "  " : "",
                    it->value[0] ? it->value[0] : "",
                    it->value[1] ? " ⇄ " : "", it->value[1] ? it->value[1] : "");
    }
    buf_release(&state);
}

void panels_text(struct buf *out, const void *result)
{
    const struct procedure *g = result;
    struct buf b = {0};
    for (int i = 0; i < procedure_panels(g); i++)
        a_panel(&b, g, i);
    if (g->next)
        buf_fmt(&b, _("next: panel %d. %s"), g->next, g->why);
    else
        buf_cstr(&b, g->why);
    buf_char(&b, '\n');
    utf8_clean_lines(out, buf_view(&b)); /* all in it may come from a file */
    buf_release(&b);
}

/* ---- JSON ---- */

static void input_json(struct jsonw *w, const struct panel_item *it)
{
    jw_object(w);
    jw_kcstr(w, "slot", it->id);
    jw_kcstr(w, "path", it->mark == MARK_INPUT ? it->value[0] : NULL);
    jw_end_object(w);
}

static void item_json(struct jsonw *w, const struct panel_item *it)
{
    jw_object(w);
    jw_kcstr(w, "state", panel_mark_name((enum panel_mark)it->mark));
    jw_kcstr(w, "id", it->id);
    jw_kcstr(w, "text", it->text);
    jw_kcstr(w, "target", it->value[0]);
    jw_kcstr(w, "golden", it->value[1]);
    jw_kcstr(w, "detail", it->detail);
    jw_end_object(w);
}

static bool is_input(const struct panel_item *it)
{
    return it->mark == MARK_INPUT || it->mark == MARK_NEED;
}

static void items_json(struct jsonw *w, const struct panel_page *p, bool inputs)
{
    jw_karray(w, inputs ? "inputs" : "items");
    for (size_t i = 0; i < p->items.n; i++)
        if (is_input(&p->items.v[i]) == inputs)
            inputs ? input_json(w, &p->items.v[i]) : item_json(w, &p->items.v[i]);
    jw_end_array(w);
}

void panels_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct procedure *g = result;
    jw_result(w);
    jw_kcstr(w, "investigation", g->inv->path);
    int status = panels_status(g);
    jw_kcstr(w, "verdict", status == 0 ? "pass" : status == 1 ? "fail" : "unknown");
    jw_kobject(w, "next");
    jw_kint_if(w, "panel", g->next, g->next);
    jw_kcstr(w, "why", g->why);
    jw_end_object(w);
    jw_karray(w, "panels");
    for (int i = 0; i < procedure_panels(g); i++) {
        const struct panel_page *p = &g->page[i];
        jw_object(w);
        jw_kint(w, "panel", i + 1);
        jw_kcstr(w, "name", panels[i].name);
        jw_kcstr(w, "title", _(panels[i].title));
        jw_kcstr(w, "state", panel_state_name(p->state));
        int was = procedure_was(g, i);
        if (g->s->since.there)
            jw_kcstr(w, "was", was < 0 ? NULL : panel_state_name((enum panel_state)was));
        jw_kint_if(w, "waits_for", p->waits_for, p->waits_for);
        jw_kcstr(w, "summary", p->summary);
        jw_kcstr(w, "next", *p->next ? p->next : NULL);
        items_json(w, p, true);
        items_json(w, p, false);
        jw_end_object(w);
        out_flow(o);
    }
    jw_end_array(w);
    jw_end_object(w);
}
