/* A dense array of both sides, and the reordering of elements that makes them agree. */
#ifndef DIAGNOSE_DENSE_BLOCK_H
#define DIAGNOSE_DENSE_BLOCK_H

#include "measure/element_sample.h"

#define DENSE_BLOCK_AXES 6

struct dense_block {
    double *v[2];
    size_t n;
    int ndim;                  /* without axes of length 1 */
    int64_t shape[DENSE_BLOCK_AXES];
    int axis[DENSE_BLOCK_AXES];      /* their indices in the tensor */
    double dev2, g2;           /* Σ(t−g)², Σg² */
};

/* From a dense sample; false if it has too many axes, fewer than 4 elements, or non-finite ones. */
bool dense_block_from(struct dense_block *b, const struct element_sample *s);
/* The part with the indices for which `in[axis][index]` is set (NULL: all indices of that axis). */
void dense_block_part(struct dense_block *out, const struct dense_block *b, const uint8_t *const in[DENSE_BLOCK_AXES]);
void dense_block_release(struct dense_block *b);

enum dense_order_kind { ORDER_NONE, ORDER_AXES, ORDER_FLIP, ORDER_INTERLEAVED };

struct dense_order {
    enum dense_order_kind kind;
    int perm[DENSE_BLOCK_AXES];  /* ORDER_AXES: axis i of the target is the golden side's perm[i] */
    int axis;              /* ORDER_FLIP, ORDER_INTERLEAVED */
    int64_t a, b, c;       /* ORDER_INTERLEAVED: the golden axis is a × b × c, the target's b × a × c */
    double left2;          /* residual */
};

/* The order with the smallest residual, if that is at most `share` of the deviation (squares); false: none is. */
bool dense_block_order(const struct dense_block *b, double share, struct dense_order *out);
/* Whether both sides contain the same values with the same frequencies, and enough distinct ones to be significant. */
bool dense_block_same_values(const struct dense_block *b);
/* Compares target element [i] with golden [i - by] along an axis, over the overlap; *share: what remains of Σ(t−g)².
 * False if the overlap contains too few of the values or too little of the deviation. */
bool dense_block_shift(const struct dense_block *b, int axis, int64_t by, double *share);

#define SIGNED_MOST 256 /* the most indices along an axis for which a signed order is searched */

/* Whether target index c along an axis is golden index from[c] times sign[c] (+1 or -1, both occurring), for all c. */
bool block_signed_order(const struct dense_block *b, int axis, int64_t *from, double *sign);

#endif
