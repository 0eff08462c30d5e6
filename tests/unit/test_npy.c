/* .npy headers of every version and dialect, and the ones that lie. */
#include "support.h"

#include "fmt/npy.h"

/* A file of version `major` with this header text and n bytes of data 0, 1, 2 …; opened as a tensor. */
static int npy(struct tensor *t, int major, const char *header, size_t n, struct err *e)
{
    struct buf path = {0};
    path_join(&path, scratch(), "x.npy");
    FILE *f = fopen(path.p, "wb");
    assert_non_null(f);
    size_t len = strlen(header);
    fwrite("\x93NUMPY", 1, 6, f);
    fputc(major, f);
    fputc(0, f);
    for (int i = 0; i < (major > 1 ? 4 : 2); i++)
        fputc((int)(len >> (8 * i) & 0xff), f);
    fwrite(header, 1, len, f);
    for (size_t i = 0; i < n; i++)
        fputc((int)(i & 0xff), f);
    fclose(f);
    *t = (struct tensor){0};
    memset(e, 0, sizeof *e);
    assert_int_equal(file_open(&t->file, path.p, e), 0);
    buf_release(&path);
    return npy_open(t, e);
}

static void good(struct tensor *t, const char *header, size_t n)
{
    struct err e;
    if (npy(t, 1, header, n, &e))
        fail_msg("%s: %s", header, e.text);
}

static void versions(void **state)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }           \n";
    (void)state;
    for (int major = 1; major <= 3; major++) {
        struct tensor t;
        struct err e;
        assert_int_equal(npy(&t, major, header, 24, &e), 0);
        assert_int_equal(t.dtype, DTYPE_F32);
        assert_int_equal(t.ndim, 2);
        assert_true(t.shape[0] == 2 && t.shape[1] == 3 && t.stride[0] == 3 && t.stride[1] == 1);
        assert_int_equal(t.numel, 6);
        assert_int_equal(t.offset, (major == 1 ? 10 : 12) + strlen(header));
        assert_false(t.swap);
        tensor_close(&t);
    }
    for (int major = 0; major <= 4; major += 4) {
        struct tensor t;
        struct err e;
        assert_int_equal(npy(&t, major, header, 24, &e), -1);
        assert_non_null(strstr(e.text, "NUMPY"));
        tensor_close(&t);
    }
}

/* An axis of a graph's own size, which MindSpore writes as −1: what the data has room for. */
static void axes_of_unknown_size(void **state)
{
    static const struct {
        const char *header;
        size_t bytes;
        int64_t rows; /* −1: it does not come out even, or is no size */
    } cases[] = {
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,2,), }", 48, 3},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 20, 5},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,2,), }", 0, 0},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,2,), }", 40, -1},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,-1,), }", 48, -1},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (-2,2,), }", 48, -1},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,0,), }", 48, -1},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (-12,2,), }", 48, -1},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tensor t;
        struct err e;
        int rc = npy(&t, 1, cases[i].header, cases[i].bytes, &e);
        if (rc != (cases[i].rows < 0 ? -1 : 0) || (!rc && t.shape[0] != cases[i].rows))
            fail_msg("case %zu: %d, %lld rows: %s", i, rc, (long long)t.shape[0], e.text);
        tensor_close(&t);
    }
}

static void element_types(void **state)
{
    static const struct {
        const char *descr;
        enum dtype d;
        bool swap;
    } cases[] = {
        {"<f2", DTYPE_F16, false}, {"<f4", DTYPE_F32, false},  {"<f8", DTYPE_F64, false}, {"|b1", DTYPE_BOOL, false},
        {"|i1", DTYPE_I8, false},  {"|u1", DTYPE_U8, false},   {"<i8", DTYPE_I64, false}, {"<u2", DTYPE_U16, false},
        {">f4", DTYPE_F32, true},  {">i8", DTYPE_I64, true},   {">f2", DTYPE_F16, true},  {"=i4", DTYPE_I32, false},
        {"<E2", DTYPE_BF16, false}, {"<T2", DTYPE_BF16, false}, {"|V2", DTYPE_BF16, false}, {"<V2", DTYPE_BF16, false},
        {"bfloat16", DTYPE_BF16, false}, {"f4", DTYPE_F32, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[100];
        struct tensor t;
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (3,), }\n", cases[i].descr);
        good(&t, header, 24);
        assert_int_equal(t.dtype, cases[i].d);
        assert_int_equal(t.swap, cases[i].swap);
        assert_int_equal(t.numel, 3);
        tensor_close(&t);
    }
}

/* What looks like a number's name and is none must not be read as one: long doubles, texts, dates, structures,
 * objects. */
static void types_not_read(void **state)
{
    static const char *const types[] = {"'<f16'", "'<U2'", "'|S2'", "'<M8[D]'", "'<m8[s]'", "'|O'", "'|V1'", "'<c32'",
                                        "[('a', '<i4'), ('b', '<f4', (2,))]"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        char header[200], inner[64];
        struct tensor t;
        struct err e;
        struct buf type = {0};
        size_t n = strlen(types[i]);
        bool quoted = types[i][0] == '\'';
        snprintf(inner, sizeof inner, "%.*s", (int)(quoted ? n - 2 : n), types[i] + quoted);
        snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': False, 'shape': (3,), }\n", types[i]);
        assert_int_equal(npy(&t, 1, header, 96, &e), -1);
        if (!strstr(e.text, inner))
            fail_msg("%s: %s", types[i], e.text);
        assert_int_equal(npy_open_at(&t, 0, t.file.size, &type, &e), 0);
        assert_int_equal(t.dtype, DTYPE_UNKNOWN);
        assert_int_equal(t.shape[0], 3);
        assert_string_equal(type.p, inner);
        buf_release(&type);
        tensor_close(&t);
    }
}

static void dialects(void **state)
{
    static const char *const headers[] = {
        "{'descr':'<f4','fortran_order':False,'shape':(3,4,)}",                /* MindSpore */
        "{\"shape\": (3, 4), \"fortran_order\": False, \"descr\": \"<f4\"}\n", /* other quotes, other order */
        "{'shape': (3L, 4L), 'fortran_order': False, 'descr': '<f4'}",         /* Python 2 */
        "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 3 , 4 ) }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,\n4), }",
    };
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct tensor t;
        good(&t, headers[i], 48);
        assert_true(t.ndim == 2 && t.shape[0] == 3 && t.shape[1] == 4);
        tensor_close(&t);
    }
}

static void scalars_and_empty(void **state)
{
    struct tensor t;
    struct err e;
    (void)state;
    good(&t, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8);
    assert_int_equal(t.ndim, 0);
    assert_int_equal(t.numel, 1);
    tensor_close(&t);
    assert_int_equal(npy(&t, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 7, &e), -1);
    tensor_close(&t);
    good(&t, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 0), }", 0);
    assert_int_equal(t.numel, 0);
    tensor_close(&t);
    good(&t, "{'descr': '<f8', 'fortran_order': True, 'shape': (), }", 8);
    assert_int_equal(t.numel, 1);
    tensor_close(&t);
}

static void fortran_order(void **state)
{
    struct tensor t;
    struct tensor_walk w;
    struct err e;
    unsigned char got[24];
    (void)state;
    good(&t, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }", 24);
    assert_true(t.stride[0] == 1 && t.stride[1] == 2 && t.stride[2] == 6);
    tensor_walk_init(&w, &t);
    assert_int_equal(tensor_walk_next(&w, got, 24, &e), 24);
    for (int i = 0; i < 24; i++)
        assert_int_equal(got[i], i / 12 + i / 4 % 3 * 2 + i % 4 * 6);
    tensor_walk_release(&w);
    tensor_close(&t);
}

/* A complex element is two reals behind each other, in Fortran order too. */
static void complex_elements(void **state)
{
    struct tensor t;
    (void)state;
    good(&t, "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }", 48);
    assert_int_equal(t.dtype, DTYPE_F32);
    assert_true(t.ndim == 3 && t.shape[2] == 2 && t.stride[2] == 1 && t.stride[1] == 2 && t.stride[0] == 6);
    tensor_close(&t);
    good(&t, "{'descr': '<c16', 'fortran_order': True, 'shape': (2, 3), }", 96);
    assert_int_equal(t.dtype, DTYPE_F64);
    assert_true(t.stride[2] == 1 && t.stride[0] == 2 && t.stride[1] == 4);
    assert_int_equal(t.numel, 12);
    tensor_close(&t);
}

static void headers_that_lie(void **state)
{
    static const char *const bad[] = {
        "",
        "{}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }x", /* more data than there is */
        "{'descr': '<f4', 'fortran_order': False}",
        "{'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (a,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U5', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "{'descr'",
        "{'shape'",
        "'shape':(",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tensor t;
        struct err e;
        if (npy(&t, 1, bad[i], 40, &e) == 0)
            fail_msg("taken: %s", bad[i]);
        assert_int_equal(e.code, ERR_DATA);
        assert_non_null(strstr(e.text, "x.npy"));
        tensor_close(&t);
    }
}

static void every_truncation_is_an_error(void **state)
{
    static const char file[] =
        "\x93NUMPY\1\0\x3e\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }    \n\0\0\0\0\0\0\0\0";
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/cut.npy", scratch());
    for (size_t n = 0; n < sizeof file; n++) {
        struct tensor t = {0};
        struct err e = {0};
        FILE *f = fopen(path, "wb");
        fwrite(file, 1, n, f);
        fclose(f);
        assert_int_equal(file_open(&t.file, path, &e), 0);
        bool whole = n == sizeof file - 1;
        assert_int_equal(npy_open(&t, &e), whole ? 0 : -1);
        if (!whole)
            assert_int_equal(e.code, ERR_DATA);
        tensor_close(&t);
    }
}

static void huge_header_lengths(void **state)
{
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/huge.npy", scratch());
    for (int i = 0; i < 2; i++) {
        struct tensor t = {0};
        struct err e = {0};
        FILE *f = fopen(path, "wb");
        fwrite(i ? "\x93NUMPY\2\0\xff\xff\xff\xff{}" : "\x93NUMPY\1\0\xff\xff{}", 1, i ? 14 : 12, f);
        fclose(f);
        assert_int_equal(file_open(&t.file, path, &e), 0);
        assert_int_equal(npy_open(&t, &e), -1);
        assert_int_equal(e.code, ERR_DATA);
        tensor_close(&t);
    }
}

/* The sizes multiply to nothing because one is 0; the strides of the others must not overflow. */
static void empty_with_huge_axes(void **state)
{
    static const char *const orders[] = {"False", "True"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char header[160];
        struct tensor t;
        struct err e;
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': %s, 'shape': (%s, %s, 0), }", orders[i],
                 "288230376151711744", "288230376151711744");
        if (npy(&t, 1, header, 8, &e) == 0)
            assert_int_equal(t.numel, 0);
        tensor_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions),         cmocka_unit_test(element_types), cmocka_unit_test(types_not_read),
        cmocka_unit_test(dialects),         cmocka_unit_test(scalars_and_empty),
        cmocka_unit_test(fortran_order),    cmocka_unit_test(complex_elements),
        cmocka_unit_test(axes_of_unknown_size),
        cmocka_unit_test(headers_that_lie), cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(huge_header_lengths), cmocka_unit_test(empty_with_huge_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
