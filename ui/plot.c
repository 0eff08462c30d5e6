/* A canvas of dots for curves, and the conversion of its columns to characters. */
#include "ui/plot.h"

#include <math.h>

#include "base/mem.h"
#include "base/vec.h"

void plot_init(struct plot *p, struct rect at, double low, double high, bool log)
{
    size_t n = at.h > 0 && at.w > 0 ? (size_t)at.h * (size_t)at.w : 1;
    log = log && low > 0;
    if (log && !(high > low)) {
        low /= 2;
        high = 4 * low;
    } else if (!(high > low)) { /* one value, or none */
        low -= fabs(low) * 0.01 + 1e-9;
        high = low + 2 * (fabs(low) * 0.01 + 1e-9);
    }
    *p = (struct plot){at, low, high, log, mem_zalloc(n), mem_zalloc(n)};
}

void plot_release(struct plot *p)
{
    free(p->dots);
    free(p->style);
}

static int dot_row(const struct plot *p, double y)
{
    double down = p->log ? (y > 0 ? log(p->high / y) / log(p->high / p->low) : 1) : (p->high - y) / (p->high - p->low);
    int rows = p->at.h * 4, at = (int)lround(fmin(fmax(down, 0), 1) * (rows - 1));
    return at;
}

int plot_row(const struct plot *p, double y)
{
    return dot_row(p, y) / 4;
}

static void plot_dot(struct plot *p, int column, int row, uint8_t style)
{
    static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (column < 0 || column >= p->at.w * 2 || row < 0 || row >= p->at.h * 4)
        return;
    size_t cell = (size_t)(row / 4) * (size_t)p->at.w + (size_t)(column / 2);
    p->dots[cell] |= bit[row % 4][column % 2];
    p->style[cell] = style;
}

void plot_span(struct plot *p, int column, double y0, double y1, uint8_t style)
{
    if (!isfinite(y0) || !isfinite(y1) || p->at.h < 1)
        return;
    int a = dot_row(p, y0), b = dot_row(p, y1);
    for (int r = a < b ? a : b; r <= (a < b ? b : a); r++)
        plot_dot(p, column, r, style);
}

void plot_level(struct plot *p, double y, uint8_t style)
{
    if (y < p->low || y > p->high || p->at.h < 1)
        return;
    for (int c = 0; c < p->at.w * 2; c += 4)
        plot_dot(p, c, dot_row(p, y), style);
}

void plot_draw(const struct plot *p, struct grid *g)
{
    static const char *const ascii[] = {" ", "_", ".", "-", "'", ":"};
    for (int y = 0; y < p->at.h; y++)
        for (int x = 0; x < p->at.w; x++) {
            size_t i = (size_t)y * (size_t)p->at.w + (size_t)x;
            uint8_t d = p->dots[i];
            if (!d)
                continue;
            if (g->ascii) { /* by where in the cell the dots are */
                bool top = d & 0x1b, bottom = d & 0xe4;
                grid_put(g, p->at.y + y, p->at.x + x, 1, p->style[i],
                         top && bottom ? ascii[5] : top ? ascii[4] : d & 0xc0 ? ascii[1] : ascii[2]);
            } else {
                grid_fill(g, p->at.y + y, p->at.x + x, 1, 0x2800u + d, p->style[i]);
            }
        }
}
