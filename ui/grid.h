/* The screen as cells in memory. Panes draw here; the terminal, the golden tests and the screenshots
 * are made from it. Every cell has its own column, so a terminal that thinks otherwise of a
 * character's width can shift no line. */
#ifndef UI_GRID_H
#define UI_GRID_H

#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "ui/style.h"

struct cell {
    uint32_t ch;   /* 0: the right half of a wide character */
    uint8_t style; /* element and bits */
};

struct rect {
    int y, x, h, w;
};

/* Cells of one line that name a file. */
struct grid_link {
    int y, x, w;
    size_t path; /* where its path begins in grid.paths, which holds them with their ends */
};

/* One without cells (zeroed) takes everything and shows nothing: what is to be counted is drawn there. */
struct grid {
    int rows, cols;
    struct cell *cell; /* rows * cols */
    struct rect clip;  /* nothing is drawn outside */
    int cursor_y, cursor_x; /* where the terminal's cursor belongs, -1: nowhere */
    VEC(struct grid_link) links;
    struct buf paths;
    bool ascii;        /* the terminal shows no more: glyphs become their ASCII twins */
};

void grid_init(struct grid *g, int rows, int cols);
void grid_release(struct grid *g);
void grid_clear(struct grid *g); /* the clip becomes the whole grid, the cursor is nowhere */
/* Draws stay inside r from here on; returns what the clip was. */
struct rect grid_clip(struct grid *g, struct rect r);
/* Draws s in at most `width` cells from (y, x), clipped to the grid; returns the cells used. Controls
 * and bad bytes come out visible and harmless. */
int grid_text(struct grid *g, int y, int x, int width, uint8_t style, struct str s);
int grid_put(struct grid *g, int y, int x, int width, uint8_t style, const char *s);
int grid_fmt(struct grid *g, int y, int x, int width, uint8_t style, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Right-aligned in the field. */
void grid_right(struct grid *g, int y, int x, int width, uint8_t style, const char *s);
/* Cut in the middle when too long, so that both ends stay. */
void grid_middle(struct grid *g, int y, int x, int width, uint8_t style, struct str s);
/* Cut at the end when too long: for sentences, whose beginning tells more. */
void grid_end(struct grid *g, int y, int x, int width, uint8_t style, struct str s);
void grid_fill(struct grid *g, int y, int x, int width, uint32_t ch, uint8_t style);
/* Those cells name a file, which terminals may open: an absolute path; others are no links. */
void grid_link(struct grid *g, int y, int x, int width, const char *path);
/* Sets a bit on what is drawn there (the cursor line). */
void grid_mark(struct grid *g, int y, int x, int width, uint8_t bit);
/* A word-wrapped paragraph from line *y of the rect, skipping `skip` lines; moves *y. Returns the
 * lines the paragraph takes in all. */
int grid_wrap(struct grid *g, struct rect r, int *y, int *skip, uint8_t style, struct str s);

/* The screen as text: a line "S …" a row, with `attrs` a line "A …" of style letters below it. */
void grid_dump(const struct grid *g, bool attrs, struct buf *out);
/* A picture of it. */
void grid_svg(const struct grid *g, const struct scheme *s, struct buf *out);

#endif
