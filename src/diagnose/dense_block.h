/* A dense array of both sides, and what order of elements makes them meet. */
#ifndef DIAGNOSE_DENSE_BLOCK_H
#define DIAGNOSE_DENSE_BLOCK_H

#include "measure/element_sample.h"

#define DENSE_BLOCK_AXES 6

struct dense_block {
    double *v[2];
    size_t n;
    int ndim;                  /* axes longer than 1 only */
    int64_t shape[DENSE_BLOCK_AXES];
    int axis[DENSE_BLOCK_AXES];      /* which axis of the tensor each is */
    double dev2, g2;           /* Σ(t−g)², Σg² */
};

/* From a dense specimen; false where it has too many axes, fewer than 4 elements, or anything not finite. */
bool dense_block_from(struct dense_block *b, const struct element_sample *s);
/* The part where the indices `in[axis][index]` of all axes are set (NULL: all of that axis). */
void dense_block_part(struct dense_block *out, const struct dense_block *b, const uint8_t *const in[DENSE_BLOCK_AXES]);
void dense_block_release(struct dense_block *b);

enum dense_order_kind { ORDER_NONE, ORDER_AXES, ORDER_FLIP, ORDER_INTERLEAVED };

struct dense_order {
    enum dense_order_kind kind;
    int perm[DENSE_BLOCK_AXES];  /* ORDER_AXES: axis i of the target is the golden side's perm[i] */
    int axis;              /* ORDER_FLIP, ORDER_INTERLEAVED */
    int64_t a, b, c;       /* ORDER_INTERLEAVED: the golden axis is a × b × c, the target's b × a × c */
    double left2;          /* what it leaves of the deviation */
};

/* The order that leaves least, and at most `share` of the deviation (of squares); false: none does. */
bool dense_block_order(const struct dense_block *b, double share, struct dense_order *out);
/* Whether both sides hold the same values, each as often, and enough different ones to say so. */
bool dense_block_same_values(const struct dense_block *b);
/* Target element [i] against golden [i - by] along an axis, over the overlap: what is left of Σ(t−g)² there, as a
 * share. False where the overlap does not hold enough of the values and of the deviation to say anything. */
bool dense_block_shift(const struct dense_block *b, int axis, int64_t by, double *share);

#define SIGNED_MOST 256 /* places along an axis whose order with signs is looked for */

/* Whether target place c along an axis is golden place from[c] times sign[c] (+1, -1, both of them occurring), for all
 * c. */
bool block_signed_order(const struct dense_block *b, int axis, int64_t *from, double *sign);

#endif
