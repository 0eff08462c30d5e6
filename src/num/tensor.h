/* One tensor inside a file: offset of its first element, element type, shape and strides. It is read in blocks in
 * logical (row-major) order, never held whole. Views (permute, reshape, slice) are other shapes and strides over the
 * same bytes. */
#ifndef NUM_TENSOR_H
#define NUM_TENSOR_H

#include <stdint.h>

#include "base/checksum_range.h"
#include "base/io.h"
#include "num/dtype.h"

#define TENSOR_DIMS 16

struct tensor {
    struct file file;
    uint64_t offset; /* bytes from the start of the file to element [0, 0, …] */
    enum dtype dtype;
    bool swap;       /* elements are big-endian */
    int ndim;
    int64_t shape[TENSOR_DIMS];
    int64_t stride[TENSOR_DIMS]; /* in elements */
    uint64_t numel;
    struct sealed sealed; /* the archive's member that it lies in, if that is still to be verified */
};

/* Fills strides for row-major order and numel from shape; -1 if the count overflows or a size is negative. `what`
 * names the file for the message. */
int tensor_pack(struct tensor *t, const char *what, struct err *e);
/* 0 if all elements are inside the file's bytes [from, to), otherwise -1. */
int tensor_check(const struct tensor *t, uint64_t from, uint64_t to, struct err *e);
void tensor_close(struct tensor *t);
bool tensor_packed(const struct tensor *t); /* logical order is storage order */
/* Axes reordered: axis i of the result is axis perm[i] of t. */
void tensor_permute(struct tensor *t, const int *perm);

/* Turns a complex tensor into a real one with one more axis of size two; all strides are doubled, the offset stays.
 * False if it is not complex or has TENSOR_DIMS axes already. */
bool tensor_part_complex(struct tensor *t);

/* An iteration over the elements. The walk owns the buffers. */
struct tensor_walk {
    const struct tensor *t;
    uint64_t at; /* elements returned so far */
    int ndim;    /* number of axes after merging */
    int64_t shape[TENSOR_DIMS], stride[TENSOR_DIMS], index[TENSOR_DIMS];
    struct walk_page *pages; /* cache for scattered elements */
    struct walk_slab *slab;  /* for long walks in another order than storage order (gather.h) */
};

void tensor_walk_init(struct tensor_walk *w, const struct tensor *t);
void tensor_walk_release(struct tensor_walk *w);
/* The next elements, at most n, as raw little-endian values of t->dtype in `out`; returns the count, 0 at the end, -1
 * on error. */
long tensor_walk_next(struct tensor_walk *w, void *out, size_t n, struct err *e);
/* Element `at` (logical, row-major) as dtype_to_f64() makes it; the walk stays where it is. */
int tensor_walk_value(struct tensor_walk *w, uint64_t at, double *out, struct err *e);
/* The next n elements as dtype_to_f64() makes them; a file that has fewer is an error. */
int tensor_walk_values(struct tensor_walk *w, double *out, size_t n, struct err *e);
/* Reads bytes of the file through the walk's cache, or directly if there are many. */
int walk_fetch(struct tensor_walk *w, uint64_t at, unsigned char *out, size_t n, struct err *e);
/* Continues at element `at` (logical, row-major). */
void tensor_walk_seek(struct tensor_walk *w, uint64_t at);

#endif
