/* A tensor that lies in equal blocks one after the other, as a regular cut along several axes leaves it. */
#ifndef FMT_WEIGHT_GRID_H
#define FMT_WEIGHT_GRID_H

#include "num/tensor.h"

/* The view of grid[0] × grid[1] × … blocks of block[0] × block[1] × … elements, the blocks in row-major order: two axes
 * for each of the tensor's. False where that is more axes than a tensor may have. */
bool weight_grid_view(const int64_t *grid, const int64_t *block, int ndim, struct tensor *view);

#endif
