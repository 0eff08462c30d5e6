/* Curves drawn with dots: a canvas of 2 × 4 dots per cell, shown as braille, or in ASCII by the height within the
 * cell. */
#ifndef UI_PLOT_H
#define UI_PLOT_H

#include "curves/curves.h"
#include "ui/grid.h"

struct plot {
    struct rect at;      /* cells */
    double low, high;    /* of y */
    bool log;            /* logarithmic rows; low is then above 0 */
    uint8_t *dots;       /* at.h * at.w cells, braille's bits */
    uint8_t *style;
};

void plot_init(struct plot *p, struct rect at, double low, double high, bool log);
void plot_release(struct plot *p);
/* Draws a column's range from y0 to y1 (of all its points), connected to the previous column. */
void plot_span(struct plot *p, int column, double y0, double y1, uint8_t style);
int plot_row(const struct plot *p, double y); /* the row of cells that contains y, from the top */
void plot_level(struct plot *p, double y, uint8_t style); /* draws a dotted horizontal line */
void plot_draw(const struct plot *p, struct grid *g);

/* Range and sum of the points in one column of dots. */
struct plot_span {
    double low, high, sum;
    uint32_t n;
};

/* Curves aggregated by columns, kept between frames so that a million points are processed once. */
struct plot_runs {
    const struct curves *of;
    uint32_t version;        /* of the curves they were made from */
    int n;                   /* columns */
    double from, to;         /* the part of the steps they cover, as fractions 0 … 1 */
    bool log;                /* values up to 0 are left out, differences are absolute */
    size_t runs;
    int64_t first;           /* first step, and number of steps to the last */
    double span;
    struct plot_span *loss[CURVE_RUNS], *lower, *rate[2]; /* one allocation, loss[0] first */
    int beside;              /* the lower plot: -1 the difference, for a single run an enum log_value */
    struct plot_span all_loss, all_lower, all_rate; /* of all columns; all_rate is empty if no rate was printed */
    size_t out_loss, out_lower, out_rate; /* numbers of values left out */
};

void plot_runs_release(struct plot_runs *x);

#endif
