/* What the tensor view looks through: two tensors laid on each other as they were compared, or one alone, with the
 * axes they are shown by. Elements are addressed by their logical (row-major) index over those axes; nothing is held
 * but what a read asks for. Complex numbers are shown as pairs: one more axis of 2, real and imaginary. */
#ifndef MEASURE_ELEMENT_LENS_H
#define MEASURE_ELEMENT_LENS_H

#include "num/tensor.h"

#define ELEMENT_LENS_RUN 16384u /* elements one read gives at most */

struct element_lens {
    struct tensor t[2];
    bool has[2];
    bool flat[2];               /* this side's own axes are others: its elements are met one by one */
    int ndim;                   /* 1 or more: a scalar is [1] */
    int64_t shape[TENSOR_DIMS];
    uint64_t step[TENSOR_DIMS]; /* of the logical index, one step along the axis */
    uint64_t numel;
    enum dtype coarser;         /* of the sides it has: its spacing is the unit of ULP */
};

/* Takes the tensors over; NULL: that side is not there. Both must have one element count, of types that are known;
 * the axes are those of the side with more of them, the target's where equal. */
void element_lens_init(struct element_lens *l, struct tensor *target, struct tensor *golden);
void element_lens_release(struct element_lens *l); /* a zeroed one is fine */
uint64_t element_lens_index(const struct element_lens *l, const int64_t at[TENSOR_DIMS]);
void element_lens_place(const struct element_lens *l, uint64_t index, int64_t at[TENSOR_DIMS]);
void element_lens_place_text(const struct element_lens *l, uint64_t index, struct buf *out); /* "[1,2,3]"; appends */
/* How far apart two numbers are, in units of the spacing of the coarser type at g (integers: of 1). NaN and infinite
 * where a value is. */
double element_lens_ulp(const struct element_lens *l, double t, double g);

/* One element of each side that is there, as numbers and as stored. */
struct element_lens_element {
    double v[2];
    unsigned char raw[2][16];
};
int element_lens_element(const struct element_lens *l, uint64_t index, struct element_lens_element *out, struct err *e);
/* The value with all its digits: the shortest decimal that gives it back, float32 in its own type where no other type
 * stands beside it. Appends. */
void element_lens_text(const struct element_lens *l, int side, const struct element_lens_element *x, struct buf *out);

/* A plane: `outer` × `inner` elements at fixed places of the other axes, read in stretches of its own row-major order.
 * outer_axis -1: one row. The whole tensor in its order is element_lens_all(). */
struct element_lens_plane {
    uint64_t base;      /* logical index of its first element */
    uint64_t outer, inner;
    int outer_axis, inner_axis;
    bool all;
};

struct element_lens_plane element_lens_all(const struct element_lens *l);

#endif
