/* The last line of the screen: what is typed, what was said, or the keys that work now. */
#include "base/msg.h"
#include "base/utf8.h"
#include "ui/pane.h"

/* Where there is no table its keys would lead nowhere. */
static const struct hint unopened[] =
    {{"intake", N_("other dumps")}, {"panel 0", N_("all panels")}, {"report", N_("report")},
     {"palette", N_("commands")}, {"help", N_("help")}, {"back", N_("quit")}, {0}};

#define MESSAGE_LINES 5

/* Ends in line y. What does not fit there begins in the lines above it, so that no end is cut off. */
static void message(const struct screen *s, struct grid *g, int y)
{
    const struct workspace *d = &s->work;
    uint8_t style = d->message_is_error ? STYLE_ERROR : STYLE_MESSAGE;
    struct grid nowhere = {0};
    struct rect r = {0, 1, MESSAGE_LINES, g->cols - 1};
    int at = 0, none = 0;
    int lines = grid_wrap(&nowhere, r, &at, &none, style, buf_view(&d->message));
    r.h = lines < MESSAGE_LINES ? lines : MESSAGE_LINES;
    r.h = r.h < y + 1 ? r.h : y + 1;
    r.y = y - r.h + 1;
    for (int i = 0; i < r.h; i++)
        grid_fill(g, r.y + i, 0, g->cols, ' ', STYLE_TEXT);
    at = none = 0;
    grid_wrap(g, r, &at, &none, style, buf_view(&d->message));
    if (lines > r.h)
        grid_put(g, y, g->cols - 1, 1, style, "…");
}

/* The line that is typed; its cursor stays in sight. */
static void typed(const struct screen *s, struct grid *g, int y)
{
    struct str before = str_n(s->prompt.text.p, s->prompt.at), shown = buf_view(&s->prompt.text);
    char kind[2] = {s->prompt.kind, 0};
    bool cut = false;
    while (before.n && 1 + cut + utf8_cells(before) >= g->cols) {
        struct str behind = shown;
        utf8_next(&behind);
        before = str_cut(before, shown.n - behind.n);
        shown = behind;
        cut = true;
    }
    grid_put(g, y, 0, 1, STYLE_KEY, kind);
    if (cut)
        grid_put(g, y, 1, 1, STYLE_DIM, "…");
    grid_text(g, y, 1 + cut, g->cols - 1 - cut, STYLE_TEXT, shown);
    g->cursor_y = y;
    g->cursor_x = 1 + cut + utf8_cells(before);
}

static void keys(const struct screen *s, struct grid *g, int y)
{
    const struct pane_ops *p = screen_pane(s);
    int x = 1;
    for (const struct hint *h = s->work.c->failed && p == &pane_table ? unopened : p->hints; h->command; h++) {
        const char *key = keymap_key(&s->keys, p->place, h->command);
        if (!key)
            continue;
        bool up = p == &pane_table && s->work.ranks && s->work.ranks->job && strcmp(h->command, "back") == 0;
        bool panel = p == &pane_table && s->work.panel.left && strcmp(h->command, "back") == 0;
        const char *label = panel ? _("panel") : up ? _("all ranks") : _(h->label);
        int need = utf8_cells(str_of(key)) + 1 + utf8_cells(str_of(label)) + 2;
        if (x + need > g->cols + 2)
            break;
        x += grid_put(g, y, x, g->cols - x, STYLE_KEY, key) + 1;
        x += grid_put(g, y, x, g->cols - x, STYLE_DIM, label) + 2;
    }
}

void footer_draw(const struct screen *s, struct grid *g)
{
    int y = g->rows - 1;
    bool said = s->work.message.n > 0;
    if (s->prompt.active && said && y > 0) /* why the line is still open */
        message(s, g, y - 1);
    if (s->prompt.active)
        typed(s, g, y);
    else if (said)
        message(s, g, y);
    else
        keys(s, g, y);
}
