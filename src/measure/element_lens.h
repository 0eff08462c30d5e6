/* What the tensor view looks through: two tensors laid on each other as they were compared, or one alone, with the
 * axes they are shown by. Elements are addressed by their logical (row-major) index over those axes; nothing is held
 * but what a read asks for. Complex numbers are shown as pairs: one more axis of 2, real and imaginary. */
#ifndef MEASURE_ELEMENT_LENS_H
#define MEASURE_ELEMENT_LENS_H

#include "num/tensor.h"

#define LENS_RUN 16384u /* elements one read gives at most */

struct lens {
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
void lens_init(struct lens *l, struct tensor *target, struct tensor *golden);
void lens_release(struct lens *l); /* a zeroed one is fine */
uint64_t lens_index(const struct lens *l, const int64_t at[TENSOR_DIMS]);
void lens_place(const struct lens *l, uint64_t index, int64_t at[TENSOR_DIMS]);
void lens_place_text(const struct lens *l, uint64_t index, struct buf *out); /* "[1,2,3]"; appends */
/* How far apart two numbers are, in units of the spacing of the coarser type at g (integers: of 1). NaN and infinite
 * where a value is. */
double lens_ulp(const struct lens *l, double t, double g);

/* One element of each side that is there, as numbers and as stored. */
struct lens_element {
    double v[2];
    unsigned char raw[2][16];
};
int lens_element(const struct lens *l, uint64_t index, struct lens_element *out, struct err *e);
/* The value with all its digits: the shortest decimal that gives it back, float32 in its own type where no other type
 * stands beside it. Appends. */
void lens_text(const struct lens *l, int side, const struct lens_element *x, struct buf *out);

/* A plane: `outer` × `inner` elements at fixed places of the other axes, read in stretches of its own row-major order.
 * outer_axis -1: one row. The whole tensor in its order is lens_all(). */
struct lens_plane {
    uint64_t base;      /* logical index of its first element */
    uint64_t outer, inner;
    int outer_axis, inner_axis;
    bool all;
};

struct lens_plane lens_all(const struct lens *l);
static inline uint64_t lens_plane_numel(const struct lens_plane *p)
{
    return p->outer * p->inner;
}

struct lens_reader {
    const struct lens *l;
    struct lens_plane p;
    struct tensor part[2];      /* shares the files of l */
    struct tensor_walk w[2];
    unsigned char *raw;
    double *v[2];               /* values of the last read */
};

void lens_reader_init(struct lens_reader *r, const struct lens *l, const struct lens_plane *p);
void lens_reader_release(struct lens_reader *r);
void lens_reader_rest(struct lens_reader *r); /* gives back what it keeps of the files; reading goes on as before */
/* n ≤ LENS_RUN elements from `at` of the plane. */
int lens_read(struct lens_reader *r, uint64_t at, size_t n, struct err *e);
/* How a plane is best gone through: elements a read (few where each costs a page of the file), and how many such reads
 * in a row (many where the file is gathered a slab at a time). */
void lens_reader_pace(const struct lens_reader *r, size_t *run, size_t *row);

/* Stretches of a plane in an order that soon touches all of it, each once: rows of `row` stretches, jumping about. */
struct lens_sweep {
    uint64_t rows, next, stride; /* of rows */
    uint64_t done;               /* stretches */
    uint64_t numel;
    size_t run, row, in;         /* in: the next stretch of the row */
};

void lens_sweep_init(struct lens_sweep *s, uint64_t numel, size_t run, size_t row);
bool lens_sweep_take(struct lens_sweep *s, uint64_t *at, size_t *n); /* false: all were given */

#endif
