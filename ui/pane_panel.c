/* The guided panels: all with their state, and one with what it needs, found, and says to do. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "ui/pane.h"

uint8_t pane_panel_style(enum panel_state s)
{
    static const uint8_t style[PANEL_STATES] = {
        [PANEL_NOT_STARTED] = STYLE_DIM, [PANEL_NEEDS_INPUT] = STYLE_ONLY, [PANEL_OPEN] = STYLE_DRIFT,
            [PANEL_PASSED] = STYLE_TEXT,
        [PANEL_FAILED] = STYLE_DEVIATE,  [PANEL_WAIVED] = STYLE_SKIP,      [PANEL_WAITS] = STYLE_DRIFT,
    };
    return style[s];
}

static uint8_t mark_style(enum panel_mark m)
{
    static const uint8_t style[MARK_COUNT] = {
        [MARK_NOTE] = STYLE_DIM,     [MARK_ADVICE] = STYLE_DRIFT, [MARK_OK] = STYLE_TEXT,   [MARK_BAD] = STYLE_DEVIATE,
            [MARK_OPEN] = STYLE_DRIFT,
        [MARK_RUNNING] = STYLE_PROGRESS, [MARK_MISSING] = STYLE_ONLY, [MARK_WAIVED] = STYLE_SKIP,
        [MARK_INPUT] = STYLE_DIM,  [MARK_NEED] = STYLE_ONLY,
    };
    return style[m];
}

/* ---- all of them ---- */

/* The end of a panel's line in the overview. */
static void overview_text(const struct procedure *gu, int i, struct buf *b)
{
    const struct panel_page *p = &gu->page[i];
    int was = procedure_was(gu, i);
    buf_clear(b);
    if (i >= procedure_panels(gu)) {
        buf_cstr(b, _("reinforcement learning only: give the log-probabilities of both engines"));
        return;
    }
    if (was >= 0 && was != (int)p->state)
        buf_fmt(b, _("(was %s) "), panel_state_label((enum panel_state)was));
    if (p->waits_for && p->state == PANEL_FAILED)
        buf_fmt(b, _("(may follow from %d) "), p->waits_for);
    buf_cstr(b, p->summary);
}

static int count_wrapped_lines(struct rect r, const char *text)
{
    struct grid nowhere = {0}; /* for counting only */
    int y = 0, skip = 0;
    return text && *text ? grid_wrap(&nowhere, r, &y, &skip, STYLE_TEXT, str_of(text)) : 0;
}

static int panel_urgency(const struct procedure *gu, int i)
{
    static const int rank[PANEL_STATES] = {
        [PANEL_FAILED] = 0, [PANEL_OPEN] = 1, [PANEL_WAITS] = 1, [PANEL_WAIVED] = 2, [PANEL_PASSED] = 2,
        [PANEL_NEEDS_INPUT] = 3, [PANEL_NOT_STARTED] = 4,
    };
    return i >= procedure_panels(gu) ? 5 : rank[gu->page[i].state];
}

/* Which panels' titles and sentences are shown in full: as far as lines are left, what has been found first. */
static void choose_whole(const struct procedure *gu, struct rect title, struct rect text, int lines, bool whole[PANELS])
{
    struct buf b = {0};
    for (int rank = 0; rank <= 5; rank++)
        for (int i = 0; i < PANELS; i++) {
            if (panel_urgency(gu, i) != rank)
                continue;
            overview_text(gu, i, &b);
            int of_text = count_wrapped_lines(text, b.p), of_title = count_wrapped_lines(title, _(panels[i].title)),
                more = (of_text > of_title ? of_text : of_title) - 1;
            whole[i] = more <= lines;
            lines -= whole[i] && more > 0 ? more : 0;
        }
    buf_release(&b);
}

static void next_of_all(const struct procedure *gu, struct buf *out)
{
    if (gu->next)
        buf_fmt(out, _("next: panel %d. %s"), gu->next, gu->why);
    else
        buf_cstr(out, gu->why);
}

static void update_overview(struct screen *s, struct rect r)
{
    (void)r;
    s->work.page = PANELS;
}

static void draw_overview(const struct screen *s, struct grid *g, struct rect r)
{
    const struct procedure *gu = &s->work.guide;
    int title_w = r.w >= 110 ? 36 : r.w >= 70 ? 28 : 16, state_w = 14, x = r.x + 5 + title_w, y = 1, skip = 0;
    struct buf b = {0}, next = {0};
    grid_put(g, r.y, r.x + 1, r.w - 1, STYLE_FOCUS, _("the procedure"));
    struct rect text = {r.y, x + state_w, r.h, r.w - title_w - state_w - 6}, title = {r.y, r.x + 5, r.h, title_w - 1},
                below = {r.y, r.x + 1, r.h, r.w - 2};
    bool whole[PANELS];
    next_of_all(gu, &next);
    choose_whole(gu, title, text, r.h - PANELS - 2 - count_wrapped_lines(below, next.p), whole);
    for (int i = 0; i < PANELS; i++, y++) {
        const struct panel_page *p = &gu->page[i];
        grid_fmt(g, r.y + y, r.x + 1, 2, STYLE_KEY, "%d", i + 1);
        grid_put(g, r.y + y, r.x + 3, 1, pane_panel_style(p->state), panel_glyph(p->state));
        uint8_t title_style = gu->next == i + 1 ? STYLE_FIRST : STYLE_TEXT;
        int from = y, end = y;
        if (whole[i])
            grid_wrap(g, title, &end, &skip, title_style, str_of(_(panels[i].title)));
        else
            grid_middle(g, r.y + y, title.x, title.w, title_style, str_of(_(panels[i].title)));
        buf_clear(&b);
        if (p->state == PANEL_WAITS)
            buf_fmt(&b, _("waiting for %d"), p->waits_for);
        else
            buf_cstr(&b, panel_state_label(p->state));
        grid_text(g, r.y + y, x, state_w - 1, pane_panel_style(p->state), buf_view(&b));
        overview_text(gu, i, &b);
        if (whole[i] && b.n)
            grid_wrap(g, text, &y, &skip, STYLE_DIM, buf_view(&b));
        else
            grid_end(g, r.y + y++, text.x, text.w, STYLE_DIM, buf_view(&b));
        y = (end > y ? end : y) - 1;
        for (; s->work.panel.at == (uint32_t)i && from <= y; from++)
            grid_mark(g, r.y + from, r.x, r.w, STYLE_CURSOR);
    }
    y++;
    grid_wrap(g, below, &y, &skip, STYLE_FIRST, buf_view(&next));
    buf_release(&b);
    buf_release(&next);
}

/* ---- one ---- */

static void draw_bar(struct grid *g, int y, int x, int w, float share)
{
    static const char *const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    int eighths = (int)lroundf(share * (float)(w * 8));
    for (int i = 0; i < w && eighths > 0; i++, eighths -= 8)
        grid_put(g, y, x + i, 1, STYLE_PROGRESS,
                 g->ascii ? (eighths >= 4 ? "#" : "") : part[eighths > 8 ? 8 : eighths]);
}

/* Cells of the longest value and title of values, with a blank behind; at most `most`. */
static int widest_value(const struct panel_page *p, int most)
{
    int w = 0;
    for (int i = 0; i < 2; i++)
        w = utf8_cells(str_of(p->values[i])) > w ? utf8_cells(str_of(p->values[i])) : w;
    for (size_t k = 0; k < p->items.n && w + 2 < most; k++)
        for (int i = 0; i < 2; i++) {
            const struct panel_item *it = &p->items.v[k];
            bool input = it->mark == MARK_INPUT || it->mark == MARK_NEED;
            int of = it->value[i] && !input ? utf8_cells(str_of(it->value[i])) : 0;
            w = of > w ? of : w;
        }
    return w + 2 < most ? w + 2 : most;
}

/* The widths of an item's bar and of each of its two values: names have what these leave. */
static void item_columns(const struct panel_page *p, int w, bool bars, int *bar_w, int *value_w)
{
    *bar_w = bars && w >= 60 ? w / 6 : 0;
    *value_w = p->values[0] ? widest_value(p, (w - *bar_w) / 4) : 0;
}

/* Draws the titles of the values, and finds the longest bar. */
static void draw_heading(struct grid *g, const struct panel_page *p, struct rect r)
{
    int bars, value_w;
    item_columns(p, r.w, p->scale != NULL, &bars, &value_w);
    for (int i = 0; i < 2; i++)
        grid_put(g, r.y, r.x + r.w - bars - (2 - i) * value_w, value_w - 1, STYLE_TITLE,
                 p->values[i] ? p->values[i] : "");
    if (bars)
        grid_put(g, r.y, r.x + r.w - bars, bars, STYLE_DIM, p->scale);
}

static void draw_panel_item(struct grid *g, const struct panel_page *p, const struct panel_item *it, int y,
                            struct rect r, bool here)
{
    bool input = it->mark == MARK_INPUT || it->mark == MARK_NEED,
         table = p->values[0] && !input && (it->value[0] || it->value[1]);
    int bars, value_w, id_w = it->id && table ? 6 : 0;
    item_columns(p, r.w, it->share >= 0, &bars, &value_w);
    value_w = table ? value_w : 0;
    int x = r.x + 3, text_w = r.w - 4 - 2 * value_w - bars;
    grid_put(g, y, r.x + 1, 1, mark_style((enum panel_mark)it->mark), panel_mark_glyph((enum panel_mark)it->mark));
    if (id_w)
        x += grid_put(g, y, x, id_w - 1, STYLE_DIM, it->id) > 0 ? id_w : 0;
    if (input) {
        grid_put(g, y, x, 17, mark_style((enum panel_mark)it->mark), it->text);
        grid_middle(g, y, x + 18, r.w - 22, it->mark == MARK_NEED ? STYLE_ONLY : STYLE_DIM, str_of(it->value[0]));
    } else if (!table && it->value[0]) {
        int w = utf8_cells(str_of(it->value[0]));
        grid_end(g, y, x, r.w - 6 - w, STYLE_TEXT, str_of(it->text));
        grid_right(g, y, r.x + r.w - w - 1, w, STYLE_DIM, it->value[0]);
    } else {
        uint8_t style = it->mark == MARK_NOTE ? STYLE_DIM : STYLE_TEXT;
        if (table) /* a name */
            grid_middle(g, y, x, text_w - id_w, style, str_of(it->text));
        else
            grid_end(g, y, x, text_w, style, str_of(it->text));
        for (int i = 0; i < 2 && table; i++)
            grid_middle(g, y, r.x + r.w - bars - (2 - i) * value_w, value_w - 1, STYLE_TEXT,
                        str_of(it->value[i] ? it->value[i] : ""));
        if (bars)
            draw_bar(g, y, r.x + r.w - bars, bars - 1, it->share);
    }
    if (here)
        grid_mark(g, y, r.x, r.w, STYLE_CURSOR);
}

/* From the top: title, goal, curves, the list, the details of its selected line, the next step. */
struct panel_layout {
    const char *detail;                        /* sentences of the selected line, NULL: none */
    struct rect goal, curves, heading, items, told, next; /* of no height: not shown */
};

static const char *item_detail(const struct panel_page *p, uint32_t at, int w)
{
    const struct panel_item *it = at < p->items.n ? &p->items.v[at] : NULL;
    if (!it || it->detail)
        return it ? it->detail : NULL;
    return utf8_cells(str_of(it->text)) > w - 4 ? it->text : NULL;
}

static void put_next_step(const struct panel_page *p, struct buf *out)
{
    if (*p->next)
        buf_fmt(out, _("next: %s"), p->next);
}

/* Named as what it is: alone, the sentence would read as a result. */
static void goal_text(const struct workspace *d, struct buf *out)
{
    buf_fmt(out, _("goal: %s"), _(panels[d->panel.number - 1].goal));
}

static struct panel_layout lay_out_panel(const struct workspace *d, struct rect r)
{
    const struct panel_page *p = &d->guide.page[d->panel.number - 1];
    struct panel_layout l = {.detail = item_detail(p, d->panel.at, r.w)};
    struct rect in = {r.y, r.x + 1, r.h, r.w - 2};
    struct buf next = {0}, goal = {0};
    int y = 1;
    goal_text(d, &goal);
    l.goal = (struct rect){r.y + y, in.x, r.h >= 12 ? count_wrapped_lines(in, goal.p) : 0, in.w};
    buf_release(&goal);
    y += l.goal.h;
    const struct curves *c = procedure_curves(&d->guide, p);
    int rates = c && c->lr.there ? 2 : 0; /* lines of the learning rates */
    l.curves = (struct rect){r.y + y, in.x, c && r.h >= 16 ? r.h / 3 + rates + (r.h > 40 ? 3 : 0) : 0, in.w};
    y += l.curves.h;
    l.heading = (struct rect){r.y + y, r.x, p->values[0] && r.h >= 8 ? 1 : 0, r.w};
    y += l.heading.h;
    put_next_step(p, &next);
    int rest = r.h - y, told = count_wrapped_lines(in, l.detail), below = count_wrapped_lines(in, next.p),
        most = rest / 2;
    if (below > rest - 1) /* the selected line is visible on any screen */
        below = rest - 1 > 0 ? rest - 1 : 0;
    if (told > most - below)
        told = most - below > 0 ? most - below : 0;
    l.items = (struct rect){r.y + y, r.x, rest - told - below > 0 ? rest - told - below : 0, r.w};
    l.told = (struct rect){r.y + r.h - below - told, in.x, told, in.w};
    l.next = (struct rect){r.y + r.h - below, in.x, below, in.w};
    buf_release(&next);
    return l;
}

static void update_panel(struct screen *s, struct rect r)
{
    struct workspace *d = &s->work;
    struct panel_layout l = lay_out_panel(d, r);
    d->page = l.items.h;
    d->panel.scroll = (int)pane_top((uint32_t)d->panel.scroll, d->panel.at, (uint32_t)l.items.h);
    if (l.curves.h)
        pane_curves_update(s, l.curves, procedure_curves(&d->guide, &d->guide.page[d->panel.number - 1]));
}

static void draw_title(const struct workspace *d, struct grid *g, struct rect r)
{
    const struct panel_page *p = &d->guide.page[d->panel.number - 1];
    int x = r.x + 1, was = procedure_was(&d->guide, d->panel.number - 1);
    x += grid_fmt(g, r.y, x, r.w, STYLE_FOCUS, "%d %s", d->panel.number, _(panels[d->panel.number - 1].title)) + 2;
    x += grid_put(g, r.y, x, 1, pane_panel_style(p->state), panel_glyph(p->state)) + 1;
    x += grid_put(g, r.y, x, r.w, pane_panel_style(p->state), panel_state_label(p->state)) + 2;
    struct buf b = {0};
    int end = r.x + r.w;
    if (p->waits_for) {
        buf_fmt(&b, _("panel %d comes first"), p->waits_for);
        grid_end(g, r.y, x, end - x, STYLE_DRIFT, buf_view(&b));
        x += utf8_cells(buf_view(&b)) + 2;
    }
    buf_clear(&b);
    if (was >= 0 && was != (int)p->state)
        buf_fmt(&b, _("(was %s) "), panel_state_label((enum panel_state)was));
    if (p->state == PANEL_WAIVED)
        buf_cstr(&b, p->summary);
    if (b.n && x < end)
        grid_end(g, r.y, x, end - x, STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

/* A paragraph from the top of its rectangle. */
static void draw_text(struct grid *g, struct rect r, uint8_t style, const char *text)
{
    int y = 0, skip = 0;
    if (r.h > 0 && text)
        grid_wrap(g, r, &y, &skip, style, str_of(text));
}

static void draw_panel(const struct screen *s, struct grid *g, struct rect r)
{
    const struct workspace *d = &s->work;
    const struct panel_page *p = &d->guide.page[d->panel.number - 1];
    struct panel_layout l = lay_out_panel(d, r);
    struct buf next = {0}, goal = {0};
    goal_text(d, &goal);
    draw_title(d, g, r);
    draw_text(g, l.goal, STYLE_DIM, goal.p);
    buf_release(&goal);
    if (l.curves.h)
        pane_curves_draw(s, g, l.curves, procedure_curves(&d->guide, p));
    if (l.heading.h)
        draw_heading(g, p, l.heading);
    for (uint32_t i = 0, top = (uint32_t)d->panel.scroll; i < (uint32_t)l.items.h && top + i < p->items.n; i++)
        draw_panel_item(g, p, &p->items.v[top + i], l.items.y + (int)i, r, top + i == d->panel.at);
    put_next_step(p, &next);
    draw_text(g, l.told, STYLE_TEXT, l.detail);
    draw_text(g, l.next, STYLE_FIRST, next.p);
    buf_release(&next);
}

static const struct hint overview_hints[] = {
    {"enter", N_("open it")}, {"panel next", N_("next step")}, {"tell-line waive", N_("waive")}, {"next-dump", N_("next dump")}, {"help", N_("help")}, {"back", N_("table")}, {0},
};
static const struct hint hints[] = {
    {"enter", N_("go to it")}, {"panel do", N_("do the next step")}, {"tell-line give", N_("give")}, {"recipe-line", N_("write recipe")}, {"tell-line waive", N_("waive")}, {"confirm", N_("confirm")}, {"tell-line answer", N_("answer")},
    {"panel 0", N_("all panels")}, {"help", N_("help")}, {"back", N_("back")}, {0},
};

const struct pane_ops pane_overview = {"panel", update_overview, draw_overview, overview_hints};
const struct pane_ops pane_panel = {"panel", update_panel, draw_panel, hints};
