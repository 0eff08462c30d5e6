/* A tensor made of parts in several files, read through a view without copying the whole. An element of the whole is
 * one element of one part (concatenated along axes, indices in any order), or the sum or the maximum of the same
 * element of several parts, times a factor. */
#ifndef NUM_JOINED_H
#define NUM_JOINED_H

#include "num/tensor.h"

enum joined_by { JOINED_ONE, JOINED_SUM, JOINED_MAX };

/* How the whole maps to the parts. part[axis][i] and local[axis][i]: the part that holds index i of that axis (part
 * numbers are added up over the axes) and the index inside it. NULL: the index is unchanged and the axis selects no
 * part. */
struct joined_view {
    int ndim;
    int64_t shape[TENSOR_DIMS];
    uint32_t *part[TENSOR_DIMS], *local[TENSOR_DIMS]; /* owned */
    uint32_t *with; /* owned: per element `combined` parts; offsets from the element's own part */
    size_t combined; /* number of parts that are combined; 1: only the element's own */
    enum joined_by by;
    double scale;
};

void joined_view_release(struct joined_view *v);

/* Makes t a tensor of the view's shape whose bytes are computed on reading. t takes over the parts' files and the
 * view, also on error. Parts have one type and as many axes as the view. If parts are summed or scaled, the type is
 * float32, or float64 if theirs is. */
int joined_open(struct tensor *t, struct tensor *part, size_t parts, struct joined_view *v, const char *name,
                struct err *e);

#endif
