/* Pictures of lines as an SVG file of its own, for tickets and documents: axes, legends and colours are in it. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/tool.h"
#include "document/picture.h"
#include "document/write.h"

#define WIDE 1000 /* of the plane */
#define HIGH 300
#define LEFT 90   /* for the numbers of the value axis */
#define TOP 60    /* for title and legend */
#define BELOW 60  /* for steps and the sentence */
#define EACH (TOP + HIGH + BELOW)

static const struct {
    const char *fill, *text;
} looks[LOOKS] = {
    [LOOK_TARGET] = {"#0b62a4", "—"}, [LOOK_GOLDEN] = {"#d98500", "—"}, [LOOK_DIFFERENCE] = {"#222", "—"},
    [LOOK_BAND] = {"#bbb", "■"},
};

static const char style[] =
    "<style>text{font:14px sans-serif;fill:#222}.t{font-weight:bold;font-size:16px}.q{fill:#666}.r{text-anchor:end}"
    ".m{text-anchor:middle}path{fill:none;stroke-width:1.5}.gr{stroke:#ddd}.ta{stroke:#0b62a4}"
    ".go{stroke:#d98500;stroke-width:3;stroke-opacity:.6}.di{stroke:#222}.ba{fill:#bbb}"
    ".ex{stroke:none;fill-opacity:.22}.ta.ex{fill:#0b62a4}.go.ex{fill:#d98500}.di.ex{fill:#666}"
    ".ru{stroke:#888;stroke-dasharray:6 4}"
    ".bad{stroke:#c00}</style>\n";

static void svg_file_put_escaped(struct buf *b, const char *s)
{
    html_escape(b, str_of(s));
}

static void svg_file_put_text(struct buf *b, double x, double y, const char *class, const char *s)
{
    buf_fmt(b, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    svg_file_put_escaped(b, s);
    buf_cstr(b, "</text>\n");
}

/* The names of the lines in a row; their widths are not known, so each gets the same room. */
static void svg_file_put_legend(struct buf *b, const struct picture *p)
{
    int at = 0;
    for (uint32_t k = 0; k < p->count; k++, at++) {
        buf_fmt(b, "<text x=\"%d\" y=\"%d\"><tspan style=\"fill:%s\">%s</tspan> ", LEFT + at * 260, TOP - 12,
                looks[p->series[k].look].fill, looks[p->series[k].look].text);
        svg_file_put_escaped(b, p->series[k].name);
        buf_cstr(b, "</text>\n");
    }
    for (uint32_t i = 0; i < p->rules; i++) {
        double share = p->rule[i].upright ? picture_along(p, p->rule[i].at) : picture_up(p, p->rule[i].at);
        if (*p->rule[i].name && share >= 0 && share <= 1) {
            buf_fmt(b, "<text x=\"%d\" y=\"%d\"><tspan style=\"fill:%s\">┆</tspan> ", LEFT + at++ * 260, TOP - 12,
                    p->rule[i].bad ? "#c00" : "#888");
            svg_file_put_escaped(b, p->rule[i].name);
            buf_cstr(b, "</text>\n");
        }
    }
}

static void svg_file_draw_axes(struct buf *b, const struct picture *p)
{
    double tick[PICTURE_TICKS];
    char n[NUM_MAX];
    int ticks = picture_ticks(p->low, p->high, 5, p->log, tick);
    for (int i = 0; i < ticks; i++)
        svg_file_put_text(b, LEFT - 8, TOP + 5 + HIGH * (1 - picture_up(p, tick[i])), "r q", num_cell(n, tick[i], 3));
    ticks = picture_ticks(p->from, p->to, 8, false, tick);
    for (int i = 0; i < ticks; i++)
        if (floor(tick[i]) == tick[i])
            svg_file_put_text(b, LEFT + WIDE * picture_along(p, tick[i]), TOP + HIGH + 18, "m q",
                              num_count(n, (unsigned long long)fabs(tick[i])));
}

void picture_svg_file(struct buf *b, const struct picture *p, size_t n)
{
    int wide = LEFT + WIDE + 30, high = n ? (int)n * EACH : EACH;
    buf_fmt(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", wide,
            high, wide, high);
    buf_cstr(b, "<metadata>" TOOL "</metadata>\n");
    buf_cstr(b, style);
    buf_fmt(b, "<rect width=\"%d\" height=\"%d\" style=\"fill:#fff\"/>\n", wide, high);
    for (size_t i = 0; i < n; i++) {
        buf_fmt(b, "<g transform=\"translate(0,%d)\">\n", (int)i * EACH);
        svg_file_put_text(b, LEFT, 24, "t", p[i].title);
        svg_file_put_legend(b, &p[i]);
        svg_file_draw_axes(b, &p[i]);
        buf_fmt(b, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", LEFT, TOP, WIDE, HIGH,
                WIDE, HIGH);
        picture_svg_plane(b, &p[i]);
        buf_cstr(b, "</svg>\n");
        svg_file_put_text(b, LEFT, TOP + HIGH + 40, "q", p[i].text);
        buf_cstr(b, "</g>\n");
    }
    if (!n)
        svg_file_put_text(b, LEFT, TOP, "t", _("No step has values on both sides."));
    buf_cstr(b, "</svg>\n");
}
