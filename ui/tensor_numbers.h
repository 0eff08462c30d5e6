/* The elements of a plane as numbers, in place of the shades of a map whose cells are single elements. */
#ifndef UI_TENSOR_NUMBERS_H
#define UI_TENSOR_NUMBERS_H

#include "measure/heat_map.h"
#include "ui/grid.h"

#define TENSOR_NUMBER_W 9 /* cells of a number with the blank behind it */
#define TENSOR_NUMBERS_SMALL 8 /* a plane of so many rows and columns at most is shown so by itself */

/* How many stand beside one another in w cells. */
int tensor_numbers_across(int w);
/* Those of one kind; `cursor` is the cell that is marked, row and column. */
void tensor_numbers_draw(struct grid *g, const struct heat_map *h, enum heat_map_kind k, struct rect r,
                         const int64_t cursor[2]);

#endif
