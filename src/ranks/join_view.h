/* Makes the view that reads the parts from join steps. */
#ifndef RANKS_JOIN_VIEW_H
#define RANKS_JOIN_VIEW_H

#include "ranks/shard_join.h"

/* The view of parts of this shape joined by these steps; false if a step does not fit the shape. The caller releases
 * it. vocab: the size to which an axis joined by JOIN_VOCAB is cut (x.shape). */
bool join_view(struct joined_view *v, const int64_t *shape, int ndim, const struct join_step *step, int steps,
               double scale, int64_t vocab);

/* Reorders the first axis: index i becomes the former order[i]; false if there is no axis. */
bool join_view_reorder(struct joined_view *v, const uint32_t *order);

/* For views of parts held in memory: the element at row-major index `at`. */
double join_view_value(const struct joined_view *v, double *const *part, const int64_t *part_shape, uint64_t at);

#endif
