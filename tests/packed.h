/* Single tensors in files, for tests of what is computed from their elements. */
#ifndef TESTS_PACKED_H
#define TESTS_PACKED_H

#include "support.h"

#include "num/figures.h"
#include "num/kern.h"
#include "num/tensor.h"

/* An open tensor of these bytes, packed, in a file of its own. */
static inline struct tensor packed(enum dtype d, int ndim, const int64_t *shape, const void *bytes)
{
    struct tensor t = {.dtype = d, .ndim = ndim};
    struct err e;
    if (ndim)
        memcpy(t.shape, shape, (size_t)ndim * sizeof *shape);
    assert_int_equal(tensor_pack(&t, "t", &e), 0);
    const char *path = put_bytes(scratch(), "t", bytes, t.numel * dtype_table[d].size);
    assert_int_equal(file_open(&t.file, path, &e), 0);
    assert_int_equal(tensor_check(&t, 0, t.file.size, &e), 0);
    return t;
}

/* The figures of two vectors of n float32 elements. */
static inline struct figures packed_figures(const float *t, const float *g, int64_t n)
{
    struct tensor a = packed(DTYPE_F32, 1, (const int64_t[]){n}, t), b = packed(DTYPE_F32, 1, (const int64_t[]){n}, g);
    struct figures f;
    struct err e;
    assert_int_equal(figures_two(kern_select(NULL), &a, &b, &f, NULL, &e), 0);
    tensor_close(&a);
    tensor_close(&b);
    return f;
}

#endif
