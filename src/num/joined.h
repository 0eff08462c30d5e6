/* A tensor that lies in parts: in several files, each a tensor of its own. It is read through a view; nothing is copied
 * whole. An element of the whole is one element of one part (concatenated along axes, in any order of indices), or the
 * sum or the largest of the same element of several parts, times a factor. */
#ifndef NUM_JOINED_H
#define NUM_JOINED_H

#include "num/tensor.h"

enum joined_by { JOINED_ONE, JOINED_SUM, JOINED_MAX };

/* How the whole lies in the parts. Where[axis][i]: which part holds index i of that axis (a number that is added up
 * over axes), and under which index of its own. NULL: the same index, and the axis chooses no part. */
struct joined_view {
    int ndim;
    int64_t shape[TENSOR_DIMS];
    uint32_t *part[TENSOR_DIMS], *local[TENSOR_DIMS]; /* owned */
    uint32_t *with; /* owned: of each element so many parts, these numbers behind its own */
    size_t combined; /* 1: its own alone */
    enum joined_by by;
    double scale;
};

void joined_view_release(struct joined_view *v);

/* Opens it: t becomes a tensor of the view's shape, whose bytes are made when they are read. The parts' files and the
 * view become t's, also on error. Parts have one type and as many axes as the view. Where parts are added or scaled,
 * the type is float32, or float64 where theirs is. */
int joined_open(struct tensor *t, struct tensor *part, size_t parts, struct joined_view *v, const char *name,
                struct err *e);

#endif
