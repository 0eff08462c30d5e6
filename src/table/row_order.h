/* Which lines of the table are shown and in which order: all in execution order, or what the filters
 * leave, sorted by a field. Made in small pieces between two keys, so that a million lines never stop
 * the screen; what was there before stays until the new order is whole. */
#ifndef TABLE_ROW_ORDER_H
#define TABLE_ROW_ORDER_H

#include "table/filter.h"

struct row_order_filter {
    char *text;
    bool inverse, off;
    struct filter *code;
};

struct row_order {
    VEC(struct row_order_filter) filters; /* all must let a line pass */
    const struct field *sort;           /* NULL: execution order */
    bool descending;

    /* the order in force; line NULL: every line in its place */
    uint32_t *line, n;
    uint32_t *place; /* per line of the table: where it stands in `line`, or NONE */
    uint32_t lines;  /* of the table it was made for */

    /* the next one */
    struct row_order_work *work;
    uint64_t made_for; /* serial of the comparison it was made from: another one makes it stale */
};

void row_order_release(struct row_order *a);
/* Adds a filter; -1 with a message. */
int row_order_add(struct row_order *a, struct str text, bool inverse, struct err *e);
/* The same of one that is compiled: takes it over. */
void row_order_take(struct row_order *a, struct filter *code, struct str text, bool inverse);
void row_order_drop(struct row_order *a, size_t i);
void row_order_clear(struct row_order *a); /* no filters; the sort stays */
/* The table has other lines: every line in its place until the next order is made. */
void row_order_forget(struct row_order *a);
/* Something changed: begin again with the next step. */
void row_order_restart(struct row_order *a);
/* A piece of work on the comparison's lines; true while some is left or the order changed with
 * this step. */
bool row_order_step(struct row_order *a, const struct comparison *s, uint32_t lines);
double row_order_progress(const struct row_order *a); /* 0 … 1 of the work going on, 1 when none is */

/* Positions on the screen against lines of the table. */
uint32_t row_order_count(const struct row_order *a, uint32_t lines);
uint32_t row_order_line(const struct row_order *a, uint32_t pos);
/* NONE when the line is hidden. */
uint32_t row_order_pos(const struct row_order *a, uint32_t line);
/* The position of the first shown line at or behind `line` in execution order (the last one when there
 * is none behind): where a cursor goes whose line was filtered away. Unsorted arrangements only are
 * searched by order; in sorted ones the first position. */
uint32_t row_order_nearest(const struct row_order *a, uint32_t line);

#endif
