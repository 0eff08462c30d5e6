/* From join steps to the view that reads the parts. */
#ifndef RANKS_JOIN_VIEW_H
#define RANKS_JOIN_VIEW_H

#include "ranks/shard_join.h"

/* The view of parts of this shape joined by these steps; false where a step does not fit the shape. Caller releases it.
 * vocab: the size an axis joined by JOIN_VOCAB is cut to (x.shape). */
bool join_view(struct joined_view *v, const int64_t *shape, int ndim, const struct join_step *step, int steps,
               double scale, int64_t vocab);

/* Index i of the first axis becomes what order[i] was; false where there is no axis. */
bool join_view_reorder(struct joined_view *v, const uint32_t *order);

/* For figures found from views of parts held in memory: element by element, row-major, of every `each`th element. */
double join_view_value(const struct joined_view *v, double *const *part, const int64_t *part_shape, uint64_t at);

#endif
