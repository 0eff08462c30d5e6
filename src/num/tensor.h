/* One tensor inside a file: where its first element lies, its element type, shape and strides.
 * It is read in blocks in logical (row-major) order, never held whole. Views (permute, reshape,
 * slice) are other shapes and strides over the same bytes. */
#ifndef NUM_TENSOR_H
#define NUM_TENSOR_H

#include <stdint.h>

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
};

/* Fills strides for row-major order and numel from shape; -1 when the count overflows or a size is
 * negative. `what` names the file for the message. */
int tensor_pack(struct tensor *t, const char *what, struct err *e);
/* Whether all elements lie inside the file's bytes [from, to). */
int tensor_check(const struct tensor *t, uint64_t from, uint64_t to, struct err *e);
void tensor_close(struct tensor *t);
bool tensor_packed(const struct tensor *t); /* logical order is storage order */
/* Axes reordered: axis i of the result is axis perm[i] of t. */
void tensor_permute(struct tensor *t, const int *perm);

/* A complex tensor as one of reals: one more axis of two, all strides doubled (the offset stays). False where it is not
 * complex, or has all the axes there can be. */
bool tensor_part_complex(struct tensor *t);

/* Walks the elements. The buffers belong to the walk. */
struct tensor_walk {
    const struct tensor *t;
    uint64_t at; /* elements handed out */
    int ndim;    /* of the merged axes */
    int64_t shape[TENSOR_DIMS], stride[TENSOR_DIMS], index[TENSOR_DIMS];
    struct walk_page *pages; /* cache for scattered elements */
    struct walk_slab *slab;  /* of a long walk in another order than storage's (gather.h) */
};

void tensor_walk_init(struct tensor_walk *w, const struct tensor *t);
void tensor_walk_release(struct tensor_walk *w);
/* The next elements, at most n, as raw little-endian values of t->dtype; the count, 0 at the end, -1
 * on error. `out` has room for n elements. */
long tensor_walk_next(struct tensor_walk *w, void *out, size_t n, struct err *e);
/* Bytes of the file through the walk's cache, or directly where there are many. */
int walk_fetch(struct tensor_walk *w, uint64_t at, unsigned char *out, size_t n, struct err *e);
/* Continues at element `at` (logical, row-major). */
void tensor_walk_seek(struct tensor_walk *w, uint64_t at);

#endif
