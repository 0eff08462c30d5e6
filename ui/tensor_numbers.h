/* Draws the elements of a plane as numbers instead of shades, if each cell is a single element. */
#ifndef UI_TENSOR_NUMBERS_H
#define UI_TENSOR_NUMBERS_H

#include "measure/heat_map.h"
#include "ui/grid.h"

#define TENSOR_NUMBER_W 9 /* cells per number, with the following blank */
#define TENSOR_NUMBERS_SMALL 8 /* planes with at most this many rows and columns are shown as numbers by default */

/* How many fit side by side in w cells. */
int tensor_numbers_across(int w);
/* Draws the numbers of one kind; `cursor` is the marked cell, row and column. */
void tensor_numbers_draw(struct grid *g, const struct heat_map *h, enum heat_map_kind k, struct rect r,
                         const int64_t cursor[2]);

#endif
