/* The pair table: both names, the verdict, the errors; the minimap of the whole run at its edge. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "ui/pane.h"

const char *verdict_glyph_of(enum verdict v)
{
    static const char *const glyph[VERDICT_COUNT] = {
        [VERDICT_PENDING] = "…", [VERDICT_MATCH] = "✓", [VERDICT_DRIFT] = "!",
        [VERDICT_DEVIATE] = "✗", [VERDICT_NONFINITE] = "∞", [VERDICT_SHAPE] = "#",
        [VERDICT_DTYPE] = "T", [VERDICT_ONLY] = "∅", [VERDICT_SKIP] = "·",
    };
    return glyph[v];
}

uint8_t verdict_style_of(enum verdict v)
{
    static const uint8_t style[VERDICT_COUNT] = {
        [VERDICT_PENDING] = STYLE_DIM, [VERDICT_MATCH] = STYLE_TEXT, [VERDICT_DRIFT] = STYLE_DRIFT,
        [VERDICT_DEVIATE] = STYLE_DEVIATE, [VERDICT_NONFINITE] = STYLE_NONFINITE, [VERDICT_SHAPE] = STYLE_DEVIATE,
        [VERDICT_DTYPE] = STYLE_DRIFT, [VERDICT_ONLY] = STYLE_ONLY, [VERDICT_SKIP] = STYLE_SKIP,
    };
    return style[v];
}

/* Agreeing statistics are no equality, and are not drawn as one. */
static bool same_stats(const struct line_judgement *l)
{
    return l->verdict == VERDICT_MATCH && (l->flags & LINE_STATISTICS) && l->rule != RULE_CHECKSUM_SAME;
}

const char *verdict_glyph(const struct line_judgement *l)
{
    return !l ? "…" : same_stats(l) ? "≈" : verdict_glyph_of(l->verdict);
}

uint8_t verdict_style(const struct line_judgement *l)
{
    uint8_t style = !l ? STYLE_DIM : same_stats(l) ? STYLE_SAME_STATS : verdict_style_of(l->verdict);
    return l && (l->flags & LINE_DOUBTFUL) ? style | STYLE_UNDER : style;
}

/* "Functional.linear.0.forward.input.1" → "Functional.linear.0.fwd.in.1": the words every name has give
 * way to the ones that tell it from others. Only drawn so; searches and files see the full name. */
static void name_shorten(struct str name, struct buf *out)
{
    static const struct {
        const char *word, *twin;
    } words[] = {
        {"forward", "fwd"}, {"backward", "bwd"}, {"input", "in"}, {"output", "out"}, {"parameters", "par"}, {"parameters_grad", "grad"},
    };
    struct str rest = name, part;
    for (bool again = true, first = true; again; first = false) {
        again = str_split(rest, '.', &part, &rest);
        const char *twin = NULL;
        for (size_t i = 0; i < ARRAY_LEN(words); i++)
            if (str_is(part, words[i].word))
                twin = words[i].twin;
        if (!first)
            buf_char(out, '.');
        if (twin)
            buf_cstr(out, twin);
        else
            buf_str(out, part);
    }
}

/* ---- columns ---- */

struct draw {
    struct screen *s;
    struct desk *d;
    uint32_t line, row[2];
    const struct line_judgement *j;
    const struct figures *f;
    uint8_t style;
};

enum column_id { COLUMN_MINUS, COLUMN_REL, COLUMN_ABS, COLUMN_LEVEL, COLUMN_COUNT };

static const struct number_column {
    const char *head;
    int from; /* shown on tables at least this wide */
} number_columns[COLUMN_COUNT] = {
    [COLUMN_MINUS] = {N_("1-cos"), 110},
    [COLUMN_REL] = {N_("rel L2"), 0},
    [COLUMN_ABS] = {N_("max abs"), 110},
    [COLUMN_LEVEL] = {N_("level"), 150},
};
#define NUMBER_W 9 /* "-1.23e-308" never comes; "1.2e-7" and "0.000123" do */

static bool number_of(const struct draw *x, enum column_id c, double *v)
{
    bool two = x->f && x->f->two;
    switch (c) {
    case COLUMN_MINUS:
        *v = two ? x->f->minus : 0;
        return two;
    case COLUMN_ABS:
        *v = two ? x->f->max_abs : 0;
        return two;
    case COLUMN_REL:
        *v = x->j ? (double)x->j->error : NAN;
        return !isnan(*v);
    case COLUMN_LEVEL:
        *v = x->j ? (double)x->j->level : NAN;
        return !isnan(*v);
    case COLUMN_COUNT:
        break;
    }
    return false;
}

struct columns {
    int name[2], name_w; /* x of the two names and their width */
    int verdict;
    int number[COLUMN_COUNT]; /* x, or -1 */
    int why, why_w;
};

static struct columns lay_out(struct rect r)
{
    struct columns c = {.why = -1};
    int gutter = 2, edge = 1, fixed = 3 + 1, numbers = 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        numbers += r.w >= number_columns[i].from;
    fixed += numbers * NUMBER_W;
    if (r.w >= 170) {
        c.why_w = 14;
        fixed += c.why_w + 1;
    }
    c.name_w = (r.w - gutter - edge - fixed) / 2;
    if (c.name_w < 4)
        c.name_w = 4;
    int x = r.x + gutter;
    c.name[0] = x;
    x += c.name_w;
    c.verdict = x;
    x += 3;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        c.number[i] = r.w >= number_columns[i].from ? x : -1;
        x += c.number[i] < 0 ? 0 : NUMBER_W;
    }
    c.name[1] = x + 1;
    if (c.why_w)
        c.why = x + 1 + c.name_w + 1;
    return c;
}

static void head(struct screen *s, struct rect r, const struct columns *c)
{
    struct grid *g = &s->grid;
    uint8_t style = s->desk.focus == FOCUS_TABLE ? STYLE_FOCUS : STYLE_TITLE;
    grid_put(g, r.y, c->name[0], c->name_w, style, _("TARGET"));
    grid_put(g, r.y, c->verdict, 3, STYLE_TITLE, "│v│");
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (c->number[i] >= 0)
            grid_right(g, r.y, c->number[i], NUMBER_W - 1, STYLE_TITLE, _(number_columns[i].head));
    grid_put(g, r.y, c->name[1] - 1, 1, STYLE_TITLE, "│");
    grid_put(g, r.y, c->name[1], c->name_w, style, s->session.single ? "" : _("GOLDEN"));
    if (c->why >= 0)
        grid_put(g, r.y, c->why, c->why_w, STYLE_TITLE, _("why paired"));
}

static bool bookmarked(const struct draw *x, const struct buf name[2])
{
    return x->d->inv->bookmarks.n && investigation_is_bookmarked(x->d->inv, name[0].p, name[1].p);
}

static uint8_t name_style(const struct draw *x, struct str name)
{
    if (x->d->search.code && name.n && search_name(&x->d->search, name))
        return STYLE_HIT;
    return x->style;
}

static void draw_why(const struct draw *x, const struct columns *c, int y)
{
    const struct pairing *p = &x->d->s->pairing;
    uint32_t pair = x->d->s->paired ? p->lines.v[x->line].pair : NONE;
    if (c->why >= 0 && pair != NONE)
        grid_fmt(&x->s->grid, y, c->why, c->why_w, STYLE_DIM, "%s %.2f", _(origin_name(p->pairs.v[pair].origin)),
                 (double)p->pairs.v[pair].confidence);
}

static void draw_line(struct draw *x, const struct columns *c, int y, struct buf name[2], bool first)
{
    struct grid *g = &x->s->grid;
    char n[NUM_MAX];
    desk_names(x->d, x->line, name);
    x->style = first ? STYLE_FIRST : verdict_style(x->j) == STYLE_SKIP ? STYLE_SKIP : STYLE_TEXT;
    grid_put(g, y, c->name[0] - 2, 1, first ? STYLE_FIRST : STYLE_TITLE, first ? "▶" : bookmarked(x, name) ? "★" : " ");
    for (int s = 0; s < 2; s++) {
        if (name[s].n) {
            uint8_t style = name_style(x, buf_view(&name[s]));
            buf_clear(&x->s->table.name);
            name_shorten(buf_view(&name[s]), &x->s->table.name);
            grid_middle(g, y, c->name[s], c->name_w, style, buf_view(&x->s->table.name));
        }
        else if (x->d->s->paired) {
            grid_put(g, y, c->name[s], 1, STYLE_DIM, "·");
        }
    }
    grid_put(g, y, c->verdict, 1, STYLE_RULE, "│");
    if (!x->d->s->single)
        grid_put(g, y, c->verdict + 1, 1, first ? STYLE_FIRST : verdict_style(x->j), verdict_glyph(x->j));
    grid_put(g, y, c->verdict + 2, 1, STYLE_RULE, "│");
    for (int i = 0; i < COLUMN_COUNT; i++) {
        double v;
        if (c->number[i] >= 0 && number_of(x, (enum column_id)i, &v))
            grid_right(g, y, c->number[i], NUMBER_W - 1, i == COLUMN_REL ? (first ? STYLE_FIRST : verdict_style(x->j) & STYLE_ELEMENT) : STYLE_TEXT,
                       num_error(n, v));
    }
    grid_put(g, y, c->name[1] - 1, 1, STYLE_RULE, "│");
    draw_why(x, c, y);
}

/* ---- minimap ---- */

/* How much a verdict matters when several share a cell. */
static int weight(enum verdict v)
{
    static const uint8_t w[VERDICT_COUNT] = {
        [VERDICT_SKIP] = 0, [VERDICT_MATCH] = 1, [VERDICT_ONLY] = 2, [VERDICT_PENDING] = 3, [VERDICT_DTYPE] = 4,
        [VERDICT_DRIFT] = 5, [VERDICT_SHAPE] = 6, [VERDICT_NONFINITE] = 7, [VERDICT_DEVIATE] = 8,
    };
    return w[v];
}

static void remap(struct table_state *t, const struct judgement *j, int h)
{
    t->map_of = j;
    t->map_h = h;
    for (int y = 0; y < h; y++) {
        uint64_t from = (uint64_t)y * j->lines / (uint64_t)h, to = (uint64_t)(y + 1) * j->lines / (uint64_t)h;
        enum verdict worst = VERDICT_SKIP;
        for (uint64_t i = from; i < to || i == from; i++)
            if (i < j->lines && weight(j->line[i].verdict) > weight(worst))
                worst = j->line[i].verdict;
        t->map[y] = (uint8_t)worst;
    }
}

static void minimap(struct screen *s, struct rect r)
{
    const struct judgement *j = s->session.judged;
    int h = r.h > (int)sizeof s->table.map ? (int)sizeof s->table.map : r.h;
    uint32_t lines = desk_lines(&s->desk);
    if (!j || !j->lines || h < 2)
        return;
    if (s->table.map_of != j || s->table.map_h != h)
        remap(&s->table, j, h);
    for (int y = 0; y < h; y++) {
        enum verdict v = s->table.map[y];
        uint64_t from = (uint64_t)y * lines / (uint64_t)h, to = (uint64_t)(y + 1) * lines / (uint64_t)h;
        bool here = s->desk.cursor >= from && (s->desk.cursor < to || y == h - 1);
        const char *glyph = verdict_is_bad(v) ? "▓" : v == VERDICT_DRIFT || v == VERDICT_DTYPE ? "▒" : "░";
        grid_put(&s->grid, r.y + y, r.x + r.w - 1, 1, v == VERDICT_MATCH || v == VERDICT_SKIP ? STYLE_RULE : verdict_style_of(v), glyph);
        if (here)
            grid_mark(&s->grid, r.y + y, r.x + r.w - 1, 1, STYLE_CURSOR);
    }
}

/* ---- the pane ---- */

static void keep_visible(struct table_state *t, uint32_t cursor, uint32_t n, int h)
{
    uint32_t rows = (uint32_t)h, margin = rows > 8 ? 2 : 0;
    if (cursor < t->top + margin)
        t->top = cursor > margin ? cursor - margin : 0;
    if (cursor + margin >= t->top + rows)
        t->top = cursor + margin + 1 - rows;
    if (n <= rows)
        t->top = 0;
    else if (t->top > n - rows)
        t->top = n - rows;
}

static void empty(struct screen *s, struct rect r)
{
    const struct session *x = &s->session;
    struct rect in = {r.y + r.h / 3, r.x + 2, r.h - r.h / 3, r.w - 4};
    int y = 0, skip = 0;
    if (x->failed)
        grid_wrap(&s->grid, in, &y, &skip, STYLE_ERROR, str_of(x->err.text));
    else
        grid_wrap(&s->grid, in, &y, &skip, STYLE_DIM, str_of(x->paired ? _("There is no row: both dumps are empty.") : _("Reading …")));
    if (x->failed) {
        y++;
        grid_wrap(&s->grid, in, &y, &skip, STYLE_DIM, str_of(_("q leaves. `diverge check PATH` looks at one side alone, `diverge formats` lists what can be read.")));
    }
}

static void draw(struct screen *s, struct rect r)
{
    struct desk *d = &s->desk;
    struct columns c = lay_out(r);
    uint32_t n = desk_lines(d);
    int h = r.h - 1;
    struct buf name[2] = {{0}, {0}};
    head(s, r, &c);
    if (h < 1)
        return;
    d->page = h;
    if (!n || s->session.failed) {
        empty(s, (struct rect){r.y + 1, r.x, h, r.w});
        return;
    }
    keep_visible(&s->table, d->cursor, n, h);
    session_want(&s->session, s->table.top, s->table.top + (uint32_t)h);
    uint32_t first = s->session.judged ? s->session.judged->first : NONE;
    for (int y = 0; y < h && s->table.top + (uint32_t)y < n; y++) {
        struct draw x = {.s = s, .d = d, .line = s->table.top + (uint32_t)y};
        desk_rows(d, x.line, x.row);
        x.j = desk_judgement(d, x.line);
        x.f = s->session.paired && s->session.measure.figures ? s->session.measure.figures[x.line] : NULL;
        draw_line(&x, &c, r.y + 1 + y, name, x.line == first);
        if (x.line == d->cursor)
            grid_mark(&s->grid, r.y + 1 + y, r.x, r.w - 1, STYLE_CURSOR);
    }
    minimap(s, (struct rect){r.y + 1, r.x, h, r.w});
    buf_release(&name[0]);
    buf_release(&name[1]);
}

static const struct hint hints[] = {
    {"first", N_("first")},    {"next deviation", N_("next")}, {"prev deviation", N_("prev")}, {"twin", N_("twin")},
    {"pane stack", N_("stack")}, {"search-line", N_("search")},  {"help", N_("help")},           {"back", N_("quit")},
    {"next precision", N_("precision")}, {"pane next", N_("pane")}, {"command", N_("command")}, {"bookmark", N_("bookmark")},
    {0},
};

const struct pane_ops pane_table = {"table", draw, hints};
