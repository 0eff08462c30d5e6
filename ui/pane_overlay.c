/* Shows help and lists in place of the table until they are closed. */
#include "base/fuzzy.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "ui/pane.h"

/* ---- help, made from the tables ---- */

/* The help while it is laid out: with an empty `grid` the lines are only counted. */
struct help {
    const struct screen *s;
    struct grid *grid;
    struct rect r;
    int y, skip; /* next line, and the number of lines still to scroll past */
    struct str words; /* words that an entry must contain */
    const char *title; /* of the following entries, until one of them is shown */
};

static void help_line(struct help *h, uint8_t style, const char *text)
{
    grid_wrap(h->grid, h->r, &h->y, &h->skip, style, str_of(text));
}

static void help_title(struct help *h)
{
    if (!h->title)
        return;
    help_line(h, STYLE_TEXT, " ");
    help_line(h, STYLE_TITLE, h->title);
    h->title = NULL;
}

/* A word at the left, what it does beside it, then its keys; nothing if the words are not in it. */
static void help_entry(struct help *h, const char *word, const char *does, struct str keys)
{
    struct buf all = {0};
    buf_fmt(&all, "%s %s %.*s", word, does, STR_ARG(keys));
    bool wanted = fuzzy_inside(buf_view(&all), h->words);
    buf_release(&all);
    if (!wanted)
        return;
    help_title(h);
    struct rect right = {h->r.y, h->r.x + 19, h->r.h, h->r.w - 20};
    if (h->skip == 0 && h->y < h->r.h)
        grid_put(h->grid, h->r.y + h->y, h->r.x + 2, 16, STYLE_KEY, word);
    grid_wrap(h->grid, right, &h->y, &h->skip, STYLE_TEXT, str_of(does));
    if (keys.n)
        grid_wrap(h->grid, right, &h->y, &h->skip, STYLE_TITLE, keys);
}

/* Every key whose command starts with this name, with its arguments. */
static void put_keys_of(const struct keymap *k, const char *name, struct buf *out)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < k->bindings.n; i++) {
        const struct binding *b = &k->bindings.v[i];
        if (strncmp(b->command, name, n) != 0 || (b->command[n] && b->command[n] != ' '))
            continue;
        bool said = false; /* of another place */
        for (size_t j = 0; j < i && !said; j++)
            said = strcmp(k->bindings.v[j].key, b->key) == 0 && strcmp(k->bindings.v[j].command, b->command) == 0;
        if (!said && keymap_find(k, b->place, b->key) == b->command)
            buf_fmt(out, "%s%s%s%s", out->n ? "  " : "", b->key, b->command[n] ? " " : "",
                    b->command[n] ? b->command + n + 1 : "");
    }
}

static void help_commands(struct help *h, const struct command_group *group)
{
    struct buf keys = {0}, name = {0};
    h->title = _(group->title);
    for (const struct command *c = group->commands; c->name; c++) {
        buf_clear(&keys);
        buf_clear(&name);
        put_keys_of(&h->s->keys, c->name, &keys);
        buf_fmt(&name, ":%s", c->name);
        help_entry(h, name.p, _(c->help), buf_view(&keys));
    }
    buf_release(&keys);
    buf_release(&name);
}

static void help_key(struct help *h, const char *key, const char *what, const char *command, struct buf *text)
{
    buf_clear(text);
    buf_fmt(text, "%s  :%s", what, command);
    help_entry(h, key, text->p, STR(""));
}

/* The keys that work only in the pane where help was requested. */
static void write_keys_here(struct help *h)
{
    const struct keymap *k = &h->s->keys;
    const struct pane_ops *pane = pane_of(h->s->work.help_of);
    struct buf text = {0};
    h->title = _("Keys available here");
    for (const struct hint *x = screen_hints(h->s, pane); x->command; x++) {
        const char *key = keymap_key(k, pane->place, x->command);
        if (key && !keymap_find_in(k, pane->place, key))
            help_key(h, key, command_help(x->command), x->command, &text);
    }
    for (size_t i = 0; i < k->bindings.n; i++) {
        const struct binding *b = &k->bindings.v[i];
        if (strcmp(b->place, pane->place) == 0 && keymap_find_in(k, b->place, b->key) == b->command)
            help_key(h, b->key, command_help(b->command), b->command, &text);
    }
    buf_release(&text);
}

/* What the words of the screen mean. */
static void help_words(struct help *h)
{
    static const char *const words[][2] = {
        {N_("starts here"), N_("the first rows that differ although nothing they depend on does; each needs a cause")},
        {N_("inherits"), N_("differs, and depends on a row where a deviation starts")},
        {N_("paired"), N_("the share of a side's computing calls that have a partner on the other side")},
        {N_("doubtful"), N_("the pair is uncertain, or its operator amplifies noise: its verdict is not counted")},
        {N_("not certain"), N_("a row before the first deviation could not be judged, so an earlier one may exist")},
        {N_("levels differ"), N_("one side recorded modules, the other API calls: some rows have no partner")},
        {N_("noise level"), N_("the error that rows before this one have; the limit follows from it")},
        {N_("statistics"), N_("max, min, mean and norm, recorded without the elements")},
    };
    h->title = _("Words on the screen");
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        help_entry(h, _(words[i][0]), _(words[i][1]), STR(""));
}

/* Returns the lines all of it takes. */
static int help_text(const struct screen *s, struct grid *g, struct rect r, int from)
{
    struct help h = {.s = s, .grid = g, .r = r, .skip = from, .words = buf_view(&s->work.narrow)};
    struct buf words = {0};
    if (h.words.n || s->work.narrowing)
        buf_fmt(&words, _("/%.*s: entries that contain this; Backspace deletes a character"), STR_ARG(h.words));
    help_line(&h, STYLE_TITLE,
              words.n ? words.p
                      : _("Each key runs a command; : runs it by name, Tab completes. / or typing searches this help, "
                          "q leaves it. Marks in the table:"));
    buf_release(&words);
    if (!h.words.n)
        help_line(&h, STYLE_TEXT,
                  _("  ✓ match   ≈ same statistics   ! drift   ✗ deviates   ∞ non-finite\n"
                    "  ↓ inherits a deviation   # element counts   T kinds (int, float)\n"
                    "  ∅ not paired   · skipped   … pending   ? in doubt   underlined: doubtful\n"
                    "  \" same name as the target's"));
    int head = h.y - h.skip;
    write_keys_here(&h);
    for (const struct command_group *group = command_groups; group->title; group++)
        help_commands(&h, group);
    help_words(&h);
    if (h.words.n && h.y - h.skip == head)
        help_line(&h, STYLE_TEXT, _("no match in the help"));
    return h.y + from - h.skip;
}

static void update_help(struct screen *s, struct rect r)
{
    struct grid nowhere = {0};
    int most = help_text(s, &nowhere, r, 0) - r.h;
    most = most > 0 ? most : 0;
    if (s->work.help_scroll > most)
        s->work.help_scroll = most;
    s->work.page = r.h;
}

static void draw_help(const struct screen *s, struct grid *g, struct rect r)
{
    help_text(s, g, r, s->work.help_scroll);
}

static const struct hint help_hints[] =
    {{"down", N_("scroll")}, {"page-down", N_("page")}, {"narrow", N_("type to search")}, {"cancel", N_("back")}, {0}};
const struct pane_ops pane_help = {"help", update_help, draw_help, help_hints};

/* ---- lists ---- */

#define ITEM_KEYS 3 /* that are shown of a command's */
#define ITEM_KEYS_W 9

/* The keys of an entry's command, with any words where the entry has none: "e w u". */
static void item_keys(const struct keymap *k, const struct list_item *x, struct buf *out)
{
    struct str command = str_of(x->command);
    int n = 0;
    if (str_starts(command, "command ")) /* it is put into the prompt */
        command = str_cut(command, strlen("command "));
    bool any_words = !str_has(command, " ");
    for (size_t i = 0; i < k->bindings.n && n < ITEM_KEYS; i++) {
        const struct binding *b = &k->bindings.v[i];
        struct str name, rest;
        str_split(str_of(b->command), ' ', &name, &rest);
        if (strcmp(b->place, "global") == 0 && keymap_find(k, "table", b->key) == b->command &&
            str_eq(any_words ? name : str_of(b->command), command))
            buf_fmt(out, "%s%s", n++ ? " " : "", b->key);
    }
}

/* What its keys leave of the width. */
static int item_width(const struct screen *s, const struct list_item *x, int w)
{
    struct buf keys = {0};
    if (x->prose)
        item_keys(&s->keys, x, &keys);
    bool any = keys.n > 0;
    buf_release(&keys);
    return any ? w - ITEM_KEYS_W - 1 : w;
}

/* The name at the start of an entry, shown in a column of its own with the wrapped text beside it; empty if there is
 * none. */
static struct str item_name(const struct list_item *x, int w)
{
    struct str text = str_of(x->text);
    size_t end = 0;
    for (size_t i = 1; x->prose && i < text.n && i < 40; i++) {
        bool after = text.p[i] != ' ' && text.p[i - 1] == ' ', wide = after && i > 1 && text.p[i - 2] == ' ';
        if (wide || (after && !end))
            end = i;
    }
    struct str name = str_n(text.p, end);
    return utf8_cells(name) < w / 2 ? name : str_n(text.p, 0);
}

/* The entry as a whole from the top of its rectangle; returns the lines it takes. */
static int put_item(struct grid *g, struct rect r, const struct list_item *x)
{
    struct str name = item_name(x, r.w);
    int y = 0, skip = 0, w = utf8_cells(name);
    if (w && r.h > 0)
        grid_text(g, r.y, r.x, w, STYLE_TEXT, name);
    return grid_wrap(g, (struct rect){r.y, r.x + w, r.h, r.w - w}, &y, &skip, STYLE_TEXT,
                     str_cut(str_of(x->text), name.n));
}

/* Lines an entry takes: the selected one and those that ask for it are shown whole, as far as half the list goes. */
static int list_item_lines(const struct screen *s, uint32_t at, struct rect r)
{
    const struct workspace *d = &s->work;
    struct grid nowhere = {0};
    int most = r.h / 2 > 1 ? r.h / 2 : 1;
    if (at >= d->list.shown.n)
        return 1;
    const struct list_item *x = &d->list.items.v[d->list.shown.v[at]];
    if (at != d->list.at && !x->start)
        return 1;
    int n = put_item(&nowhere, (struct rect){0, 0, 1, item_width(s, x, r.w) - 4}, x);
    return n < most ? n : most;
}

static void update_list(struct screen *s, struct rect r)
{
    struct workspace *d = &s->work;
    s->list = r;
    d->page = r.h > 1 ? r.h - 1 : 0;
    int top = (int)d->list.at, room = d->page - list_item_lines(s, d->list.at, r);
    while (top > 0 && room >= list_item_lines(s, (uint32_t)top - 1, r))
        room -= list_item_lines(s, (uint32_t)--top, r);
    d->list.scroll = d->list.scroll < top ? top : d->list.scroll > (int)d->list.at ? (int)d->list.at : d->list.scroll;
}

static void draw_list_item(const struct screen *s, struct grid *g, struct rect r, uint32_t at)
{
    const struct workspace *d = &s->work;
    const struct list_item *x = &d->list.items.v[d->list.shown.v[at]];
    struct buf keys = {0};
    if (x->prose)
        item_keys(&s->keys, x, &keys);
    if (keys.n)
        grid_right(g, r.y, r.x + r.w - ITEM_KEYS_W - 1, ITEM_KEYS_W, STYLE_KEY, keys.p);
    buf_release(&keys);
    r.w = item_width(s, x, r.w);
    if (x->mark)
        grid_put(g, r.y, r.x + 1, 1, verdict_style_of(x->mark), verdict_glyph_of(x->mark));
    if (at == d->list.at || x->start)
        put_item(g, (struct rect){r.y, r.x + 3, r.h, r.w - 4}, x);
    for (int i = 0; i < r.h && at == d->list.at; i++)
        grid_mark(g, r.y + i, r.x, g->cols, STYLE_CURSOR);
    if (at == d->list.at || x->start)
        return;
    struct str text = str_of(x->shown && utf8_cells(str_of(x->text)) > r.w - 4 ? x->shown : x->text);
    if (x->inside || x->prose || utf8_cells(text) <= r.w - 4) /* the text has priority */
        grid_end(g, r.y, r.x + 3, r.w - 4, STYLE_TEXT, text);
    else
        grid_middle(g, r.y, r.x + 3, r.w - 4, STYLE_TEXT, text);
}

long pane_list_entry(const struct screen *s, int y)
{
    const struct list_view *l = &s->work.list;
    int at = s->list.y + 1;
    for (uint32_t i = (uint32_t)l->scroll; i < l->shown.n && at < s->list.y + s->list.h && y >= at; i++) {
        at += list_item_lines(s, i, s->list);
        if (y < at)
            return i;
    }
    return -1;
}

static void draw_list(const struct screen *s, struct grid *g, struct rect r)
{
    const struct workspace *d = &s->work;
    uint32_t n = (uint32_t)d->list.shown.n;
    struct buf b = {0};
    if (d->narrow.n || d->narrowing) {
        buf_fmt(&b, _("/%s  %u/%u of %zu: %s"), d->narrow.n ? d->narrow.p : "", n ? d->list.at + 1 : 0, n,
                d->list.items.n, d->list.title);
        grid_end(g, r.y, r.x + 1, r.w - 1, STYLE_FOCUS, buf_view(&b));
    } else { /* the count is seen, however long the title */
        buf_fmt(&b, "%u/%u", n ? d->list.at + 1 : 0, n);
        int w = utf8_cells(str_of(d->list.title)), most = r.w - 3 - (int)b.n;
        w = w < most ? w : most > 0 ? most : 0;
        grid_end(g, r.y, r.x + 1, w, STYLE_FOCUS, str_of(d->list.title));
        grid_text(g, r.y, r.x + w + 3, (int)b.n, STYLE_FOCUS, buf_view(&b));
    }
    buf_release(&b);
    int y = r.y + 1, end = r.y + r.h;
    if (d->narrow.n && !n && y < end)
        grid_fmt(g, y, r.x + 3, r.w - 4, STYLE_DIM, _("no entry contains \"%s\"; Backspace deletes a character"),
                 d->narrow.p);
    for (uint32_t i = (uint32_t)d->list.scroll; i < n && y < end; i++) {
        int lines = list_item_lines(s, i, r);
        lines = lines < end - y ? lines : end - y;
        draw_list_item(s, g, (struct rect){y, r.x, lines, r.w}, i);
        y += lines;
    }
}

static const struct hint list_hints[] =
    {{"enter", N_("go to it")}, {"inside", N_("open the entry")}, {"delete-entry", N_("take it away")},
     {"narrow", N_("type to narrow")}, {"cancel", N_("back")}, {0}};
const struct pane_ops pane_list = {"list", update_list, draw_list, list_hints};
