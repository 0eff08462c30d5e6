/* Shows grouped rows: by module, source line or floating type as a tree with folding, by layer as a table of layers. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "table/shown_name.h"
#include "ui/pane.h"

/* ---- trees ---- */

static int draw_verdict_counts(struct grid *g, int y, int x, const struct row_groups_node *n)
{
    static const enum verdict told[] =
        {VERDICT_DEVIATE, VERDICT_NONFINITE, VERDICT_SHAPE, VERDICT_IN_DOUBT, VERDICT_INHERITED, VERDICT_DTYPE,
         VERDICT_DRIFT, VERDICT_ONLY};
    int from = x;
    char text[NUM_MAX];
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        if (n->by[told[i]]) {
            x += grid_put(g, y, x, 1, verdict_style_of(told[i]), verdict_glyph_of(told[i]));
            x += grid_put(g, y, x, NUM_MAX, STYLE_TEXT, num_count(text, n->by[told[i]])) + 1;
        }
    return x - from;
}

#define COUNTS_W 30

static void draw_node(const struct screen *s, struct grid *g, struct rect r, int y, uint32_t at)
{
    const struct row_groups_node *n = &s->work.groups.outline.nodes.v[at];
    char text[NUM_MAX];
    int x = r.x + 1 + 2 * (n->depth < 20 ? n->depth : 20), tail = r.w >= 70 ? COUNTS_W + 8 : r.w >= 50 ? 18 : 0;
    bool first = s->work.c->judged && n->first_bad != NONE && n->first_bad == s->work.c->judged->first;
    grid_put(g, y, r.x, 1, STYLE_FIRST, first ? "▶" : " ");
    grid_put(g, y, x, 1, STYLE_KEY, n->leaf ? " " : n->folded ? "+" : "-");
    grid_put(g, y, x + 2, 1, verdict_style_of((enum verdict)n->worst), verdict_glyph_of((enum verdict)n->worst));
    struct buf name = {0};
    shown_name_call(str_of(n->text), &name);
    grid_middle(g, y, x + 4, r.x + r.w - tail - x - 5, first ? STYLE_FIRST : STYLE_TEXT, buf_view(&name));
    buf_release(&name);
    if (!tail)
        return;
    grid_right(g, y, r.x + r.w - tail, 7, STYLE_DIM, num_count(text, n->lines));
    struct rect was = grid_clip(g, (struct rect){y, r.x + r.w - tail + 8, 1, tail - 9});
    draw_verdict_counts(g, y, r.x + r.w - tail + 8, n);
    grid_clip(g, was);
}

static void draw_outline(const struct screen *s, struct grid *g, struct rect r)
{
    static const char *const titles[] = {N_("modules"), N_("source lines"), N_("floating-point types, target | "
                                                                               "golden")};
    const struct workspace *d = &s->work;
    const struct row_groups *o = &d->groups.outline;
    uint32_t h = (uint32_t)(r.h > 1 ? r.h - 1 : 0), top = s->table.group_top, place = 0;
    grid_put(g, r.y, r.x + 1, r.w, d->focus == FOCUS_TABLE ? STYLE_FOCUS : STYLE_TITLE, _(titles[o->kind]));
    if (r.w >= 50)
        grid_right(g, r.y, r.x + r.w - (r.w >= 70 ? COUNTS_W + 8 : 18), 7, STYLE_TITLE, _("rows"));
    if (!o->nodes.n)
        return;
    for (uint32_t i = 0; i != NONE && place < top + h; i = row_groups_next(o, i), place++) {
        if (place < top)
            continue;
        int y = r.y + 1 + (int)(place - top);
        draw_node(s, g, r, y, i);
        if (i == d->groups.node)
            grid_mark(g, y, r.x, r.w, STYLE_CURSOR);
    }
}

/* ---- layers ---- */

/* The four causes; of starts also what they are. */
static const char *cause_sign(const struct line_judgement *l, uint8_t *style)
{
    *style = l->cause == CAUSE_STARTS ? verdict_style_of((enum verdict)l->verdict)
             : l->cause == CAUSE_AGREES ? STYLE_TEXT : STYLE_DIM;
    switch ((enum cause)l->cause) {
    case CAUSE_STARTS: return verdict_glyph_of((enum verdict)l->verdict);
    case CAUSE_INHERITED: return verdict_glyph_of(VERDICT_INHERITED);
    case CAUSE_AGREES: return verdict_glyph_of(VERDICT_MATCH);
    default: return verdict_glyph_of(l->verdict == VERDICT_IN_DOUBT ? VERDICT_IN_DOUBT : VERDICT_SKIP);
    }
}

/* Widths of the names, a cell and the figures at the right; how many layers fit between them. */
struct layer_columns {
    int name_w, cell, told, room;
};

static struct layer_columns layer_columns(const struct layer_table *x, int w)
{
    struct layer_columns c = {.name_w = w >= 110 ? 44 : w >= 70 ? 30 : w / 3, .cell = x->columns > 100 ? 4 : 3,
                              .told = w >= 90 ? 34 : w >= 60 ? 9 : 0};
    c.room = (w - 2 - c.name_w - c.told) / c.cell;
    c.room = c.room < 1 ? 1 : c.room;
    return c;
}

static void pane_outline_update(struct screen *s, struct rect r)
{
    struct workspace *d = &s->work;
    uint32_t h = (uint32_t)(r.h > 1 ? r.h - 1 : 0), at = 0;
    d->page = (int)h;
    s->table.heads = 0;
    if (d->groups.kind == GROUP_LAYERS) {
        s->table.group_top = pane_top(s->table.group_top, d->groups.node, h);
        s->table.group_left =
            pane_top(s->table.group_left, d->groups.layer, (uint32_t)layer_columns(&d->groups.layers, r.w).room);
        return;
    }
    for (uint32_t i = 0; d->groups.outline.nodes.n && i != d->groups.node && i != NONE;
         i = row_groups_next(&d->groups.outline, i))
        at++;
    if (d->groups.outline.nodes.n)
        s->table.group_top = pane_top(s->table.group_top, at, h);
}

static void draw_layers(const struct screen *s, struct grid *g, struct rect r)
{
    const struct workspace *d = &s->work;
    const struct layer_table *x = &d->groups.layers;
    struct layer_columns c = layer_columns(x, r.w);
    int name_w = c.name_w, cell = c.cell, told = c.told, room = c.room;
    uint32_t h = (uint32_t)(r.h > 1 ? r.h - 1 : 0), top = s->table.group_top, left = s->table.group_left;
    char n[NUM_MAX];
    grid_put(g, r.y, r.x + 1, name_w, d->focus == FOCUS_TABLE ? STYLE_FOCUS : STYLE_TITLE, _("layer"));
    for (uint32_t k = left; k < x->columns && k < left + (uint32_t)room; k++)
        grid_fmt(g, r.y, r.x + 1 + name_w + (int)(k - left) * cell, cell,
                 k == d->groups.layer ? STYLE_FOCUS : STYLE_TITLE, "%2u", k);
    if (told)
        grid_put(g, r.y, r.x + r.w - told, told, STYLE_TITLE, told > 9 ? _("worst rel L2") : _("worst"));
    for (uint32_t i = 0; i < h && top + i < x->rows.n; i++) {
        const struct layer_table_row *row = &x->rows.v[top + i];
        int y = r.y + 1 + (int)i;
        bool here = top + i == d->groups.node;
        grid_put(g, y, r.x + 1, 2, STYLE_DIM,
                 row->phase == PHASE_BACKWARD ? "b" : row->phase == PHASE_OPTIMIZER ? "o" : " ");
        grid_middle(g, y, r.x + 3, name_w - 3, row->compared ? STYLE_TEXT : STYLE_DIM, str_of(row->text));
        for (uint32_t k = left; k < x->columns && k < left + (uint32_t)room; k++) {
            size_t cell_at = (size_t)(top + i) * x->columns + k;
            uint8_t style;
            int at = r.x + 2 + name_w + (int)(k - left) * cell;
            if (x->line[cell_at] == NONE)
                continue;
            const char *sign = cause_sign(&d->c->judged->line[x->line[cell_at]], &style);
            grid_put(g, y, at, 1, style, sign);
            if (k == row->starts || cell_at == x->first)
                grid_put(g, y, at + 1, 1, STYLE_FIRST, "◀");
        }
        if (told && !isnan(row->error))
            grid_right(g, y, r.x + r.w - told, 8, STYLE_TEXT, num_error(n, (double)row->error));
        if (told > 9 && row->starts != NONE)
            grid_fmt(g, y, r.x + r.w - told + 9, told - 9, STYLE_FIRST,
                     row->starts ? _("starts at layer %u") : _("in layer %u"), row->starts);
        else if (told > 9 && row->inherits != NONE)
            grid_fmt(g, y, r.x + r.w - told + 9, told - 9, STYLE_DIM, _("inherits from layer %u on"), row->inherits);
        if (here) {
            grid_mark(g, y, r.x, name_w + 1, STYLE_CURSOR);
            grid_mark(g, y, r.x + 1 + name_w + (int)(d->groups.layer - left) * cell, cell, STYLE_CURSOR);
        }
    }
}

static void pane_outline_draw(const struct screen *s, struct grid *g, struct rect r)
{
    if (s->work.groups.kind == GROUP_LAYERS)
        draw_layers(s, g, r);
    else
        draw_outline(s, g, r);
}

static const struct hint hints[] = {
    {"enter", N_("to the row")}, {"right", N_("unfold")}, {"left", N_("fold")}, {"unfold", N_("all")}, {"group", N_("others")}, {"pane stack", N_("stack")}, {"help", N_("help")}, {"back", N_("back")}, {0},
};

const struct pane_ops pane_outline = {"group", pane_outline_update, pane_outline_draw, hints};
