/* Strides of one side of a pair: parts of fused weights, shards, transposed matrices, halves of rotary heads. */
#include "weights/weight_layout.h"

#include <string.h>

bool weight_layout_sizes(enum weight_fusion f, int64_t rows, int heads, int kv_heads, int64_t size[3])
{
    if (f == FUSED_GATE_UP) {
        size[0] = size[1] = rows / 2;
        size[2] = 0;
        return rows % 2 == 0;
    }
    if (size[0] > 0 && size[1] > 0 && size[2] > 0 && size[0] + size[1] + size[2] == rows)
        return true;
    int64_t all = (int64_t)heads + 2 * (int64_t)kv_heads;
    if (heads < 1 || kv_heads < 1 || rows % all)
        return false;
    size[0] = rows / all * heads;
    size[1] = size[2] = rows / all * kv_heads;
    return true;
}

int weight_layout_whole(const struct weights *w, uint32_t i, struct weight_layout *out, struct err *e)
{
    const struct weight *x = &w->list.v[i];
    memset(out, 0, sizeof *out);
    if (weights_tensor(w, i, &out->t, e))
        return -1;
    out->ndim = x->ndim;
    memcpy(out->shape, x->shape, (size_t)x->ndim * sizeof *out->shape);
    /* shards joined along the first axis are an axis of their own */
    out->row_axes = x->ndim == 0 ? 0 : x->axes > x->ndim && x->blocks > 1 ? 2 : 1;
    return 0;
}

bool weight_layout_slice(struct weight_layout *a, int64_t nth)
{
    struct tensor *t = &a->t;
    if (a->row_axes != 1 || t->ndim != a->ndim || t->ndim < 2 || nth < 0 || nth >= t->shape[0])
        return false;
    t->offset += (uint64_t)(nth * t->stride[0]) * dtype_table[t->dtype].size;
    t->numel /= (uint64_t)t->shape[0];
    t->ndim = --a->ndim;
    memmove(t->shape, t->shape + 1, (size_t)t->ndim * sizeof *t->shape);
    memmove(t->stride, t->stride + 1, (size_t)t->ndim * sizeof *t->stride);
    memmove(a->shape, a->shape + 1, (size_t)a->ndim * sizeof *a->shape);
    return true;
}

bool weight_layout_rows(struct weight_layout *a, int64_t groups, int64_t from, int64_t count)
{
    struct tensor *t = &a->t;
    int axis = a->row_axes - 1;
    int64_t shards = a->row_axes == 2 ? t->shape[0] : 1;
    if (axis < 0 || groups < 1 || groups % shards || t->ndim >= TENSOR_DIMS)
        return false;
    int64_t here = groups / shards, rows = t->shape[axis];
    if (rows % here || from < 0 || count < 1 || from > rows / here - count)
        return false;
    int64_t stride = t->stride[axis];
    memmove(&t->shape[axis + 1], &t->shape[axis], (size_t)(t->ndim - axis) * sizeof *t->shape);
    memmove(&t->stride[axis + 1], &t->stride[axis], (size_t)(t->ndim - axis) * sizeof *t->stride);
    t->ndim++;
    t->shape[axis] = here;
    t->stride[axis] = rows / here * stride;
    t->shape[axis + 1] = count;
    t->offset += (uint64_t)(from * stride) * dtype_table[t->dtype].size;
    a->row_axes++;
    a->shape[0] = groups * count;
    t->numel = 1;
    for (int i = 0; i < t->ndim; i++)
        t->numel *= (uint64_t)t->shape[i];
    return true;
}

void weight_layout_transpose(struct weight_layout *a)
{
    int perm[TENSOR_DIMS], n = 0;
    for (int i = a->row_axes; i < a->t.ndim; i++)
        perm[n++] = i;
    for (int i = 0; i < a->row_axes; i++)
        perm[n++] = i;
    tensor_permute(&a->t, perm);
    a->row_axes = a->t.ndim - a->row_axes;
    int64_t first = a->shape[0];
    a->shape[0] = a->shape[1];
    a->shape[1] = first;
}

bool weight_layout_halves(struct weight_layout *a, int64_t heads)
{
    struct tensor *t = &a->t;
    if (a->row_axes != 1 || heads < 1 || t->ndim > TENSOR_DIMS - 2 || t->shape[0] % (heads * 2))
        return false;
    int64_t half = t->shape[0] / heads / 2, stride = t->stride[0];
    memmove(&t->shape[3], &t->shape[1], (size_t)(t->ndim - 1) * sizeof *t->shape);
    memmove(&t->stride[3], &t->stride[1], (size_t)(t->ndim - 1) * sizeof *t->stride);
    t->ndim += 2;
    t->shape[0] = heads;
    t->stride[0] = 2 * half * stride;
    t->shape[1] = 2;
    t->stride[1] = stride;
    t->shape[2] = half;
    t->stride[2] = 2 * stride;
    a->row_axes = 3;
    return true;
}
