/* Pictures of a report as data: curves over steps, a plane of a tensor as cells, how numbers are spread. What is drawn
 * is what is here, in any format: the data are brought down to as many columns or cells as a reader can distinguish,
 * each with the extremes of all it stands for, so that no outlier is lost and a picture stays small. */
#ifndef DOCUMENT_PICTURE_H
#define DOCUMENT_PICTURE_H

#include "base/arena.h"
#include "base/json_write.h"

#define PICTURE_COLUMNS 240
#define PICTURE_SERIES 6
#define PICTURE_RULES 8
#define PICTURE_TICKS 9
#define PICTURE_LEVELS 8 /* shades of cells, zero not among them */

enum picture_kind { DRAWN_LINES, DRAWN_CELLS, DRAWN_COUNTS };

/* What a line or bar stands for; the writers give each its colour. */
enum picture_style { LOOK_TARGET, LOOK_GOLDEN, LOOK_DIFFERENCE, LOOK_BAND, LOOKS };

/* The lowest, the highest and the mean value of each column, NaN where it has none. */
struct picture_series {
    const char *id, *name; /* "target" for programs, and for people */
    uint8_t look;
    double *low, *high, *mean;
    uint32_t *n; /* points of a column */
};

/* A line at a value, or at a step. */
struct picture_rule {
    const char *name;
    double at;
    bool upright, bad;
};

struct picture {
    uint8_t kind;
    const char *id;      /* "loss", "first-difference" … */
    const char *title;
    const char *text;    /* what there is to be seen, in a sentence; "" */
    /* DRAWN_LINES */
    uint32_t columns;
    double from, to;     /* steps of the first and the last column */
    bool log;            /* of the values' axis */
    double low, high;    /* its ends */
    struct picture_series series[PICTURE_SERIES];
    uint32_t count;
    struct picture_rule rule[PICTURE_RULES];
    uint32_t rules;
    /* DRAWN_CELLS: rows × columns extremes; NaN: not read, infinite: not finite on a side or both */
    int rows, cells;
    double *value, most; /* most: the largest finite one, what the last shade stands for */
    const char *axis[2]; /* "axis 0, 0 … 63", of rows and columns */
    /* DRAWN_COUNTS: how many magnitudes lie in [2^(first + i), 2^(first + i + 1)); zero ones apart. As series. */
    int first, bins;
    uint64_t *bin[PICTURE_SERIES], zero[PICTURE_SERIES];
};

/* Strings of all of these live as long as the picture; arrays come from the arena. */
void picture_lines(struct picture *p, const char *id, const char *title, double from, double to);
struct picture_series *picture_series(struct picture *p, struct arena *a, const char *id, const char *name,
                                      enum picture_style look);
void picture_point(struct picture *p, struct picture_series *s, double x, double y); /* not finite: not drawn */
void picture_rule(struct picture *p, const char *name, double at, bool upright, bool bad);
/* Chooses the values' axis once all is there: from the data, and those rules that lie close enough; logarithmic where
 * the values are positive and span more than two orders of magnitude. False: there is nothing to draw. */
bool picture_fit(struct picture *p);

/* Round numbers on an axis, `parts` of them or fewer; the count. */
int picture_ticks(double low, double high, int parts, bool log, double out[PICTURE_TICKS]);
/* 0 … 1 up the values' axis, 0 … 1 along the steps. */
double picture_up(const struct picture *p, double y);
double picture_along(const struct picture *p, double x);
/* 0: zero; 1 … PICTURE_LEVELS by half orders of magnitude below `most`, the lowest for all that is smaller;
 * -1: not finite; -2: not read. */
int picture_level(const struct picture *p, double v);
/* The largest value of a level, "" … as a number of two digits. */
double picture_level_top(const struct picture *p, int level);
uint64_t picture_most(const struct picture *p); /* the largest count */

void picture_json(struct jsonw *w, const struct picture *p);
/* As text for Markdown: sparklines, shades, a table of round numbers. Appends. */
void picture_text(struct buf *b, const struct picture *p);
void picture_svg(struct buf *b, const struct picture *p);

#endif
