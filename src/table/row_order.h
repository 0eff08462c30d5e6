/* Which lines of the table are shown and in which order: all in execution order, or those that pass the filters,
 * sorted by a field. Computed in small steps between keys, so that a million lines never block the screen; the
 * previous order stays in force until the new one is complete. */
#ifndef TABLE_ROW_ORDER_H
#define TABLE_ROW_ORDER_H

#include "table/filter.h"

struct row_order_filter {
    char *text;
    bool inverse, off;
    struct filter *code;
};

struct row_order {
    VEC(struct row_order_filter) filters; /* a line must pass all of them */
    const struct field *sort;           /* NULL: execution order */
    bool descending;

    /* the order in force; line NULL: all lines in table order */
    uint32_t *line, n;
    uint32_t *place; /* per line of the table: its position in `line`, or NONE */
    uint32_t lines;  /* of the table for which it was made */

    /* the order being computed */
    struct row_order_work *work;
    uint64_t made_for; /* serial of the comparison it was made from; a newer comparison makes it stale */
};

void row_order_release(struct row_order *a);
/* Adds a filter; -1 with e. */
int row_order_add(struct row_order *a, struct str text, bool inverse, struct err *e);
/* The same for a compiled filter, which it takes over. */
void row_order_take(struct row_order *a, struct filter *code, struct str text, bool inverse);
void row_order_drop(struct row_order *a, size_t i);
void row_order_clear(struct row_order *a); /* removes all filters; the sort stays */
/* The table's lines have changed: shows all lines until a new order is made. */
void row_order_forget(struct row_order *a);
/* Starts a new computation with the next step. */
void row_order_restart(struct row_order *a);
/* Does one step for the comparison's lines; true if more is left or the order changed. */
bool row_order_step(struct row_order *a, const struct comparison *s, uint32_t lines);
double row_order_progress(const struct row_order *a); /* 0 … 1 while computing, otherwise 1 */

/* Conversion between screen positions and lines of the table. */
uint32_t row_order_count(const struct row_order *a, uint32_t lines);
uint32_t row_order_line(const struct row_order *a, uint32_t pos);
/* NONE when the line is hidden. */
uint32_t row_order_pos(const struct row_order *a, uint32_t line);
/* The position of the first visible line at or after `line` in execution order (the last visible one if there is
 * none): for a cursor whose line was filtered out. In sorted orders the first position. */
uint32_t row_order_nearest(const struct row_order *a, uint32_t line);

#endif
