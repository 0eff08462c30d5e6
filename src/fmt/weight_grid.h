/* A tensor stored as equal blocks one after the other, as regular sharding along several axes produces it. */
#ifndef FMT_WEIGHT_GRID_H
#define FMT_WEIGHT_GRID_H

#include "num/tensor.h"

/* The view of grid[0] × grid[1] × … blocks of block[0] × block[1] × … elements, blocks in row-major order: two axes
 * of the view for each of the tensor's. False if a tensor cannot have that many axes. */
bool weight_grid_view(const int64_t *grid, const int64_t *block, int ndim, struct tensor *view);

#endif
