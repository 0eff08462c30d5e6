/* One side of a pair as a tensor to be walked: a part of a fused weight cut out, shards in order, axes
 * exchanged. Only strides change. */
#ifndef WEIGHTS_WEIGHT_LAYOUT_H
#define WEIGHTS_WEIGHT_LAYOUT_H

#include "fmt/weight_names.h"
#include "fmt/weights.h"

struct weight_layout {
    struct tensor t;
    int row_axes; /* leading axes of t that are the weight's first axis */
    int ndim;     /* the shape as a weight */
    int64_t shape[TENSOR_DIMS];
};

/* The rows of the parts in a fused weight of `rows`, from heads where known (0: not), else from the other
 * side's parts (given in size[], 0: unknown). False when it cannot be told. */
bool weight_layout_sizes(enum weight_fusion f, int64_t rows, int heads, int kv_heads, int64_t size[3]);

/* All of weight i. Caller closes out->t. */
int weight_layout_whole(const struct weights *w, uint32_t i, struct weight_layout *out, struct err *e);
/* Of a stack along its first axis one slice; false where that axis is cut into shards or the slice is not there. */
bool weight_layout_slice(struct weight_layout *a, int64_t nth);
/* Of each of `groups` equal groups of its rows, `count` rows from row `from`. False when the rows do not
 * divide so, or the shards do not. */
bool weight_layout_rows(struct weight_layout *a, int64_t groups, int64_t from, int64_t count);
/* A matrix's axes exchanged. */
void weight_layout_transpose(struct weight_layout *a);
/* Each head's rows re-ordered from pairs (x0 y0 x1 y1 …) to halves (x0 x1 … y0 y1 …); false when they do
 * not divide. */
bool weight_layout_halves(struct weight_layout *a, int64_t heads);

#endif
