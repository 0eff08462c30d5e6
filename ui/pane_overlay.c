/* Help and lists: they take the place of the table and its pane until they are closed. */
#include "base/msg.h"
#include "base/utf8.h"
#include "ui/pane.h"

/* ---- help, made from the tables ---- */

static void help_section(struct screen *s, const struct command_group *group, struct rect r, int *y, int *skip)
{
    struct buf keys = {0};
    struct grid *g = &s->grid;
    for (const struct command *c = group->commands; c->name; c++) {
        size_t n = strlen(c->name);
        buf_clear(&keys);
        /* every binding whose command starts with this name, with its arguments */
        for (size_t i = 0; i < s->keys.bindings.n; i++) {
            const struct binding *b = &s->keys.bindings.v[i];
            if (strncmp(b->command, c->name, n) != 0 || (b->command[n] && b->command[n] != ' '))
                continue;
            if (keymap_find(&s->keys, b->place, b->key) != b->command)
                continue;
            buf_fmt(&keys, "%s%s%s%s", keys.n ? "  " : "", b->key, b->command[n] ? " " : "", b->command[n] ? b->command + n + 1 : "");
        }
        struct rect right = {r.y, r.x + 19, r.h, r.w - 20};
        if (*skip == 0 && *y < r.h)
            grid_fmt(g, r.y + *y, r.x + 2, 16, STYLE_KEY, ":%s", c->name);
        grid_wrap(g, right, y, skip, STYLE_TEXT, str_of(_(c->help)));
        if (keys.n) {
            grid_wrap(g, right, y, skip, STYLE_TITLE, buf_view(&keys));
        }
    }
    buf_release(&keys);
}

static void help_line(struct screen *s, struct rect r, int *y, int *skip, uint8_t style, const char *text)
{
    grid_wrap(&s->grid, r, y, skip, style, str_of(text));
}

static void draw_help(struct screen *s, struct rect r)
{
    int y = 0, skip = s->desk.overlay_scroll, asked = skip;
    help_line(s, r, &y, &skip, STYLE_TITLE, _("Keys run commands; : takes them by name, Tab completes. Marks in the table:"));
    help_line(s, r, &y, &skip, STYLE_TEXT,
              _("  ✓ match   ≈ same statistics   ! drift   ✗ deviates   ∞ non-finite   # element counts   T kinds (int, float)   ∅ no partner   · skipped   … pending   underlined: doubtful"));
    for (const struct command_group *g = command_groups; g->title; g++) {
        help_line(s, r, &y, &skip, STYLE_TEXT, " ");
        help_line(s, r, &y, &skip, STYLE_TITLE, _(g->title));
        help_section(s, g, r, &y, &skip);
    }
    int total = y + asked - skip, most = total > r.h ? total - r.h : 0;
    if (s->desk.overlay_scroll > most) {
        s->desk.overlay_scroll = most;
        for (int i = 0; i < r.h; i++)
            grid_fill(&s->grid, r.y + i, r.x, r.w, ' ', STYLE_TEXT);
        draw_help(s, r);
    }
    s->desk.page = r.h;
}

static const struct hint help_hints[] = {{"down", N_("scroll")}, {"page-down", N_("page")}, {"back", N_("back")}, {0}};
const struct pane_ops pane_help = {"help", draw_help, help_hints};

/* ---- lists ---- */

static void draw_list(struct screen *s, struct rect r)
{
    struct workspace *d = &s->desk;
    struct grid *g = &s->grid;
    uint32_t h = (uint32_t)(r.h > 1 ? r.h - 1 : 0), n = (uint32_t)d->list.n;
    d->page = (int)h;
    grid_fmt(g, r.y, r.x + 1, r.w - 1, STYLE_FOCUS, "%s  %u/%u", d->list_title, n ? d->list_at + 1 : 0, n);
    uint32_t top = (uint32_t)d->overlay_scroll;
    if (d->list_at < top)
        top = d->list_at;
    if (h && d->list_at >= top + h)
        top = d->list_at - h + 1;
    d->overlay_scroll = (int)top;
    for (uint32_t i = 0; i < h && top + i < n; i++) {
        const struct list_item *x = &d->list.v[top + i];
        int y = r.y + 1 + (int)i;
        if (x->mark)
            grid_put(g, y, r.x + 1, 1, verdict_style_of(x->mark), verdict_glyph_of(x->mark));
        if (x->inside || utf8_cells(str_of(x->text)) <= r.w - 4) /* what is said comes first, what it is about may go */
            grid_put(g, y, r.x + 3, r.w - 4, STYLE_TEXT, x->text);
        else
            grid_middle(g, y, r.x + 3, r.w - 4, STYLE_TEXT, str_of(x->text));
        if (top + i == d->list_at)
            grid_mark(g, y, r.x, r.w, STYLE_CURSOR);
    }
}

static const struct hint list_hints[] = {{"enter", N_("go there")}, {"down", N_("next")}, {"back", N_("back")}, {0}};
const struct pane_ops pane_list = {"list", draw_list, list_hints};
