/* Shapes and strides of a grid of equal blocks. */
#include "fmt/weight_grid.h"

bool weight_grid_view(const int64_t *grid, const int64_t *block, int ndim, struct tensor *view)
{
    int64_t inner = 1, outer = 1;
    if (2 * ndim > TENSOR_DIMS - 1)
        return false;
    for (int a = 0; a < ndim; a++)
        outer *= block[a];
    for (int a = ndim - 1, k = 2 * ndim - 1; a >= 0; a--, k -= 2) {
        view->shape[k] = block[a];
        view->stride[k] = inner;
        view->shape[k - 1] = grid[a];
        view->stride[k - 1] = outer;
        inner *= block[a];
        outer *= grid[a];
    }
    view->ndim = 2 * ndim;
    return true;
}
