/* Pictures as SVG inside HTML. Text is placed beside the drawing, not in it, so that a drawing can be scaled to any
 * width without scaling letters. */
#include <math.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "document/picture.h"
#include "document/write.h"

#define WIDE 1000
#define HIGH 300
#define SLOTS_LEAST 16 /* bars are at most 1/16 of the width */

static const char *const looks[LOOKS] =
    {[LOOK_TARGET] = "ta", [LOOK_GOLDEN] = "go", [LOOK_DIFFERENCE] = "di", [LOOK_BAND] = "ba"};

static void svg_put_escaped(struct buf *b, const char *s)
{
    html_escape(b, str_of(s));
}

/* Title and description, for accessibility. */
static void svg_put_title(struct buf *b, const struct picture *p)
{
    buf_cstr(b, "<title>");
    svg_put_escaped(b, p->title);
    buf_cstr(b, "</title>");
    if (*p->text) {
        buf_cstr(b, "<desc>");
        svg_put_escaped(b, p->text);
        buf_cstr(b, "</desc>");
    }
    buf_char(b, '\n');
}

/* ---- lines ---- */

static int svg_y(const struct picture *p, double y)
{
    double share = picture_up(p, y);
    return (int)lround((1 - (share < 0 ? 0 : share > 1 ? 1 : share)) * HIGH);
}

static int svg_x(const struct picture *p, uint32_t column)
{
    return p->columns > 1 ? (int)lround((double)column * WIDE / (p->columns - 1)) : WIDE / 2;
}

/* The area between minimum and maximum of each column, filled. */
static void svg_draw_range(struct buf *b, const struct picture *p, const struct picture_series *s)
{
    bool any = false;
    for (uint32_t i = 0; i < p->columns; i++)
        if (!isnan(s->high[i])) {
            if (!any)
                buf_fmt(b, "<path class=\"%s %s\" d=\"", looks[s->look], s->look == LOOK_BAND ? "" : "ex");
            buf_fmt(b, "%c%d %d", any ? 'L' : 'M', svg_x(p, i), svg_y(p, s->high[i]));
            any = true;
        }
    for (uint32_t i = p->columns; any && i-- > 0;)
        if (!isnan(s->low[i]))
            buf_fmt(b, "L%d %d", svg_x(p, i), svg_y(p, s->low[i]));
    buf_cstr(b, any ? "z\"/>\n" : "");
}

static bool spans_anything(const struct picture *p, const struct picture_series *s)
{
    for (uint32_t i = 0; i < p->columns; i++)
        if (s->high[i] > s->low[i])
            return true;
    return false;
}

/* A line through the means. */
static void svg_draw_means(struct buf *b, const struct picture *p, const struct picture_series *s)
{
    uint32_t n = 0;
    if (spans_anything(p, s))
        svg_draw_range(b, p, s);
    for (uint32_t i = 0; i < p->columns; i++)
        if (!isnan(s->mean[i])) {
            if (!n)
                buf_fmt(b, "<path class=\"%s\" d=\"", looks[s->look]);
            buf_fmt(b, "%c%d %d", n++ ? 'L' : 'M', svg_x(p, i), svg_y(p, s->mean[i]));
        }
    buf_cstr(b, n == 1 ? "h2\"/>\n" : n ? "\"/>\n" : ""); /* a single point becomes a short line */
}

/* Position of a rule, 0 … 1; outside if less or more. */
static double rule_position(const struct picture *p, const struct picture_rule *r)
{
    return r->upright ? picture_along(p, r->at) : picture_up(p, r->at);
}

static bool is_shown(const struct picture *p, const struct picture_rule *r)
{
    double share = rule_position(p, r);
    return share >= 0 && share <= 1;
}

static void svg_draw_rules(struct buf *b, const struct picture *p)
{
    for (uint32_t i = 0; i < p->rules; i++) {
        const struct picture_rule *r = &p->rule[i];
        const char *tone = r->bad ? "ru bad" : "ru";
        double share = rule_position(p, r);
        if (!is_shown(p, r))
            continue;
        if (r->upright)
            buf_fmt(b, "<path class=\"%s\" d=\"M%d 0V%d\"/>\n", tone, (int)lround(share * WIDE), HIGH);
        else
            buf_fmt(b, "<path class=\"%s\" d=\"M0 %dH%d\"/>\n", tone, (int)lround((1 - share) * HIGH), WIDE);
    }
}

static void marks_up(struct buf *b, const struct picture *p)
{
    double tick[PICTURE_TICKS];
    char n[NUM_MAX];
    int ticks = picture_ticks(p->low, p->high, 5, p->log, tick);
    buf_cstr(b, "<div class=\"ya\" aria-hidden=\"true\">");
    for (int i = 0; i < ticks; i++)
        buf_fmt(b, "<span style=\"top:%.1f%%\">%s</span>", 100 * (1 - picture_up(p, tick[i])), num_cell(n, tick[i], 3));
    buf_cstr(b, "</div>\n");
}

static void marks_along(struct buf *b, const struct picture *p)
{
    double tick[PICTURE_TICKS];
    char n[NUM_MAX];
    int ticks = picture_ticks(p->from, p->to, 8, false, tick);
    buf_cstr(b, "<div class=\"xa\" aria-hidden=\"true\">");
    for (int i = 0; i < ticks; i++)
        if (floor(tick[i]) == tick[i])
            buf_fmt(b, "<span style=\"left:%.1f%%\">%s</span>", 100 * picture_along(p, tick[i]),
                    num_count(n, (unsigned long long)fabs(tick[i])));
    buf_cstr(b, "</div>\n");
}

static void svg_draw_grid(struct buf *b, const struct picture *p)
{
    double tick[PICTURE_TICKS];
    int ticks = picture_ticks(p->low, p->high, 5, p->log, tick);
    buf_cstr(b, "<path class=\"gr\" d=\"");
    for (int i = 0; i < ticks; i++)
        buf_fmt(b, "M0 %dH%d", svg_y(p, tick[i]), WIDE);
    buf_cstr(b, "\"/>\n");
}

static void svg_put_legend(struct buf *b, const struct picture *p)
{
    buf_cstr(b, "<ul class=\"key\">");
    for (uint32_t k = 0; k < p->count; k++) {
        buf_fmt(b, "<li class=\"%s\">", looks[p->series[k].look]);
        svg_put_escaped(b, p->series[k].name);
        buf_cstr(b, "</li>");
    }
    for (uint32_t i = 0; i < p->rules; i++)
        if (*p->rule[i].name && is_shown(p, &p->rule[i])) {
            buf_fmt(b, "<li class=\"%s\">", p->rule[i].bad ? "ru bad" : "ru");
            svg_put_escaped(b, p->rule[i].name);
            buf_cstr(b, "</li>");
        }
    buf_cstr(b, "</ul>\n");
}

void picture_svg_plane(struct buf *b, const struct picture *p)
{
    svg_draw_grid(b, p);
    for (uint32_t k = 0; k < p->count; k++)
        if (p->series[k].look == LOOK_BAND)
            svg_draw_range(b, p, &p->series[k]);
    svg_draw_rules(b, p);
    for (uint32_t k = p->count; k-- > 0;) /* the first series is drawn last, on top */
        if (p->series[k].look != LOOK_BAND)
            svg_draw_means(b, p, &p->series[k]);
}

static void svg_draw_lines(struct buf *b, const struct picture *p)
{
    buf_cstr(b, "<div class=\"plot\">\n");
    marks_up(b, p);
    buf_fmt(b, "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\">", WIDE, HIGH);
    svg_put_title(b, p);
    picture_svg_plane(b, p);
    buf_cstr(b, "</svg>\n");
    marks_along(b, p);
    buf_cstr(b, "</div>\n");
    svg_put_legend(b, p);
}

/* ---- cells ---- */

/* Draws all cells of one shade; neighbours are merged. */
static void svg_draw_shade(struct buf *b, const struct picture *p, int level, const char *class)
{
    bool any = false;
    for (int y = 0; y < p->rows; y++)
        for (int x = 0; x < p->cells;) {
            int from = x;
            while (x < p->cells && picture_level(p, p->value[y * p->cells + x]) == level)
                x++;
            if (x == from) {
                x++;
                continue;
            }
            if (!any)
                buf_fmt(b, "<path class=\"%s\" d=\"", class);
            any = true;
            buf_fmt(b, "M%d %dh%dv1h-%dz", from, y, x - from, x - from);
        }
    buf_cstr(b, any ? "\"/>\n" : "");
}

static bool has_level(const struct picture *p, int level)
{
    for (int i = 0; i < p->rows * p->cells; i++)
        if (picture_level(p, p->value[i]) == level)
            return true;
    return false;
}

/* The legend, from zero to the largest value. */
static void svg_put_scale(struct buf *b, const struct picture *p)
{
    char n[NUM_MAX];
    buf_cstr(b, "<ul class=\"key\"><li class=\"h0\">0</li>");
    for (int i = 1; i <= PICTURE_LEVELS && p->most > 0; i++)
        buf_fmt(b, "<li class=\"h%d\">≤ %s</li>", i, num_cell(n, picture_level_top(p, i), 2));
    if (has_level(p, -1)) {
        buf_cstr(b, "<li class=\"hx\">");
        svg_put_escaped(b, _("not finite"));
        buf_cstr(b, "</li>");
    }
    buf_cstr(b, "</ul>\n");
}

static void svg_draw_cells(struct buf *b, const struct picture *p)
{
    char class[16];
    double height = p->rows < 4 ? 3 : 3 + 0.3 * p->rows;
    buf_cstr(b, "<div class=\"ax\">");
    svg_put_escaped(b, p->axis[0]);
    buf_fmt(b,
            "</div>\n<svg class=\"heat\" style=\"height:%.1frem\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
            "role=\"img\">",
            height > 18 ? 18 : height, p->cells, p->rows);
    svg_put_title(b, p);
    for (int i = 0; i <= PICTURE_LEVELS; i++) {
        snprintf(class, sizeof class, "h%d", i);
        svg_draw_shade(b, p, i, class);
    }
    svg_draw_shade(b, p, -1, "hx");
    buf_cstr(b, "</svg>\n<div class=\"ax e\">");
    svg_put_escaped(b, p->axis[1]);
    buf_cstr(b, "</div>\n");
    svg_put_scale(b, p);
}

/* ---- counts ---- */

static int bar_slots(const struct picture *p)
{
    return p->bins + 1 < SLOTS_LEAST ? SLOTS_LEAST : p->bins + 1;
}

static void svg_draw_bars(struct buf *b, const struct picture *p, uint32_t k, double most)
{
    double each = (double)WIDE / bar_slots(p), wide = each * 0.9 / p->count;
    for (int i = -1; i < p->bins; i++) {
        uint64_t n = i < 0 ? p->zero[k] : p->bin[k][i];
        double h = n ? 8 + (HIGH - 20) * log1p((double)n) / most : 0;
        if (n)
            buf_fmt(b, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                    looks[p->series[k].look],
                    (i + 1) * each + k * wide + each * 0.05, HIGH - h, wide, h);
    }
}

static void counts_svg(struct buf *b, const struct picture *p)
{
    double most = log1p((double)picture_most(p));
    int step = p->bins / 8 + 1;
    char n[NUM_MAX];
    buf_fmt(b,
            "<div class=\"plot\">\n<div class=\"ya\" aria-hidden=\"true\"><span style=\"top:4%%\">%s</span><span "
            "style=\"top:97%%\">1</span></div>\n",
            num_count(n, picture_most(p)));
    buf_fmt(b, "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\">", WIDE, HIGH);
    svg_put_title(b, p);
    for (uint32_t k = 0; k < p->count; k++)
        svg_draw_bars(b, p, k, most);
    buf_cstr(b, "</svg>\n<div class=\"xa\" aria-hidden=\"true\">");
    buf_fmt(b, "<span style=\"left:%.1f%%\">0</span>", 50.0 / bar_slots(p));
    for (int i = step - 1; i < p->bins; i += step)
        buf_fmt(b, "<span style=\"left:%.1f%%\">%s</span>", 100.0 * (i + 1) / bar_slots(p),
                num_cell(n, ldexp(1, p->first + i), 2));
    buf_cstr(b, "</div>\n</div>\n");
    svg_put_legend(b, p);
}

void picture_svg(struct buf *b, const struct picture *p)
{
    static void (*const draw[])(struct buf *, const struct picture *) =
        {[DRAWN_LINES] = svg_draw_lines, [DRAWN_CELLS] = svg_draw_cells, [DRAWN_COUNTS] = counts_svg};
    buf_fmt(b, "<figure id=\"figure-%s\"><figcaption>", p->id);
    svg_put_escaped(b, p->title);
    buf_cstr(b, "</figcaption>\n");
    draw[p->kind](b, p);
    if (*p->text) {
        buf_cstr(b, "<p class=\"quiet\">");
        svg_put_escaped(b, p->text);
        buf_cstr(b, "</p>\n");
    }
    buf_cstr(b, "</figure>\n");
}
