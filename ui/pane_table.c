/* Shows the pair table: both names, the verdict, the errors, and a minimap of the whole run at its edge. */

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "judge/cause.h"
#include "table/shown_name.h"
#include "ui/pane.h"

#define SAME_NAME "\"" /* on the golden side: a blank is no row, a point is a verdict */

uint8_t verdict_style_of(enum verdict v)
{
    static const uint8_t style[VERDICT_COUNT] = {
        [VERDICT_PENDING] = STYLE_DIM, [VERDICT_MATCH] = STYLE_TEXT, [VERDICT_DRIFT] = STYLE_DRIFT,
        [VERDICT_DEVIATE] = STYLE_DEVIATE, [VERDICT_NONFINITE] = STYLE_NONFINITE, [VERDICT_SHAPE] = STYLE_DEVIATE,
        [VERDICT_DTYPE] = STYLE_DRIFT, [VERDICT_ONLY] = STYLE_SKIP, [VERDICT_SKIP] = STYLE_SKIP,
        [VERDICT_INHERITED] = STYLE_DIM, [VERDICT_IN_DOUBT] = STYLE_DRIFT,
    };
    return style[v];
}

/* Equal statistics do not prove equal tensors, and are drawn differently. */
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

/* ---- columns ---- */

struct draw {
    struct grid *g;
    const struct workspace *d;
    struct field_line l;
    const struct line_judgement *j;
    uint8_t style;
};

/* The default fields by width of the table. */
static const struct usual {
    const char *field;
    int from;
} usual[] = {{"one_minus_cosine", 110},
             {"rel_l2", 0},
             {"max_abs", 110},
             {"t.norm", 150},
             {"g.norm", 150},
             {"t.max", 180},
             {"g.max", 180},
             {"t.mean", 200},
             {"g.mean", 200},
             {"t.min", 240},
             {"g.min", 240},
             {"level", 260},
             {"origin", 280},
             {"confidence", 280},
             {0}},
  usual_alone[] = {{"t.dtype", 100}, {"t.shape", 70},  {"t.norm", 0},
                   {"t.max", 90},    {"t.min", 110},   {"t.mean", 130},
                   {"t.zero", 150},  {"problem", 150}, {0}};

struct shown_column {
    const struct field *field;
    int x, w;
};

struct columns {
    int name[2], name_w[2]; /* x and width of the two names; width 0: not shown */
    int verdict;
    struct shown_column c[COLUMNS_MOST];
    int n;
    int lines;              /* screen lines per row */
};

/* A figure of that many digits: sign, point, exponent. */
static int field_cell_width(const struct workspace *d, const struct field *f)
{
    int w = f->width;
    for (size_t i = d->widths.n; i-- > 0;)
        if (d->widths.v[i].field == f)
            return d->widths.v[i].width + 1;
    if (f->number && d->digits && d->digits + 7 > w && f->width > 5)
        w = d->digits + 7;
    int head = utf8_cells(str_of(_(f->head)));
    return (head > w ? head : w) + 1;
}

#define GOLDEN_SPARES 36 /* cells that golden names would take, where they are the target's */

/* The default fields that fit this width, or those that do not. */
static int usual_fields(const struct workspace *d, int w, bool given, const struct field *out[COLUMNS_MOST])
{
    int n = 0;
    if (d->same_names && !d->c->single && w >= 140)
        w += GOLDEN_SPARES;
    for (const struct usual *u = d->c->single ? usual_alone : usual; u->field; u++)
        if ((w >= u->from) == given)
            out[n++] = field_find(str_of(u->field));
    return n;
}

/* The default columns; the sort field comes first, so that it always fits. */
static void usual_columns(const struct workspace *d, int w, struct columns *c)
{
    const struct field *sort = d->arrange.sort, *f[COLUMNS_MOST];
    if (sort && sort->head)
        c->c[c->n++].field = sort;
    if (d->c->tabled && !d->c->single)
        c->c[c->n++].field = field_find(STR("told"));
    for (int i = 0, n = usual_fields(d, w, true, f); i < n && c->n < COLUMNS_MOST; i++)
        if (f[i] != sort)
            c->c[c->n++].field = f[i];
}

static void choose_columns(const struct workspace *d, int w, struct columns *c)
{
    if (!d->columns) {
        usual_columns(d, w, c);
    } else {
        for (int i = d->column_at; i < d->columns; i++)
            c->c[c->n++].field = d->column[i];
    }
    for (int i = 0; i < c->n; i++)
        c->c[i].w = field_cell_width(d, c->c[i].field);
}

static struct columns lay_out_columns(const struct workspace *d, struct rect r)
{
    struct columns c = {.lines = 1};
    int gutter = 2, edge = 1, numbers = 0;
    choose_columns(d, r.w, &c);
    bool stacked = d->layout == LAYOUT_STACKED && !d->c->single;
    bool one = d->layout == LAYOUT_TARGET || d->layout == LAYOUT_GOLDEN || stacked || d->c->single;
    int room = r.w - gutter - edge - 4, least = r.w < 60 ? 10 : one ? 24 : 30;
    for (int i = 0; i < c.n; i++)
        numbers += c.c[i].w;
    while (c.n > 1 && room < least + numbers)
        numbers -= c.c[--c.n].w; /* the others are reached with `right` */
    int names = room - numbers;
    names = names < 8 ? 8 : names;
    int second = one ? 0 : d->same_names && !d->c->single ? (names > 60 ? 14 : names / 4) : names / 2;
    c.name_w[0] = names - second;
    c.name_w[1] = second;
    c.lines = stacked ? 2 : 1;
    int x = r.x + gutter;
    c.name[0] = x;
    x += c.name_w[0];
    c.verdict = x;
    x += 3;
    for (int i = 0; i < c.n; i++) {
        c.c[i].x = x;
        x += c.c[i].w;
    }
    c.name[1] = x + 1;
    return c;
}

static void draw_column_heads(const struct screen *s, struct grid *g, struct rect r, const struct columns *c)
{
    const struct workspace *d = &s->work;
    uint8_t style = d->focus == FOCUS_TABLE ? STYLE_FOCUS : STYLE_TITLE;
    bool golden_first = d->layout == LAYOUT_GOLDEN && !s->work.c->single;
    const char *first = d->layout == LAYOUT_STACKED && !s->work.c->single ? _("TARGET above GOLDEN")
                        : golden_first                                    ? _("GOLDEN")
                                                                          : _("TARGET");
    grid_put(g, r.y, c->name[0], c->name_w[0], style, first);
    grid_put(g, r.y, c->verdict, 3, STYLE_TITLE, "│v│");
    for (int i = 0; i < c->n; i++) {
        const struct field *f = c->c[i].field;
        bool sorted = d->arrange.sort == f;
        uint8_t look = sorted ? STYLE_FOCUS : STYLE_TITLE;
        if (f->number)
            grid_right(g, r.y, c->c[i].x, c->c[i].w - 1, look, _(f->head));
        else
            grid_put(g, r.y, c->c[i].x, c->c[i].w - 1, look, _(f->head));
        if (sorted)
            grid_put(g, r.y, c->c[i].x + c->c[i].w - 1, 1, STYLE_FOCUS, d->arrange.descending ? "↓" : "↑");
    }
    if (d->column_at)
        grid_put(g, r.y, c->verdict + 2, 1, STYLE_FOCUS, "◀");
    if (d->columns && d->column_at + c->n < d->columns)
        grid_put(g, r.y, c->name[1] - 1, 1, STYLE_FOCUS, "▶");
    else if (c->name_w[1])
        grid_put(g, r.y, c->name[1] - 1, 1, STYLE_TITLE, "│");
    grid_put(g, r.y, c->name[1], c->name_w[1], style, s->work.c->single ? "" : _("GOLDEN"));
}

static bool is_row_bookmarked(const struct draw *x, const struct buf name[2])
{
    return x->d->inv->bookmarks.n && investigation_is_bookmarked(x->d->inv, name[0].p, name[1].p);
}

static uint8_t name_style(const struct draw *x, struct str name)
{
    if (x->d->search.code && name.n && search_name(&x->d->search, name))
        return STYLE_HIT;
    return x->style;
}

static void draw_name(const struct draw *x, const struct columns *c, int y, int place, struct str name)
{
    struct buf text = {0};
    shown_name_fit(name, c->name_w[place], x->g->ascii ? "~" : "…", &text);
    grid_text(x->g, y, c->name[place], c->name_w[place], name_style(x, name), buf_view(&text));
    buf_release(&text);
}

static void draw_names(const struct draw *x, const struct columns *c, int y, struct buf name[2])
{
    enum table_layout how = x->d->c->single ? LAYOUT_TARGET : x->d->layout;
    bool same = name[0].n && str_eq(buf_view(&name[0]), buf_view(&name[1]));
    if (how == LAYOUT_BOTH) {
        for (int s = 0; s < 2; s++)
            if (s && same)
                grid_put(x->g, y, c->name[1], 1, STYLE_DIM, SAME_NAME);
            else if (name[s].n)
                draw_name(x, c, y, s, buf_view(&name[s]));
        return;
    }
    if (how == LAYOUT_STACKED) {
        draw_name(x, c, y, 0, buf_view(&name[0]));
        if (same)
            grid_put(x->g, y + 1, c->name[0], 1, STYLE_DIM, SAME_NAME);
        else
            draw_name(x, c, y + 1, 0, buf_view(&name[1]));
        return;
    }
    int side = how == LAYOUT_GOLDEN ? GOLDEN : TARGET;
    if (name[side].n)
        draw_name(x, c, y, 0, buf_view(&name[side]));
    else if (name[!side].n) /* a row of the other side only */
        grid_fmt(x->g, y, c->name[0], c->name_w[0], STYLE_DIM, "· %s", name[!side].p);
}

static void draw_field(const struct draw *x, const struct shown_column *c, int y, bool first)
{
    const struct field *f = c->field;
    char n[NUM_MAX];
    if (f->text) {
        struct buf text = {0};
        field_text(&x->l, f, &text);
        const char *shown =
            text.n ? strcmp(f->name, "verdict") == 0 && x->j ? verdict_label((enum verdict)x->j->verdict) : text.p : "";
        grid_middle(x->g, y, c->x, c->w - 1, x->style == STYLE_FIRST ? STYLE_TEXT : x->style, str_of(shown));
        buf_release(&text);
        return;
    }
    double v;
    if (!field_value(&x->l, f, &v))
        return;
    bool judged = strcmp(f->name, "rel_l2") == 0;
    uint8_t style = judged ? (first ? STYLE_FIRST : verdict_style(x->j) & STYLE_ELEMENT) : STYLE_TEXT;
    const char *text = x->d->digits ? num_cell(n, v, x->d->digits)
                       : f->error   ? num_error(n, v)
                                    : num_cell(n, v, f->width > 9 ? 6 : 3);
    grid_right(x->g, y, c->x, c->w - 1, style, text);
}

/* Whether the row is picked for pairing. */
static bool is_row_picked(const struct draw *x)
{
    const struct row_range *p = &x->d->pick;
    uint32_t row[2];
    workspace_rows(x->d, x->l.line, row);
    return p->on && row[p->side] != NONE && row[p->side] >= p->row && row[p->side] <= p->last;
}

/* For a single recording: the row's problem. */
static void draw_problem(const struct draw *x, int y, int at)
{
    size_t n;
    const struct dump_check_problem *p = one_side_problems(&x->d->c->examined, x->l.row[TARGET], &n);
    bool nonfinite = p && (strcmp(p->kind, "nan") == 0 || strcmp(p->kind, "inf") == 0);
    if (p)
        grid_put(x->g, y, at, 1,
                 nonfinite               ? STYLE_NONFINITE
                 : dump_check_is_note(p) ? STYLE_DIM
                                         : STYLE_DEVIATE,
                 nonfinite               ? "∞"
                 : dump_check_is_note(p) ? "·"
                                         : "!");
}

static void draw_column_edges(struct grid *g, const struct columns *c, int y)
{
    for (int k = 0; k < c->lines; k++) {
        grid_put(g, y + k, c->verdict, 1, STYLE_RULE, "│");
        grid_put(g, y + k, c->verdict + 2, 1, STYLE_RULE, "│");
        if (c->name_w[1])
            grid_put(g, y + k, c->name[1] - 1, 1, STYLE_RULE, "│");
    }
}

/* The verdict's sign; behind that of a row which inherits, the start it inherits from, where there are several. Rows
 * that are not finite have none: their sign says what to look for, and they are found by it. */
static void draw_verdict(const struct draw *x, const struct columns *c, int y, bool first)
{
    const struct judgement *j = x->d->c->judged;
    uint8_t style = first ? STYLE_FIRST : verdict_style(x->j);
    grid_put(x->g, y, c->verdict + 1, 1, style, verdict_glyph(x->j));
    bool from = x->j && x->j->cause == CAUSE_INHERITED && x->j->verdict != VERDICT_NONFINITE;
    uint32_t group = from && j->start_groups.n > 1 ? start_group_of(j, x->l.line) : NONE;
    if (group != NONE && group < 9)
        grid_fmt(x->g, y, c->verdict + 2, 1, style, "%u", group + 1);
}

static void draw_line(struct draw *x, const struct columns *c, int y, struct buf name[2], bool first)
{
    struct grid *g = x->g;
    workspace_names(x->d, x->l.line, name);
    x->style = first ? STYLE_FIRST : verdict_style(x->j) == STYLE_SKIP ? STYLE_SKIP : STYLE_TEXT;
    grid_put(g, y, c->name[0] - 2, 1, first ? STYLE_FIRST : STYLE_TITLE,
             first ? "▶" : is_row_picked(x) ? "◆" : is_row_bookmarked(x, name) ? "★" : " ");
    draw_names(x, c, y, name);
    draw_column_edges(g, c, y);
    if (x->d->c->single)
        draw_problem(x, y, c->verdict + 1);
    else
        draw_verdict(x, c, y, first);
    for (int i = 0; i < c->n; i++)
        draw_field(x, &c->c[i], y, first);
}

/* Lines without a partner folded into one, across the table. */
static void draw_fold(const struct draw *x, const struct columns *c, int y, const struct row_fold *fold)
{
    struct buf b = {0};
    int end = c->name[1] + c->name_w[1], w = (end > c->verdict ? end : c->verdict) - c->name[0];
    row_fold_text(fold, &b);
    grid_put(x->g, y, c->name[0] - 2, 1, STYLE_DIM, "▸");
    grid_end(x->g, y, c->name[0], w, STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

/* ---- minimap ---- */

/* What a cell of the minimap shows: a start above all, rows that inherit quietly. */
enum map_cell { MAP_NOTHING, MAP_AGREES, MAP_DIFFERS, MAP_INHERITED, MAP_STARTS, MAP_CELLS };

static const struct {
    uint8_t style;
    const char *glyph;
} map_looks[MAP_CELLS] = {
    [MAP_NOTHING] = {STYLE_RULE, " "},  [MAP_AGREES] = {STYLE_RULE, "░"},     [MAP_DIFFERS] = {STYLE_DRIFT, "▒"},
    [MAP_INHERITED] = {STYLE_DIM, "▒"}, [MAP_STARTS] = {STYLE_DEVIATE, "█"},
};

static enum map_cell map_cell_of(const struct line_judgement *l)
{
    if (l->cause == CAUSE_STARTS)
        return MAP_STARTS;
    if (l->cause == CAUSE_INHERITED)
        return MAP_INHERITED;
    if (l->verdict == VERDICT_DTYPE || l->verdict == VERDICT_DRIFT || verdict_is_bad((enum verdict)l->verdict))
        return MAP_DIFFERS;
    return l->cause == CAUSE_AGREES ? MAP_AGREES : MAP_NOTHING;
}

static void map_lines_to_height(struct table_state *t, const struct judgement *j, int h)
{
    t->map_of = j->serial;
    t->map_h = h;
    for (int y = 0; y < h; y++) {
        uint64_t from = (uint64_t)y * j->lines / (uint64_t)h, to = (uint64_t)(y + 1) * j->lines / (uint64_t)h;
        enum map_cell most = MAP_NOTHING;
        for (uint64_t i = from; i < to || i == from; i++)
            if (i < j->lines && map_cell_of(&j->line[i]) > most)
                most = map_cell_of(&j->line[i]);
        t->map[y] = (uint8_t)most;
    }
}

static int map_height(struct rect r)
{
    return r.h > MAP_LINES ? MAP_LINES : r.h;
}

static void draw_minimap(const struct screen *s, struct grid *g, struct rect r)
{
    const struct judgement *j = s->work.c->judged;
    int h = map_height(r);
    uint32_t lines = workspace_lines(&s->work);
    if (!j || !j->lines || h < 2)
        return;
    for (int y = 0; y < h; y++) {
        enum map_cell v = (enum map_cell)s->table.map[y];
        uint64_t from = (uint64_t)y * lines / (uint64_t)h, to = (uint64_t)(y + 1) * lines / (uint64_t)h;
        bool here = s->work.cursor >= from && (s->work.cursor < to || y == h - 1);
        grid_put(g, r.y + y, r.x + r.w - 1, 1, map_looks[v].style, map_looks[v].glyph);
        if (here)
            grid_mark(g, r.y + y, r.x + r.w - 1, 1, STYLE_CURSOR);
    }
}

/* ---- the pane ---- */

static void keep_visible(struct table_state *t, uint32_t cursor, uint32_t n, int h)
{
    uint32_t rows = (uint32_t)h, margin = rows > 8 ? 2 : rows > 2;
    if (cursor < t->top + margin)
        t->top = cursor > margin ? cursor - margin : 0;
    if (cursor + margin >= t->top + rows)
        t->top = cursor + margin + 1 - rows;
    if (n <= rows)
        t->top = 0;
    else if (t->top > n - rows)
        t->top = n - rows;
}

static void draw_empty_table(const struct screen *s, struct grid *g, struct rect r)
{
    const struct comparison *x = s->work.c;
    struct rect in = {r.y + r.h / 3, r.x + 2, r.h - r.h / 3, r.w - 4};
    int y = 0, skip = 0;
    if (x->failed && s->looked)
        grid_wrap(g, in, &y, &skip, STYLE_ERROR, str_of(s->inv.gone ? s->inv.gone : x->err.text));
    else
        grid_wrap(g, in, &y, &skip, STYLE_DIM,
                  str_of(x->paired ? s->work.arrange.filters.n ? _("No row matches the filters; \\ removes them.")
                                                               : _("No rows: both dumps are empty.")
                                   : _("Reading …")));
    if (x->failed && s->looked) {
        y++;
        if (s->inv.gone)
            grid_wrap(g, in, &y, &skip, STYLE_TEXT, str_of(_("The saved investigation is available: :findings lists "
                                                             "the findings, 0 shows the panels, :report writes the "
                                                             "report.")));
        grid_wrap(g, in, &y, &skip, STYLE_DIM, str_of(_("q leaves. `diverge check PATH` checks one side, `diverge "
                                                        "formats` lists the supported formats.")));
    }
}

static struct rect below_head(struct rect r)
{
    return (struct rect){r.y + 1, r.x, r.h - 1, r.w};
}

/* Requests the figures of the visible lines first. */
static void want_shown(struct screen *s, uint32_t n, uint32_t h)
{
    uint32_t want[SESSION_WANT];
    size_t wanted = 0;
    for (uint32_t p = s->table.top; p < n && p < s->table.top + h && wanted < SESSION_WANT; p++)
        want[wanted++] = workspace_at(&s->work, p); /* sorted or filtered lines are not a range */
    session_want(&s->session, want, wanted);
}

static void pane_table_update(struct screen *s, struct rect r)
{
    struct workspace *d = &s->work;
    struct table_state *t = &s->table;
    const struct judgement *j = d->c->judged;
    int last = d->columns > 1 ? d->columns - 1 : 0, map = map_height(below_head(r));
    d->column_at = d->column_at < last ? d->column_at : last;
    struct columns c = lay_out_columns(d, r);
    uint32_t n = workspace_shown(d);
    int h = (r.h - 1) / c.lines;
    d->usuals_shown = usual_fields(d, r.w, true, d->usual);
    d->usuals = d->usuals_shown + usual_fields(d, r.w, false, d->usual + d->usuals_shown);
    t->head = r.y;
    t->step = c.lines;
    t->heads = c.n;
    for (int i = 0; i < c.n; i++) {
        t->head_x[i] = c.c[i].x;
        t->head_field[i] = c.c[i].field;
    }
    if (h < 1)
        return;
    d->page = h;
    if (!n || d->c->failed)
        return;
    if (d->follow) /* where the first deviation stands does not depend on what the frames before had room for */
        t->top = 0;
    keep_visible(t, workspace_pos(d), n, h);
    want_shown(s, n, (uint32_t)h);
    if (j && j->lines && map >= 2 && (t->map_of != j->serial || t->map_h != map))
        map_lines_to_height(t, j, map);
}

static void pane_table_draw(const struct screen *s, struct grid *g, struct rect r)
{
    const struct workspace *d = &s->work;
    struct columns c = lay_out_columns(d, r);
    uint32_t n = workspace_shown(d), first = d->c->judged ? d->c->judged->first : NONE;
    int h = (r.h - 1) / c.lines;
    struct buf name[2] = {{0}, {0}};
    draw_column_heads(s, g, r, &c);
    if (h < 1)
        return;
    if (!n || d->c->failed) {
        draw_empty_table(s, g, below_head(r));
        return;
    }
    for (int k = 0; k < h && s->table.top + (uint32_t)k < n; k++) {
        uint32_t line = workspace_at(d, s->table.top + (uint32_t)k);
        struct draw x = {.g = g, .d = d, .l = field_line(d->c, line), .j = workspace_judgement(d, line)};
        int y = r.y + 1 + k * c.lines;
        const struct row_fold *fold = workspace_fold(d, line);
        if (fold)
            draw_fold(&x, &c, y, fold);
        else
            draw_line(&x, &c, y, name, line == first);
        for (int i = 0; line == d->cursor && i < c.lines; i++)
            grid_mark(g, y + i, r.x, r.w - 1, STYLE_CURSOR);
    }
    draw_minimap(s, g, below_head(r));
    buf_release(&name[0]);
    buf_release(&name[1]);
}

static const struct hint hints[] = {
    {"first", N_("first")},    {"next deviation", N_("next")}, {"prev deviation", N_("prev")}, {"twin", N_("fwd/bwd")},
    {"pane stack", N_("stack")}, {"search-line", N_("search")},  {"help", N_("help")},           {"back", N_("quit")},
    {"next start", N_("next start")}, {"next precision", N_("precision")}, {"pane next", N_("pane")}, {"command", N_("command")}, {"bookmark", N_("bookmark")},
    {0},
};

const struct pane_ops pane_table = {"table", pane_table_update, pane_table_draw, hints};
