/* Pictures as fixed-width text, for Markdown. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "document/picture.h"

#define CHARACTERS 72

static const char *const bar[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

static void bar_of(struct buf *b, double share)
{
    int at = isnan(share) ? -1 : (int)(share * 7.999);
    buf_cstr(b, at < 0 ? " " : bar[at > 7 ? 7 : at]);
}

/* A sparkline; each character shows the value farthest from the axis' zero. */
static void put_sparkline(struct buf *b, const struct picture *p, const struct picture_series *s)
{
    uint32_t cells = p->columns < CHARACTERS ? p->columns : CHARACTERS;
    for (uint32_t i = 0; i < cells; i++) {
        double most = NAN;
        for (uint32_t k = (uint32_t)((uint64_t)i * p->columns / cells); k < (uint64_t)(i + 1) * p->columns / cells; k++)
            if (!isnan(s->high[k]))
                most = fmax(most, picture_up(p, s->high[k]));
        bar_of(b, isnan(most) ? NAN : most < 0 ? 0 : most > 1 ? 1 : most);
    }
}

static void put_value_range(struct buf *b, const struct picture_series *s, uint32_t columns)
{
    double low = INFINITY, high = -INFINITY;
    char n[2][NUM_MAX];
    for (uint32_t i = 0; i < columns; i++) {
        low = fmin(low, s->low[i]);
        high = fmax(high, s->high[i]);
    }
    if (low <= high)
        buf_fmt(b, "  %s … %s", num_cell(n[0], low, 4), num_cell(n[1], high, 4));
}

static void text_draw_lines(struct buf *b, const struct picture *p)
{
    char n[2][NUM_MAX];
    for (uint32_t k = 0; k < p->count; k++) {
        put_sparkline(b, p, &p->series[k]);
        buf_fmt(b, "\n  %s:", p->series[k].name);
        put_value_range(b, &p->series[k], p->columns);
        buf_char(b, '\n');
    }
    buf_fmt(b, _("steps %s … %s"), num_exact(n[0], p->from), num_exact(n[1], p->to));
    buf_cstr(b, p->log ? _(", logarithmic\n") : "\n");
    for (uint32_t i = 0; i < p->rules; i++)
        if (*p->rule[i].name)
            buf_fmt(b, "  %s: %s\n", p->rule[i].name, num_cell(n[0], p->rule[i].at, 7));
}

static void text_draw_cells(struct buf *b, const struct picture *p)
{
    static const char *const shades[] = {" ", "░", "░", "▒", "▒", "▓", "▓", "█", "█"};
    int wide = p->cells < CHARACTERS ? p->cells : CHARACTERS;
    char n[NUM_MAX];
    for (int y = 0; y < p->rows; y++) {
        for (int x = 0; x < wide; x++) {
            int level = -2;
            bool odd = false;
            for (int i = x * p->cells / wide; i < (x + 1) * p->cells / wide; i++) {
                int here = picture_level(p, p->value[y * p->cells + i]);
                odd |= here == -1;
                level = here > level ? here : level;
            }
            buf_cstr(b, odd ? "∞" : level < 0 ? "·" : shades[level]);
        }
        buf_char(b, '\n');
    }
    if (*p->axis[0])
        buf_fmt(b, _("down: %s; "), p->axis[0]);
    buf_fmt(b, _("across: %s\n"), p->axis[1]);
    buf_fmt(b, _("█ %s; each lighter shade is ten times smaller\n"), num_cell(n, p->most, 3));
}

static void text_draw_counts(struct buf *b, const struct picture *p)
{
    char n[2][NUM_MAX];
    double most = log1p((double)picture_most(p));
    for (uint32_t k = 0; k < p->count; k++) {
        for (int i = 0; i < p->bins; i++)
            bar_of(b, p->bin[k][i] ? log1p((double)p->bin[k][i]) / most : NAN);
        buf_fmt(b, _("  %s; zero: %s\n"), p->series[k].name, num_count(n[0], p->zero[k]));
    }
    buf_fmt(b, _("from %s to %s; each column is one power of two\n"), num_cell(n[0], ldexp(1, p->first), 2),
            num_cell(n[1], ldexp(1, p->first + p->bins), 2));
}

void picture_text(struct buf *b, const struct picture *p)
{
    static void (*const draw[])(struct buf *, const struct picture *) =
        {[DRAWN_LINES] = text_draw_lines, [DRAWN_CELLS] = text_draw_cells, [DRAWN_COUNTS] = text_draw_counts};
    draw[p->kind](b, p);
}
