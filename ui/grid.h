/* The screen as cells in memory. Panes draw into it; the terminal, the golden tests and the screenshots are made from
 * it. Every cell is placed at its own column, so a terminal that measures a character's width differently cannot
 * shift a line. */
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

/* Cells of one line that link to a file. */
struct grid_link {
    int y, x, w;
    size_t path; /* offset of its NUL-terminated path in grid.paths */
};

/* A zeroed grid without cells accepts all drawing and shows nothing: used for measuring. */
struct grid {
    int rows, cols;
    struct cell *cell; /* rows * cols */
    struct rect clip;  /* nothing is drawn outside */
    int cursor_y, cursor_x; /* position of the terminal's cursor, -1: none */
    VEC(struct grid_link) links;
    struct buf paths;
    bool ascii;        /* the terminal shows ASCII only: glyphs are replaced */
};

void grid_init(struct grid *g, int rows, int cols);
void grid_release(struct grid *g);
void grid_clear(struct grid *g); /* resets the clip to the whole grid and hides the cursor */
/* Restricts drawing to r; returns the previous clip. */
struct rect grid_clip(struct grid *g, struct rect r);
/* Draws s in at most `width` cells from (y, x), clipped to the grid; returns the cells used. Controls and invalid
 * bytes are drawn as visible characters. */
int grid_text(struct grid *g, int y, int x, int width, uint8_t style, struct str s);
int grid_put(struct grid *g, int y, int x, int width, uint8_t style, const char *s);
int grid_fmt(struct grid *g, int y, int x, int width, uint8_t style, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Right-aligned in the field. */
void grid_right(struct grid *g, int y, int x, int width, uint8_t style, const char *s);
/* Cuts in the middle if too long. */
void grid_middle(struct grid *g, int y, int x, int width, uint8_t style, struct str s);
/* Cuts at the end if too long: for sentences. */
void grid_end(struct grid *g, int y, int x, int width, uint8_t style, struct str s);
void grid_fill(struct grid *g, int y, int x, int width, uint32_t ch, uint8_t style);
/* Makes these cells a link to a file, which terminals may open; the path must be absolute, others are ignored. */
void grid_link(struct grid *g, int y, int x, int width, const char *path);
/* Sets a style bit on cells already drawn (the cursor line). */
void grid_mark(struct grid *g, int y, int x, int width, uint8_t bit);
/* Draws a word-wrapped paragraph from line *y of the rect, skipping `skip` lines; advances *y. Returns the
 * paragraph's total number of lines. */
int grid_wrap(struct grid *g, struct rect r, int *y, int *skip, uint8_t style, struct str s);

/* The screen as text: a line "S …" per row, with `attrs` followed by a line "A …" of style letters. */
void grid_dump(const struct grid *g, bool attrs, struct buf *out);
/* The screen as an SVG picture. */
void grid_svg(const struct grid *g, const struct scheme *s, struct buf *out);

#endif
