/* The last line of the screen: the prompt, a message, or the available keys. */
#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "cmd/pane_verbs.h"
#include "ui/pane.h"

/* Keys of the table are not shown without a table. */
static const struct hint unopened[] =
    {{"intake", N_("other dumps")}, {"panel 0", N_("all panels")}, {"report", N_("report")},
     {"palette", N_("commands")}, {"help", N_("help")}, {"back", N_("quit")}, {0}};

#define MESSAGE_LINES 5

/* The number of lines of the message. */
static int message_lines(const struct screen *s, int most)
{
    struct grid nowhere = {0};
    int at = 0, none = 0;
    int lines = grid_wrap(&nowhere, (struct rect){0, 1, MESSAGE_LINES, s->grid.cols - 1}, &at, &none, STYLE_TEXT,
                          buf_view(&s->work.message));
    lines = lines < MESSAGE_LINES ? lines : MESSAGE_LINES;
    return lines < most ? lines : most;
}

/* Whether there is a line for the hint; a low screen has none. */
static bool shows_hint(const struct screen *s)
{
    return s->prompt.active && s->grid.rows >= 6;
}

static bool shows_notice(const struct screen *s)
{
    return s->work.message.n && s->work.message_is_notice && !s->prompt.active && s->grid.rows >= 6;
}

/* Lines a message may take: a notice on a low screen few, so that the table stays. */
static int message_most(const struct screen *s)
{
    int rows = s->grid.rows, most = shows_notice(s) && rows < 20 ? rows / 5 : rows / 2;
    return most > 1 ? most : 1;
}

int footer_notice_lines(const struct screen *s)
{
    return shows_notice(s) ? message_lines(s, message_most(s)) : 0;
}

/* Draws the message so that it ends in line y; a long one begins in the lines above. */
static void draw_message(const struct screen *s, struct grid *g, int y)
{
    const struct workspace *d = &s->work;
    uint8_t style = d->message_is_error ? STYLE_ERROR : STYLE_MESSAGE;
    int h = message_lines(s, shows_notice(s) ? message_most(s) : y + 1), at = 0, none = 0;
    struct rect r = {y - h + 1, 1, h, g->cols - 1};
    for (int i = 0; i < h; i++)
        grid_fill(g, r.y + i, 0, g->cols, ' ', STYLE_TEXT);
    int lines = grid_wrap(g, r, &at, &none, style, buf_view(&d->message));
    if (lines > h)
        grid_put(g, y, g->cols - 1, 1, style, "…");
}

void footer_draw_notice(const struct screen *s, struct grid *g, int y)
{
    if (shows_notice(s))
        draw_message(s, g, y);
}

int footer_lines(const struct screen *s)
{
    int most = message_most(s);
    if (shows_notice(s))
        return 1;
    if (s->prompt.active)
        return s->work.message.n ? 1 + message_lines(s, most) : 1 + shows_hint(s);
    return s->work.message.n ? message_lines(s, most) : 1;
}

/* Draws the prompt; its cursor stays visible. */
static void draw_prompt(const struct screen *s, struct grid *g, int y)
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

/* The name of the place to which going back from the table leads; NULL: out of the program. */
static const char *place_behind_table(const struct workspace *d)
{
    if (d->list.left.on)
        return _("list");
    if (d->panel.left)
        return _("panel");
    return d->ranks && d->ranks->job ? _("all ranks") : NULL;
}

/* Whether the command applies to the selected entry of a list, and its label there if different. */
static bool list_has(const struct list_item *x, const char *command, const char **label)
{
    if (strcmp(command, "inside") == 0)
        return x && x->inside;
    if (strcmp(command, "delete-entry") == 0)
        return x && x->away;
    if (strcmp(command, "enter") == 0 && x && x->line == NONE && x->prose)
        *label = _("choose");
    return true;
}

const struct hint *screen_hints(const struct screen *s, const struct pane_ops *p)
{
    if (p == &pane_table && s->work.c->failed)
        return unopened;
    if (p == &pane_intake && !s->work.c->side[0].path)
        return pane_intake_empty;
    return p->hints;
}

static void draw_keys(const struct screen *s, struct grid *g, int y)
{
    const struct pane_ops *p = screen_pane(s);
    int x = 1;
    for (const struct hint *h = screen_hints(s, p); h->command; h++) {
        const char *key = keymap_key(&s->keys, p->place, h->command);
        if (!key)
            continue;
        bool back = p == &pane_table && strcmp(h->command, "back") == 0;
        const char *label = back ? place_behind_table(&s->work) : NULL;
        if (p == &pane_list && !list_has(workspace_selected(&s->work), h->command, &label))
            continue;
        if (p == &pane_panel && strcmp(h->command, "enter") == 0 && !panel_line_opens(&s->work))
            continue;
        label = label ? label : _(h->label);
        int need = utf8_cells(str_of(key)) + 1 + utf8_cells(str_of(label)) + 2;
        if (x + need > g->cols + 2)
            break;
        x += grid_put(g, y, x, g->cols - x, STYLE_KEY, key) + 1;
        x += grid_put(g, y, x, g->cols - x, STYLE_DIM, label) + 2;
    }
}

/* Above the prompt: the present matches, then the possible input. */
static void draw_hint(const struct screen *s, struct grid *g, int y)
{
    const struct trial *t = &s->work.trial;
    uint32_t lines = workspace_lines(&s->work), found;
    bool done;
    char n[NUM_MAX], m[NUM_MAX];
    struct buf b = {0};
    int x = 1;
    if (trial_found(t, lines, &found, &done))
        x += grid_fmt(g, y, x, g->cols - x, STYLE_HIT, done ? _("%s of %s rows") : _("%s … of %s rows"),
                      num_count(n, found), num_count(m, lines)) + 2;
    if (t->error && !s->prompt.hint.n)
        buf_cstr(&b, t->error);
    else
        buf_str(&b, buf_view(&s->prompt.hint));
    grid_end(g, y, x, g->cols - x, STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

void footer_draw(const struct screen *s, struct grid *g)
{
    int y = g->rows - 1;
    bool said = s->work.message.n > 0;
    if (s->prompt.active && said && y > 0) /* why the prompt stays open */
        draw_message(s, g, y - 1);
    else if (shows_hint(s))
        draw_hint(s, g, y - 1);
    if (s->prompt.active)
        draw_prompt(s, g, y);
    else if (said && !shows_notice(s))
        draw_message(s, g, y);
    else
        draw_keys(s, g, y);
}
