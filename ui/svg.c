/* Writes a grid as an SVG picture in the terminal's colours. */

#include "base/utf8.h"
#include "ui/grid.h"

#define CELL_W 8.4
#define CELL_H 18
#define EDGE 14

static uint32_t palette_colour(int c)
{
    static const uint32_t basic[16] = {
        0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
        0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
    };
    static const uint32_t level[6] = {0, 95, 135, 175, 215, 255};
    if (c < 16)
        return basic[c < 0 ? 7 : c];
    if (c < 232)
        return level[(c - 16) / 36] << 16 | level[(c - 16) / 6 % 6] << 8 | level[(c - 16) % 6];
    uint32_t grey = (uint32_t)(8 + (c - 232) * 10);
    return grey << 16 | grey << 8 | grey;
}

static void put_xml_char(struct buf *out, uint32_t c)
{
    char tmp[4];
    switch (c) {
    case '&':
        buf_cstr(out, "&amp;");
        break;
    case '<':
        buf_cstr(out, "&lt;");
        break;
    case '>':
        buf_cstr(out, "&gt;");
        break;
    default:
        buf_add(out, tmp, utf8_put(tmp, c));
    }
}

static void put_box_path(struct buf *out, double x, double y, double w, double h)
{
    buf_fmt(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", x, y, w, h, -w);
}

/* Draws dots and blocks as shapes, because few fonts have them at the width of their letters. Appends to the path of
 * their darkness, in quarters; false: a letter. */
static bool put_glyph_shape(struct buf path[5], uint32_t c, double x, double y)
{
    static const uint8_t dot[8][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}};
    double w = CELL_W, h = CELL_H;
    if (c >= 0x2800 && c < 0x2900) {
        for (int i = 0; i < 8; i++)
            if (c >> i & 1)
                put_box_path(&path[4], x + w / 4 - 0.8 + dot[i][0] * w / 2, y + h / 8 - 0.8 + dot[i][1] * h / 4, 1.6,
                             1.6);
    } else if (c >= 0x2581 && c <= 0x2588) { /* from below, in eighths */
        double part = h * (c - 0x2580) / 8;
        put_box_path(&path[4], x, y + h - part, w, part);
    } else if (c >= 0x2589 && c <= 0x258f) { /* from the left */
        put_box_path(&path[4], x, y, w * (0x2590 - c) / 8, h);
    } else if (c == 0x2580) {
        put_box_path(&path[4], x, y, w, h / 2);
    } else if (c >= 0x2591 && c <= 0x2593) { /* light, medium, dark */
        put_box_path(&path[c - 0x2590], x, y, w, h);
    } else {
        return c == ' ';
    }
    return true;
}

static bool put_cell_shapes(struct buf *out, const struct cell *c, int n, double x, double y, uint32_t ink)
{
    struct buf path[5] = {{0}, {0}, {0}, {0}, {0}};
    bool all = true;
    for (int i = 0; i < n && all; i++)
        all = put_glyph_shape(path, c[i].ch, x + i * CELL_W, y);
    for (int i = 0; i < 5; i++) {
        if (all && path[i].n)
            buf_fmt(out, "<path fill=\"#%06x\" fill-opacity=\"%.2f\" d=\"%.*s\"/>\n", ink, i / 4.0, (int)path[i].n,
                    path[i].p);
        buf_release(&path[i]);
    }
    return all;
}

/* Cells of one style in a row, as one text element whose length is fixed to its cells. */
static void put_cell_run(struct buf *out, const struct scheme *s, const struct cell *c, int y, int x, int n)
{
    const struct style_look *l = scheme_look(s, c->style & STYLE_ELEMENT);
    bool bar = c->style & STYLE_CURSOR;
    uint32_t ink = bar || l->colour == COLOUR_DEFAULT ? s->ink : palette_colour(l->colour);
    bool cursor = c->style & STYLE_CURSOR || l->reverse, blank = true;
    double left = EDGE + x * CELL_W, top = EDGE + y * (double)CELL_H;
    if (cursor)
        buf_fmt(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#%06x\"/>", left, top, n * CELL_W,
                CELL_H, ink);
    for (int i = 0; i < n; i++)
        blank = blank && (c[i].ch == ' ' || c[i].ch == 0);
    if (blank || put_cell_shapes(out, c, n, left, top, cursor ? s->paper : ink))
        return;
    buf_fmt(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#%06x\" textLength=\"%.1f\"", left, top + 13.5,
            cursor ? s->paper : ink, n * CELL_W);
    if (l->bold)
        buf_cstr(out, " font-weight=\"bold\"");
    if (l->underline || c->style & STYLE_UNDER)
        buf_cstr(out, " text-decoration=\"underline\"");
    buf_char(out, '>');
    for (int i = 0; i < n; i++)
        if (c[i].ch)
            put_xml_char(out, c[i].ch);
    buf_cstr(out, "</text>\n");
}

void grid_svg(const struct grid *g, const struct scheme *s, struct buf *out)
{
    double w = g->cols * CELL_W + 2 * EDGE, h = g->rows * (double)CELL_H + 2 * EDGE;
    buf_fmt(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n"
            "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#%06x\"/>\n"
            "<g font-family=\"'DejaVu Sans Mono','Noto Sans Mono CJK SC',Menlo,Consolas,monospace\" font-size=\"14\" "
            "xml:space=\"preserve\">\n",
            w, h, w, h, s->paper);
    for (int y = 0; y < g->rows; y++) {
        const struct cell *c = &g->cell[y * g->cols];
        for (int x = 0; x < g->cols;) {
            int n = 1;
            /* box drawing characters are separate elements, so that fonts without them do not stretch the text beside
             * them */
            while (x + n < g->cols && c[x + n].style == c[x].style && (c[x + n].ch < 0x2000) == (c[x].ch < 0x2000))
                n++;
            put_cell_run(out, s, &c[x], y, x, n);
            x += n;
        }
    }
    buf_cstr(out, "</g>\n</svg>\n");
}
