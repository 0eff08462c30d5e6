/* Element access for the tensor view: two tensors aligned as in the comparison, or one alone, with the axes for
 * display. Elements are addressed by their logical (row-major) index over those axes; only requested elements are
 * held. Complex numbers appear with one more axis of size 2, real and imaginary. */
#ifndef MEASURE_ELEMENT_LENS_H
#define MEASURE_ELEMENT_LENS_H

#include "num/tensor.h"

#define ELEMENT_LENS_RUN 16384u /* the most elements per read */

struct element_lens {
    struct tensor t[2];
    bool has[2];
    bool flat[2];               /* this side has other axes: its elements are matched by linear index */
    int ndim;                   /* at least 1: a scalar is [1] */
    int64_t shape[TENSOR_DIMS];
    uint64_t step[TENSOR_DIMS]; /* logical index distance of one step along the axis */
    uint64_t numel;
    enum dtype coarser;         /* the coarser type of the sides present: its spacing is the unit of ULP */
};

/* Takes ownership of the tensors; NULL: that side is absent. Both must have the same element count and known types;
 * the axes are those of the side with more of them, the target's if equal. */
void element_lens_init(struct element_lens *l, struct tensor *target, struct tensor *golden);
void element_lens_release(struct element_lens *l); /* a zeroed lens is allowed */
uint64_t element_lens_index(const struct element_lens *l, const int64_t at[TENSOR_DIMS]);
void element_lens_place(const struct element_lens *l, uint64_t index, int64_t at[TENSOR_DIMS]);
void element_lens_place_text(const struct element_lens *l, uint64_t index, struct buf *out); /* "[1,2,3]"; appends */
/* The difference of two numbers in units of the spacing of the coarser type at g (integers: 1). NaN or infinite if a
 * value is. */
double element_lens_ulp(const struct element_lens *l, double t, double g);

/* One element of each side present, as number and as stored bytes. */
struct element_lens_element {
    double v[2];
    unsigned char raw[2][16];
};
int element_lens_element(const struct element_lens *l, uint64_t index, struct element_lens_element *out, struct err *e);
/* Appends the value with all its digits: the shortest decimal that reads back as the same value, in float32 if that
 * is the only type. */
void element_lens_text(const struct element_lens *l, int side, const struct element_lens_element *x, struct buf *out);

/* A plane: `outer` × `inner` elements at fixed indices of the other axes, read in ranges of its own row-major order.
 * outer_axis -1: one row. element_lens_all() is the whole tensor. */
struct element_lens_plane {
    uint64_t base;      /* logical index of its first element */
    uint64_t outer, inner;
    int outer_axis, inner_axis;
    bool all;
};

struct element_lens_plane element_lens_all(const struct element_lens *l);

#endif
