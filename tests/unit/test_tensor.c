/* Tensors inside files: shapes and strides that lie are refused, walks hand out logical order. */
#include "support.h"

#include <unistd.h>

#include "num/tensor.h"

/* A file of n 32-bit integers 0, 1, 2 … behind `head` bytes; opened into t. */
static void count_file(struct tensor *t, uint32_t n, size_t head)
{
    struct buf path = {0};
    struct err e;
    path_join(&path, scratch(), "t");
    FILE *f = fopen(path.p, "wb");
    assert_non_null(f);
    for (size_t i = 0; i < head; i++)
        fputc(0xee, f);
    for (uint32_t i = 0; i < n; i++)
        fwrite(&i, 4, 1, f);
    fclose(f);
    *t = (struct tensor){.dtype = DTYPE_I32, .offset = head};
    assert_int_equal(file_open(&t->file, path.p, &e), 0);
    buf_release(&path);
}

static void shape(struct tensor *t, int ndim, const int64_t *dim)
{
    struct err e;
    t->ndim = ndim;
    if (ndim)
        memcpy(t->shape, dim, (size_t)ndim * sizeof *dim);
    assert_int_equal(tensor_pack(t, "t", &e), 0);
}
#define SHAPE(t, ...)                                                                              \
    shape(t, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]){__VA_ARGS__})

static void packs(void **state)
{
    struct tensor t = {.dtype = DTYPE_F32};
    (void)state;
    SHAPE(&t, 2, 3, 4);
    assert_int_equal(t.numel, 24);
    assert_int_equal(t.stride[0], 12);
    assert_int_equal(t.stride[1], 4);
    assert_int_equal(t.stride[2], 1);
    assert_true(tensor_packed(&t));
    shape(&t, 0, NULL); /* a scalar */
    assert_int_equal(t.numel, 1);
    SHAPE(&t, 0, 5);
    assert_int_equal(t.numel, 0);
}

static int pack(int ndim, const int64_t *dim, struct err *e)
{
    struct tensor t = {.dtype = DTYPE_F32, .ndim = ndim};
    memset(e, 0, sizeof *e);
    memcpy(t.shape, dim, (size_t)ndim * sizeof *dim);
    return tensor_pack(&t, "NAME.npy", e);
}

static void impossible_shapes(void **state)
{
    static const int64_t bad[][4] = {
        {-1, 2, 3, 4},
        {2, INT64_MIN, 3, 4},
        {INT64_MAX, 2, 1, 1},
        {1LL << 31, 1LL << 31, 1LL << 31, 1LL << 31},
        {4294967296, 4294967296, 1, 1}, /* the product is 0 modulo 2^64 */
        {3, INT64_MAX, INT64_MAX, 1},
    };
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(pack(4, bad[i], &e), -1);
        assert_int_equal(e.code, ERR_DATA);
        assert_non_null(strstr(e.text, "NAME.npy"));
    }
    assert_int_equal(pack(4, (const int64_t[]){1LL << 40, 1LL << 15, 1, 1}, &e), 0);
    assert_int_equal(pack(4, (const int64_t[]){0, 1LL << 40, 1LL << 15, 1}, &e), 0);
}

static int check(struct tensor *t, struct err *e)
{
    memset(e, 0, sizeof *e);
    return tensor_check(t, t->offset, t->file.size, e);
}

static void elements_lie_in_the_file(void **state)
{
    struct tensor t;
    struct err e;
    (void)state;
    count_file(&t, 24, 5);
    SHAPE(&t, 2, 3, 4);
    assert_int_equal(check(&t, &e), 0);
    SHAPE(&t, 25);
    assert_int_equal(check(&t, &e), -1);
    assert_int_equal(e.code, ERR_DATA);
    assert_non_null(strstr(e.text, "25 elements"));
    SHAPE(&t, 24);
    t.offset++; /* the last one is cut */
    assert_int_equal(check(&t, &e), -1);
    t.offset = 4; /* before the data begins */
    assert_int_equal(tensor_check(&t, 5, t.file.size, &e), -1);
    t.offset = t.file.size + 100;
    assert_int_equal(tensor_check(&t, 5, t.file.size, &e), -1);
    t.offset = UINT64_MAX;
    assert_int_equal(tensor_check(&t, 5, t.file.size, &e), -1);
    SHAPE(&t, 7, 0); /* nothing to read: anywhere is fine */
    assert_int_equal(tensor_check(&t, 5, t.file.size, &e), 0);
    tensor_close(&t);
}

static void hostile_strides(void **state)
{
    static const struct {
        int64_t shape[3], stride[3];
        bool good;
    } cases[] = {
        {{2, 3, 4}, {12, 4, 1}, true},
        {{2, 3, 4}, {0, 0, 0}, true}, /* expanded: one element everywhere */
        {{2, 3, 4}, {1, 2, 6}, true},
        {{1, 1, 24}, {INT64_MAX, INT64_MAX, 1}, true}, /* axes of one step go nowhere */
        {{2, 3, 4}, {13, 4, 1}, false},
        {{2, 3, 4}, {12, 4, -1}, false},
        {{2, 3, 4}, {INT64_MIN, 4, 1}, false},
        {{2, 3, 4}, {INT64_MAX, 4, 1}, false},
        {{2, 2, 2}, {INT64_MAX, INT64_MAX, 2}, false}, /* the sum wraps round */
        {{3, 2, 2}, {INT64_MAX / 2 + 1, 0, 0}, false}, /* so does the product */
        {{5, 5, 5}, {1LL << 62, 1LL << 62, 1LL << 62}, false},
        {{1LL << 40, 1, 1}, {1LL << 24, 1, 1}, false},
        {{25, 1, 1}, {1, 1, 1}, false},
        {{24, 1, 1}, {1, 1, 1}, true},
        {{2, 1, 1}, {23, 1, 1}, true},
        {{2, 1, 1}, {24, 1, 1}, false},
    };
    struct tensor t;
    struct err e;
    (void)state;
    count_file(&t, 24, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t.ndim = 3;
        t.numel = 1;
        for (int k = 0; k < 3; k++) {
            t.shape[k] = cases[i].shape[k];
            t.stride[k] = cases[i].stride[k];
            t.numel *= (uint64_t)t.shape[k];
        }
        assert_int_equal(check(&t, &e), cases[i].good ? 0 : -1);
    }
    tensor_close(&t);
}

/* A reader that could not tell the type must get an error of it, not a division by zero. */
static void unknown_types_are_refused(void **state)
{
    struct tensor t;
    struct err e;
    (void)state;
    count_file(&t, 24, 0);
    SHAPE(&t, 2, 3);
    t.dtype = DTYPE_UNKNOWN;
    assert_int_equal(check(&t, &e), -1);
    tensor_close(&t);
}

/* Element at a logical index, by definition. */
static uint32_t at_index(const struct tensor *t, uint64_t i)
{
    uint64_t where = (t->offset - t->offset % 4) / 4;
    for (int k = t->ndim - 1; k >= 0; k--) {
        where += i % (uint64_t)t->shape[k] * (uint64_t)t->stride[k];
        i /= (uint64_t)t->shape[k];
    }
    return (uint32_t)where;
}

static void walk_in_chunks(const struct tensor *t, size_t chunk)
{
    struct tensor_walk w;
    struct err e;
    uint32_t *got = calloc(chunk, 4);
    uint64_t at = 0;
    long n;
    tensor_walk_init(&w, t);
    while ((n = tensor_walk_next(&w, got, chunk, &e)) > 0) {
        assert_true((size_t)n <= chunk);
        for (long i = 0; i < n; i++, at++)
            assert_int_equal(got[i], at_index(t, at));
    }
    assert_int_equal(n, 0);
    assert_int_equal(at, t->numel);
    assert_int_equal(tensor_walk_next(&w, got, chunk, &e), 0);
    tensor_walk_release(&w);
    free(got);
}

static void seek_everywhere(const struct tensor *t, uint64_t by)
{
    struct tensor_walk w;
    struct err e;
    uint32_t got[3];
    tensor_walk_init(&w, t);
    for (uint64_t k = 0; k <= t->numel; k += by) {
        uint64_t at = k * 7919 % (t->numel + 1);
        tensor_walk_seek(&w, at);
        long n = tensor_walk_next(&w, got, 3, &e);
        assert_int_equal(n, t->numel - at < 3 ? t->numel - at : 3);
        for (long i = 0; i < n; i++)
            assert_int_equal(got[i], at_index(t, at + (uint64_t)i));
    }
    tensor_walk_release(&w);
}

static void walks(void **state)
{
    static const int perms[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 2, 1, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}};
    struct tensor t;
    (void)state;
    count_file(&t, 5 * 6 * 7 * 8, 0);
    for (size_t p = 0; p < sizeof perms / sizeof *perms; p++) {
        SHAPE(&t, 5, 6, 7, 8);
        tensor_permute(&t, perms[p]);
        for (int i = 0; i < 4; i++)
            assert_int_equal(t.shape[i], perms[p][i] + 5);
        assert_int_equal(tensor_packed(&t), p == 0);
        for (size_t chunk = 1; chunk < 400; chunk = chunk * 3 + 1)
            walk_in_chunks(&t, chunk);
        walk_in_chunks(&t, 5000);
        seek_everywhere(&t, 13);
    }
    tensor_close(&t);
}

static void walks_odd_layouts(void **state)
{
    struct tensor t;
    (void)state;
    count_file(&t, 4096, 0);
    t.ndim = 3; /* every other column of a slice that begins at 100 */
    t.offset = 100 * 4;
    for (int i = 0; i < 3; i++) {
        t.shape[i] = (const int64_t[]){4, 1, 9}[i];
        t.stride[i] = (const int64_t[]){50, 12345, 2}[i];
    }
    t.numel = 36;
    walk_in_chunks(&t, 5);
    seek_everywhere(&t, 1);
    t.shape[1] = 3; /* expanded along an axis */
    t.stride[1] = 0;
    t.numel = 108;
    assert_false(tensor_packed(&t));
    walk_in_chunks(&t, 7);
    seek_everywhere(&t, 1);
    shape(&t, 0, NULL);
    walk_in_chunks(&t, 7);
    SHAPE(&t, 1, 1);
    walk_in_chunks(&t, 1);
    SHAPE(&t, 3, 0);
    walk_in_chunks(&t, 4);
    tensor_close(&t);
}

/* Scattered elements of a file of many pages, at an offset that makes elements straddle them. */
static void walks_across_pages(void **state)
{
    struct tensor t;
    struct tensor_walk w;
    struct err e;
    uint32_t got[64];
    (void)state;
    count_file(&t, 300 * 400, 3);
    SHAPE(&t, 300, 400);
    tensor_permute(&t, (const int[]){1, 0});
    tensor_walk_init(&w, &t);
    for (uint32_t i = 0; i < 300 * 400; i += 64) {
        uint32_t n = 300 * 400 - i < 64 ? 300 * 400 - i : 64;
        assert_int_equal(tensor_walk_next(&w, got, 64, &e), n);
        for (uint32_t k = 0; k < n; k++)
            assert_int_equal(got[k], (i + k) % 300 * 400 + (i + k) / 300);
    }
    tensor_walk_release(&w);
    tensor_close(&t);
}

/* Long walks gather slabs: they hand out what short ones do, from wherever they begin, for elements of every size. */
static void long_walks_gather(void **state)
{
    static const int perms[][3] = {{2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}};
    static const enum dtype types[] = {DTYPE_U32, DTYPE_U16, DTYPE_I8, DTYPE_F64, DTYPE_C128};
    static unsigned char some[70000 * 16], few[70000 * 16];
    enum { A = 131, B = 173, C = 211 };
    struct tensor t;
    struct err e;
    (void)state;
    count_file(&t, A * B * C, 3); /* 18 MB: more than a slab */
    for (size_t p = 0; p < sizeof perms / sizeof *perms; p++) {
        SHAPE(&t, A, B, C);
        tensor_permute(&t, perms[p]);
        walk_in_chunks(&t, 65536);
        for (size_t d = 0; d < sizeof types / sizeof *types; d++) {
            size_t size = dtype_table[types[d]].size;
            struct tensor v = t;
            v.dtype = types[d];
            for (int half = 0; half < 2; half++) { /* and every second element of each axis, of what fits the file */
                struct tensor_walk w, x;
                SHAPE(&v, A / 4, B / 2 + 1, C / 2);
                for (int i = 0; i < 3; i++)
                    v.stride[i] *= half ? 2 : 1;
                if (half)
                    v.shape[0] /= 3;
                v.numel = (uint64_t)(v.shape[0] * v.shape[1] * v.shape[2]);
                tensor_permute(&v, perms[p]);
                tensor_walk_init(&w, &v);
                tensor_walk_init(&x, &v);
                for (uint64_t at = v.numel / 3; at < v.numel; at += 90001) {
                    tensor_walk_seek(&w, at);
                    tensor_walk_seek(&x, at);
                    long n = tensor_walk_next(&w, some, 70000, &e);
                    assert_true(n > 0);
                    for (long i = 0, part; i < n; i += part) {
                        part = tensor_walk_next(&x, few + (size_t)i * size, n - i < 1000 ? (size_t)(n - i) : 1000, &e);
                        assert_true(part > 0);
                    }
                    assert_memory_equal(some, few, (size_t)n * size);
                }
                tensor_walk_release(&w);
                tensor_walk_release(&x);
            }
        }
    }
    SHAPE(&t, A, B, C);
    tensor_permute(&t, perms[0]);
    assert_int_equal(truncate(t.file.name, 8000000), 0);
    struct tensor_walk w;
    tensor_walk_init(&w, &t);
    assert_int_equal(tensor_walk_next(&w, some, 70000, &e), -1);
    assert_int_equal(e.code, ERR_DATA);
    tensor_walk_release(&w);
    tensor_close(&t);
}

static void swaps_big_endian(void **state)
{
    struct tensor t;
    struct tensor_walk w;
    struct err e;
    uint32_t got[24];
    uint16_t half[48];
    (void)state;
    count_file(&t, 24, 0);
    t.swap = true;
    SHAPE(&t, 24);
    tensor_walk_init(&w, &t);
    assert_int_equal(tensor_walk_next(&w, got, 24, &e), 24);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(got[i], i << 24);
    tensor_walk_release(&w);
    t.dtype = DTYPE_U16;
    SHAPE(&t, 24, 2);
    tensor_permute(&t, (const int[]){1, 0});
    tensor_walk_init(&w, &t);
    assert_int_equal(tensor_walk_next(&w, half, 48, &e), 48);
    for (int i = 0; i < 24; i++) {
        assert_int_equal(half[i], i << 8);
        assert_int_equal(half[24 + i], 0);
    }
    tensor_walk_release(&w);
    tensor_close(&t);
}

/* The file shrinks after it was opened and checked. */
static void a_file_that_shrinks(void **state)
{
    struct tensor t;
    struct tensor_walk w;
    struct err e = {0};
    uint32_t got[4096];
    (void)state;
    count_file(&t, 4096, 0);
    SHAPE(&t, 64, 64);
    assert_int_equal(truncate(t.file.name, 8000), 0);
    tensor_walk_init(&w, &t);
    assert_int_equal(tensor_walk_next(&w, got, 4096, &e), -1);
    assert_int_equal(e.code, ERR_DATA);
    tensor_walk_release(&w);
    tensor_permute(&t, (const int[]){1, 0});
    tensor_walk_init(&w, &t);
    assert_int_equal(tensor_walk_next(&w, got, 4096, &e), -1);
    assert_non_null(strstr(e.text, "longer before"));
    tensor_walk_release(&w);
    tensor_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs),
        cmocka_unit_test(impossible_shapes),
        cmocka_unit_test(elements_lie_in_the_file),
        cmocka_unit_test(hostile_strides),
        cmocka_unit_test(walks),
        cmocka_unit_test(walks_odd_layouts),
        cmocka_unit_test(walks_across_pages),
        cmocka_unit_test(long_walks_gather),
        cmocka_unit_test(swaps_big_endian),
        cmocka_unit_test(a_file_that_shrinks),
        cmocka_unit_test(unknown_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
