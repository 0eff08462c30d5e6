/* One side of a pair as a tensor to be read: a part of a fused weight, shards in order, axes exchanged. Only strides
 * change. */
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

/* The numbers of rows of the parts in a fused weight of `rows` rows, from the heads if known (0: unknown), otherwise
 * from the other side's parts (given in size[], 0: unknown). False if undecidable. */
bool weight_layout_sizes(enum weight_fusion f, int64_t rows, int heads, int kv_heads, int64_t size[3]);

/* The whole of weight i. The caller closes out->t. */
int weight_layout_whole(const struct weights *w, uint32_t i, struct weight_layout *out, struct err *e);
/* Selects one slice of a stack along its first axis; false if that axis is sharded or has no such slice. */
bool weight_layout_slice(struct weight_layout *a, int64_t nth);
/* Selects, in each of `groups` equal groups of rows, `count` rows from row `from`. False if rows or shards are not
 * divisible that way. */
bool weight_layout_rows(struct weight_layout *a, int64_t groups, int64_t from, int64_t count);
/* Exchanges a matrix's axes. */
void weight_layout_transpose(struct weight_layout *a);
/* Reorders each head's rows from pairs (x0 y0 x1 y1 …) to halves (x0 x1 … y0 y1 …); false if they are not divisible. */
bool weight_layout_halves(struct weight_layout *a, int64_t heads);

#endif
