/* Pictures of a report as data: curves over steps, a plane of a tensor as cells, histograms of magnitudes. All
 * formats draw the same data. The data are reduced to as many columns or cells as can be distinguished, each with the
 * extremes of the values it stands for, so that no outlier is lost and a picture stays small. */
#ifndef DOCUMENT_PICTURE_H
#define DOCUMENT_PICTURE_H

#include "base/arena.h"
#include "base/json_write.h"

#define PICTURE_COLUMNS 240
#define PICTURE_SERIES 6
#define PICTURE_RULES 8
#define PICTURE_TICKS 9
#define PICTURE_LEVELS 8 /* shades of cells, without the one for zero */

enum picture_kind { DRAWN_LINES, DRAWN_CELLS, DRAWN_COUNTS };

/* What a line or bar stands for; the writers choose the colour. */
enum picture_style { LOOK_TARGET, LOOK_GOLDEN, LOOK_DIFFERENCE, LOOK_BAND, LOOKS };

/* The minimum, maximum and mean of each column, NaN if it has no values. */
struct picture_series {
    const char *id, *name; /* "target" for programs; name: for people */
    uint8_t look;
    double *low, *high, *mean;
    uint32_t *n; /* number of values in a column */
};

/* A reference line at a value (horizontal) or at a step (upright). */
struct picture_rule {
    const char *name;
    double at;
    bool upright, bad;
};

struct picture {
    uint8_t kind;
    const char *id;      /* "loss", "first-difference" … */
    const char *title;
    const char *text;    /* a sentence about what the picture shows; may be "" */
    /* DRAWN_LINES */
    uint32_t columns;
    double from, to;     /* steps of the first and the last column */
    bool log;            /* logarithmic value axis */
    double low, high;    /* ends of the value axis */
    struct picture_series series[PICTURE_SERIES];
    uint32_t count;
    struct picture_rule rule[PICTURE_RULES];
    uint32_t rules;
    /* DRAWN_CELLS: extremes of rows × columns cells; NaN: not read, infinite: a side has non-finite values */
    int rows, cells;
    double *value, most; /* most: the largest finite value, at the top of the darkest shade */
    const char *axis[2]; /* "axis 0, 0 … 63", of rows and columns */
    /* DRAWN_COUNTS: how many magnitudes are in [2^(first + i), 2^(first + i + 1)); zeros are counted separately.
     * Indexed like `series`. */
    int first, bins;
    uint64_t *bin[PICTURE_SERIES], zero[PICTURE_SERIES];
};

/* Strings must live as long as the picture; arrays are allocated in the arena. */
void picture_lines(struct picture *p, const char *id, const char *title, double from, double to);
struct picture_series *picture_series(struct picture *p, struct arena *a, const char *id, const char *name,
                                      enum picture_style look);
/* non-finite values are not drawn */
void picture_point(struct picture *p, struct picture_series *s, double x, double y);
void picture_rule(struct picture *p, const char *name, double at, bool upright, bool bad);
/* Chooses the value axis once all data are added: from the data and the rules near them; logarithmic if the values
 * are positive and span more than two orders of magnitude. False: there is nothing to draw. */
bool picture_fit(struct picture *p);

/* At most `parts` round numbers on an axis; returns their count. */
int picture_ticks(double low, double high, int parts, bool log, double out[PICTURE_TICKS]);
/* Position on the value axis, and along the steps, both 0 … 1. */
double picture_up(const struct picture *p, double y);
double picture_along(const struct picture *p, double x);
/* Shade of a value: 0: zero; 1 … PICTURE_LEVELS in steps of half an order of magnitude below `most`, the lowest for
 * everything smaller; -1: not finite; -2: not read. */
int picture_level(const struct picture *p, double v);
/* The largest value with that shade. */
double picture_level_top(const struct picture *p, int level);
uint64_t picture_most(const struct picture *p); /* the largest count */

void picture_json(struct jsonw *w, const struct picture *p);
/* As text for Markdown: sparklines, shades, a table of round numbers. Appends. */
void picture_text(struct buf *b, const struct picture *p);
void picture_svg(struct buf *b, const struct picture *p);
/* Pictures of lines as an SVG file of its own, one below the other, with axes and legends in it. Appends. */
void picture_svg_file(struct buf *b, const struct picture *p, size_t n);
/* What both draw of lines, without axes: a plane of 1000 × 300. */
void picture_svg_plane(struct buf *b, const struct picture *p);

#endif
