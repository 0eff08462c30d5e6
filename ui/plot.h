/* Curves as dots: a canvas of 2 × 4 dots a cell, drawn as braille, or in ASCII by the height in the cell. */
#ifndef UI_PLOT_H
#define UI_PLOT_H

#include "curves/curves.h"
#include "ui/grid.h"

struct plot {
    struct rect at;      /* cells */
    double low, high;    /* of y */
    bool log;            /* rows are powers; low is above 0 then */
    uint8_t *dots;       /* at.h * at.w cells, braille's bits */
    uint8_t *style;
};

void plot_init(struct plot *p, struct rect at, double low, double high, bool log);
void plot_release(struct plot *p);
/* A column's stretch from y0 to y1 (what all points in it span), and a line to the column before. */
void plot_span(struct plot *p, int column, double y0, double y1, uint8_t style);
int plot_row(const struct plot *p, double y); /* the line of cells y lies in, from the top */
void plot_level(struct plot *p, double y, uint8_t style); /* a dotted line across */
void plot_draw(const struct plot *p, struct grid *g);

/* What the points of one column of dots span. */
struct plot_span {
    double low, high, sum;
    uint32_t n;
};

/* Runs gathered by columns, kept between frames: a million points are gone through once. */
struct plot_runs {
    const struct curves *of;
    uint32_t version;        /* of what they were gathered from */
    int n;                   /* columns */
    double from, to;         /* the part of the steps in them, of 0 … 1 */
    bool log;                /* values of 0 or less are left out, differences are sizes */
    size_t runs;
    int64_t first;           /* step, and how many there are to the last */
    double span;
    struct plot_span *loss[CURVE_RUNS], *lower, *rate[2]; /* one allocation, loss[0] first */
    int beside;              /* what is drawn below: -1 the difference, of a run alone one of enum log_value */
    struct plot_span all_loss, all_lower, all_rate; /* of no rate: none was printed */
    size_t out_loss, out_lower, out_rate; /* left out */
};

void plot_runs_release(struct plot_runs *x);

#endif
