/* Tensors saved by torch.save, built here member by member: views into storages, every element type,
 * wrappers, and archives that are cut, compressed or say what is not so. */
#include "support.h"

#include <zlib.h>

#include "fmt/pt.h"
#include "fmt/zip.h"

/* ---- an archive ---- */

struct archive {
    struct buf body, directory;
    int members;
};

static void little(struct buf *b, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_char(b, (char)(v >> (8 * i)));
}

static void header(struct buf *b, int method, struct str data, size_t packed, const char *name)
{
    little(b, (uint64_t)method, 2);
    little(b, 0, 4); /* time, date */
    little(b, crc32(0, (const Bytef *)data.p, (uInt)data.n), 4);
    little(b, packed, 4);
    little(b, data.n, 4);
    little(b, strlen(name), 2);
    little(b, 0, 2);
}

static void member(struct archive *z, const char *name, struct str data, bool deflated)
{
    struct str packed = data;
    Bytef out[65536];
    if (deflated) {
        z_stream s = {.next_in = (Bytef *)(uintptr_t)data.p, .next_out = out, .avail_out = sizeof out};
        s.avail_in = (uInt)data.n;
        assert_int_equal(deflateInit2(&s, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
        packed = str_n((const char *)out, s.total_out);
        deflateEnd(&s);
    }
    size_t at = z->body.n;
    little(&z->body, 0x04034b50, 4);
    little(&z->body, 20, 2);
    little(&z->body, 0, 2);
    header(&z->body, deflated ? 8 : 0, data, packed.n, name);
    buf_cstr(&z->body, name);
    buf_str(&z->body, packed);
    little(&z->directory, 0x02014b50, 4);
    little(&z->directory, 20, 2);
    little(&z->directory, 20, 2);
    little(&z->directory, 0, 2);
    header(&z->directory, deflated ? 8 : 0, data, packed.n, name);
    little(&z->directory, 0, 2); /* comment, disk, attributes */
    little(&z->directory, 0, 2);
    little(&z->directory, 0, 2);
    little(&z->directory, 0, 4);
    little(&z->directory, at, 4);
    buf_cstr(&z->directory, name);
    z->members++;
}

static void finish(struct archive *z)
{
    size_t at = z->body.n;
    buf_str(&z->body, buf_view(&z->directory));
    little(&z->body, 0x06054b50, 4);
    little(&z->body, 0, 4);
    little(&z->body, (uint64_t)z->members, 2);
    little(&z->body, (uint64_t)z->members, 2);
    little(&z->body, z->directory.n, 4);
    little(&z->body, at, 4);
    little(&z->body, 0, 2);
    buf_release(&z->directory);
}

static int opened(struct tensor *t, struct str bytes, struct err *e)
{
    static const char *dir;
    if (!dir)
        dir = scratch();
    *t = (struct tensor){0};
    memset(e, 0, sizeof *e);
    return file_open(&t->file, put_bytes(dir, "x.pt", bytes.p, bytes.n), e);
}

/* ---- a tensor's pickle ---- */

struct spec {
    const char *storage; /* class of torch, "FloatStorage" */
    int64_t first;
    int ndim;
    int64_t size[TENSOR_DIMS], stride[TENSOR_DIMS];
    const char *rebuild;  /* NULL: _rebuild_tensor_v2 */
    const char *dtype;    /* of _rebuild_tensor_v3 */
    bool parameter;       /* wrapped in _rebuild_parameter */
    bool list;            /* sizes as a list */
    bool called;          /* sizes as torch.Size(tuple) */
    const char *order;    /* content of the member byteorder, or NULL */
};

static void number(struct buf *b, int64_t v)
{
    buf_cstr(b, "\x8a\x08");
    little(b, (uint64_t)v, 8);
}

static void text(struct buf *b, const char *s)
{
    buf_char(b, 'X');
    little(b, strlen(s), 4);
    buf_cstr(b, s);
}

static void sizes(struct buf *b, const int64_t *v, int n, bool list)
{
    buf_char(b, '(');
    for (int i = 0; i < n; i++)
        number(b, v[i]);
    buf_char(b, list ? 'l' : 't');
}

static void pickled(struct buf *b, const struct spec *s)
{
    buf_cstr(b, "\x80\x02");
    if (s->parameter)
        buf_cstr(b, "ctorch._utils\n_rebuild_parameter\n(");
    buf_fmt(b, "ctorch._utils\n%s\n(", s->rebuild ? s->rebuild : "_rebuild_tensor_v2");
    buf_char(b, '(');
    text(b, "storage");
    buf_fmt(b, "ctorch\n%s\n", s->storage);
    text(b, "0");
    text(b, "cpu");
    number(b, 64);
    buf_cstr(b, "tQ");
    number(b, s->first);
    if (s->called)
        buf_cstr(b, "ctorch\nSize\n(");
    sizes(b, s->size, s->ndim, s->list);
    if (s->called)
        buf_cstr(b, "tR");
    sizes(b, s->stride, s->ndim, false);
    buf_cstr(b, "\x89"
                "ccollections\nOrderedDict\n)R");
    if (s->dtype)
        buf_fmt(b, "ctorch\n%s\n", s->dtype);
    buf_cstr(b, "tR");
    if (s->parameter)
        buf_cstr(b, "\x88"
                    "ccollections\nOrderedDict\n)RtR");
    buf_char(b, '.');
}

/* An archive of the tensor over a storage of n bytes 0, 1, 2 … */
static struct buf saved(const struct spec *s, size_t n)
{
    struct archive z = {{0}, {0}, 0};
    struct buf pkl = {0}, data = {0};
    pickled(&pkl, s);
    for (size_t i = 0; i < n; i++)
        buf_char(&data, (char)i);
    member(&z, "archive/data.pkl", buf_view(&pkl), false);
    if (s->order)
        member(&z, "archive/byteorder", str_of(s->order), false);
    member(&z, "archive/data/0", buf_view(&data), false);
    member(&z, "archive/version", STR("3\n"), false);
    finish(&z);
    buf_release(&pkl);
    buf_release(&data);
    return z.body;
}

static int open_spec(struct tensor *t, const struct spec *s, size_t n, struct err *e)
{
    struct buf file = saved(s, n);
    assert_int_equal(opened(t, buf_view(&file), e), 0);
    buf_release(&file);
    return pt_open(t, e);
}

/* The first byte of each element in logical order. */
static void check_bytes(const struct tensor *t, const unsigned char *want, size_t n)
{
    struct tensor_walk w;
    struct err e;
    size_t size = dtype_table[t->dtype].size;
    unsigned char got[64 * 8];
    tensor_walk_init(&w, t);
    assert_int_equal(tensor_walk_next(&w, got, 64, &e), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(got[i * size], want[i]);
    tensor_walk_release(&w);
}

static void dense(void **state)
{
    struct spec s = {.storage = "FloatStorage", .ndim = 2, .size = {2, 3}, .stride = {3, 1}};
    struct tensor t;
    struct err e;
    (void)state;
    assert_int_equal(open_spec(&t, &s, 24, &e), 0);
    assert_int_equal(t.dtype, DTYPE_F32);
    assert_true(t.ndim == 2 && t.shape[0] == 2 && t.shape[1] == 3 && t.numel == 6 && !t.swap);
    check_bytes(&t, (const unsigned char[]){0, 4, 8, 12, 16, 20}, 6);
    tensor_close(&t);
}

/* A transposed slice of a larger storage, as activations often are. */
static void views(void **state)
{
    struct spec s = {.storage = "ShortStorage", .first = 5, .ndim = 2, .size = {3, 2}, .stride = {1, 10}};
    struct tensor t;
    struct err e;
    (void)state;
    assert_int_equal(open_spec(&t, &s, 100, &e), 0);
    check_bytes(&t, (const unsigned char[]){10, 30, 12, 32, 14, 34}, 6);
    tensor_close(&t);
    s = (struct spec){.storage = "ByteStorage", .first = 7, .ndim = 3, .size = {2, 2, 2}, .stride = {0, 1, 0}};
    assert_int_equal(open_spec(&t, &s, 9, &e), 0); /* expanded twice */
    check_bytes(&t, (const unsigned char[]){7, 7, 8, 8, 7, 7, 8, 8}, 8);
    tensor_close(&t);
    s = (struct spec){.storage = "ByteStorage", .first = 8};
    assert_int_equal(open_spec(&t, &s, 9, &e), 0); /* 0-d */
    assert_true(t.ndim == 0 && t.numel == 1);
    check_bytes(&t, (const unsigned char[]){8}, 1);
    tensor_close(&t);
    s = (struct spec){.storage = "FloatStorage", .ndim = 2, .size = {0, 4}, .stride = {4, 1}};
    assert_int_equal(open_spec(&t, &s, 0, &e), 0); /* empty */
    assert_int_equal(t.numel, 0);
    tensor_close(&t);
}

static void element_types(void **state)
{
    static const struct {
        const char *storage;
        enum dtype d;
    } cases[] = {
        {"DoubleStorage", DTYPE_F64},    {"FloatStorage", DTYPE_F32}, {"HalfStorage", DTYPE_F16},
        {"BFloat16Storage", DTYPE_BF16}, {"LongStorage", DTYPE_I64},  {"IntStorage", DTYPE_I32},
        {"ShortStorage", DTYPE_I16},     {"CharStorage", DTYPE_I8},   {"ByteStorage", DTYPE_U8},
        {"BoolStorage", DTYPE_BOOL},
    };
    struct tensor t;
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spec s = {.storage = cases[i].storage, .ndim = 1, .size = {3}, .stride = {1}};
        assert_int_equal(open_spec(&t, &s, 24, &e), 0);
        assert_int_equal(t.dtype, cases[i].d);
        tensor_close(&t);
    }
    struct spec s = {.storage = "QInt8Storage", .ndim = 1, .size = {3}, .stride = {1}};
    assert_int_equal(open_spec(&t, &s, 24, &e), -1);
    assert_non_null(strstr(e.text, "type qint8"));
    tensor_close(&t);
    s = (struct spec){.storage = "UntypedStorage", .ndim = 1, .size = {3}, .stride = {1},
                      .rebuild = "_rebuild_tensor_v3", .dtype = "float8_e4m3fn"};
    assert_int_equal(open_spec(&t, &s, 24, &e), 0);
    assert_int_equal(t.dtype, DTYPE_F8E4M3);
    tensor_close(&t);
}

static void complex_elements(void **state)
{
    struct spec s = {.storage = "ComplexFloatStorage", .first = 1, .ndim = 2, .size = {2, 2}};
    struct tensor t;
    struct err e;
    (void)state;
    s.stride[0] = 1;
    s.stride[1] = 2;
    assert_int_equal(open_spec(&t, &s, 64, &e), 0);
    assert_true(t.dtype == DTYPE_F32 && t.ndim == 3 && t.shape[2] == 2 && t.numel == 8);
    check_bytes(&t, (const unsigned char[]){8, 12, 24, 28, 16, 20, 32, 36}, 8);
    tensor_close(&t);
}

static void byte_orders(void **state)
{
    struct spec s = {.storage = "FloatStorage", .ndim = 1, .size = {3}, .stride = {1}, .order = "big"};
    struct tensor t;
    struct err e;
    (void)state;
    assert_int_equal(open_spec(&t, &s, 12, &e), 0);
    assert_true(t.swap);
    check_bytes(&t, (const unsigned char[]){3, 7, 11}, 3);
    tensor_close(&t);
    s.order = "little";
    assert_int_equal(open_spec(&t, &s, 12, &e), 0);
    assert_false(t.swap);
    tensor_close(&t);
}

static void parameters(void **state)
{
    struct spec s = {.storage = "HalfStorage", .ndim = 1, .size = {4}, .stride = {1}, .parameter = true};
    struct tensor t;
    struct err e;
    (void)state;
    assert_int_equal(open_spec(&t, &s, 8, &e), 0);
    assert_true(t.dtype == DTYPE_F16 && t.numel == 4);
    tensor_close(&t);
}

/* A tensor that is listed and not read has its sizes, as torch.Size among its arguments. */
static void sizes_of_a_meta_tensor(void **state)
{
    const struct spec meta = {.storage = "FloatStorage", .ndim = 2, .size = {3, 5}, .stride = {5, 1}, .called = true,
                              .rebuild = "_rebuild_meta_tensor_no_storage"};
    struct tensor t;
    struct err e;
    (void)state;
    assert_int_equal(open_spec(&t, &meta, 24, &e), -1);
    assert_non_null(strstr(e.text, "meta"));
    assert_int_equal(t.ndim, 2);
    assert_true(t.shape[0] == 3 && t.shape[1] == 5);
    tensor_close(&t);
}

static void layouts_that_lie(void **state)
{
    static const struct spec bad[] = {
        {.storage = "FloatStorage", .ndim = 1, .size = {7}, .stride = {1}}, /* one more than there are */
        {.storage = "FloatStorage", .ndim = 1, .size = {2}, .stride = {6}},
        {.storage = "FloatStorage", .first = 6, .ndim = 1, .size = {1}, .stride = {1}},
        {.storage = "FloatStorage", .first = -1, .ndim = 1, .size = {1}, .stride = {1}},
        {.storage = "FloatStorage", .first = INT64_MAX, .ndim = 1, .size = {1}, .stride = {1}},
        {.storage = "FloatStorage", .ndim = 1, .size = {3}, .stride = {-1}},
        {.storage = "FloatStorage", .ndim = 1, .size = {-3}, .stride = {1}},
        {.storage = "FloatStorage", .ndim = 1, .size = {INT64_MAX}, .stride = {1}},
        {.storage = "FloatStorage", .ndim = 2, .size = {2, 2}, .stride = {INT64_MAX, 1}},
        {.storage = "FloatStorage", .ndim = 2, .size = {2, 2}, .stride = {1LL << 61, 1LL << 61}},
        {.storage = "FloatStorage", .ndim = 2, .size = {4294967296, 4294967296}, .stride = {0, 0}},
        {.storage = "ComplexFloatStorage", .ndim = 1, .size = {4}, .stride = {1}},
        {.storage = "FloatStorage", .ndim = 16, .size = {1}, .stride = {1}},
        {.storage = "FloatStorage", .ndim = 1, .size = {3}, .stride = {1}, .list = true},
        {.storage = "FloatStorage", .ndim = 1, .size = {3}, .stride = {1}, .rebuild = "load_url"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tensor t;
        struct err e;
        if (open_spec(&t, &bad[i], 24, &e) == 0)
            fail_msg("layout %zu was taken", i);
        assert_int_equal(e.code, ERR_DATA);
        assert_non_null(strstr(e.text, "x.pt"));
        tensor_close(&t);
    }
}

static int open_archive(struct archive *z, struct err *e)
{
    struct tensor t;
    finish(z);
    assert_int_equal(opened(&t, buf_view(&z->body), e), 0);
    int rc = pt_open(&t, e);
    tensor_close(&t);
    buf_release(&z->body);
    return rc;
}

static void archives_without(void **state)
{
    struct spec s = {.storage = "FloatStorage", .ndim = 1, .size = {3}, .stride = {1}};
    struct buf pkl = {0};
    struct err e;
    (void)state;
    pickled(&pkl, &s);
    struct archive z = {{0}, {0}, 0};
    member(&z, "archive/version", STR("3"), false);
    assert_int_equal(open_archive(&z, &e), -1);
    assert_non_null(strstr(e.text, "data.pkl"));
    z = (struct archive){{0}, {0}, 0};
    member(&z, "archive/data.pkl", buf_view(&pkl), false);
    assert_int_equal(open_archive(&z, &e), -1);
    assert_non_null(strstr(e.text, "archive/data/0"));
    z = (struct archive){{0}, {0}, 0};
    member(&z, "archive/data.pkl", buf_view(&pkl), true); /* a compressed pickle is fine */
    member(&z, "archive/data/0", STR("0123456789abcdef"), false);
    assert_int_equal(open_archive(&z, &e), 0);
    z = (struct archive){{0}, {0}, 0};
    member(&z, "archive/data.pkl", buf_view(&pkl), false);
    member(&z, "archive/data/0", STR("0123456789abcdef0123456789abcdef"), true);
    assert_int_equal(open_archive(&z, &e), -1);
    assert_non_null(strstr(e.text, "compressed"));
    z = (struct archive){{0}, {0}, 0};
    member(&z, "archive/data.pkl", STR("cos\nsystem\n(S'true'\ntR."), false);
    member(&z, "archive/data/0", STR("0123456789abcdef"), false);
    assert_int_equal(open_archive(&z, &e), -1);
    assert_non_null(strstr(e.text, "one tensor"));
    z = (struct archive){{0}, {0}, 0};
    member(&z, "archive/data.pkl", STR("]q\0."), false);
    assert_int_equal(open_archive(&z, &e), -1);
    buf_release(&pkl);
}

/* A cut in the archive's last records (22 bytes, 98 of a zip64 one) may leave all that is needed; then
 * no element is missing or wrong. */
static void check_cut(struct str whole, size_t n, size_t last, const unsigned char *want, size_t elements)
{
    struct tensor t;
    struct err e;
    assert_int_equal(opened(&t, str_n(whole.p, n), &e), 0);
    if (pt_open(&t, &e) == 0) {
        if (n + last < whole.n)
            fail_msg("%zu of %zu bytes were taken for a tensor", n, whole.n);
        check_bytes(&t, want, elements);
    } else {
        assert_int_equal(e.code, ERR_DATA);
    }
    tensor_close(&t);
}

static void truncations_and_changes(void **state)
{
    struct spec s = {.storage = "FloatStorage", .ndim = 2, .size = {3, 2}, .stride = {1, 3}};
    struct buf file = saved(&s, 24);
    struct tensor t;
    struct err e;
    (void)state;
    for (size_t n = 0; n < file.n; n++)
        check_cut(buf_view(&file), n, 22, (const unsigned char[]){0, 12, 4, 16, 8, 20}, 6);
    static const unsigned char change[] = {0xff, 0x80, 0x01};
    for (size_t at = 0; at < file.n; at++)
        for (int i = 0; i < 3; i++) {
            file.p[at] = (char)(file.p[at] ^ change[i]);
            assert_int_equal(opened(&t, buf_view(&file), &e), 0);
            if (pt_open(&t, &e) == 0) { /* then every element can be read */
                unsigned char raw[64 * 16];
                struct tensor_walk w;
                tensor_walk_init(&w, &t);
                long n = tensor_walk_next(&w, raw, 64, &e);
                assert_int_equal(n, t.numel < 64 ? t.numel : 64);
                tensor_walk_release(&w);
            }
            tensor_close(&t);
            file.p[at] = (char)(file.p[at] ^ change[i]);
        }
    buf_release(&file);
}

/* ---- the archive itself ---- */

static void zip_members(void **state)
{
    struct archive a = {{0}, {0}, 0};
    struct zip_member m;
    struct buf name = {0}, out = {0}, text_in = {0};
    struct tensor t;
    struct err e = {0};
    (void)state;
    for (int i = 0; i < 20000; i++)
        buf_fmt(&text_in, "line %d\n", i % 50);
    member(&a, "one/x", STR("first"), false);
    member(&a, "one/packed.txt", buf_view(&text_in), true);
    member(&a, "two/x", STR(""), false);
    finish(&a);
    assert_int_equal(opened(&t, buf_view(&a.body), &e), 0);
    struct zip *z = zip_open(&t.file, &e);
    assert_non_null(z);
    assert_int_equal(zip_find(z, "one/x", &m, &e), 1);
    assert_true(m.stored && m.size == 5 && memcmp(a.body.p + m.offset, "first", 5) == 0);
    assert_int_equal(zip_read(&t.file, &m, 5, &out, &e), 0);
    assert_string_equal(out.p, "first");
    assert_int_equal(zip_read(&t.file, &m, 4, &out, &e), -1);
    assert_int_equal(zip_find(z, "one/y", &m, &e), 0);
    assert_int_equal(zip_find(z, "ONE/X", &m, &e), 0);
    assert_int_equal(zip_find_suffix(z, "/x", &m, &name, &e), 1);
    assert_string_equal(name.p, "one/x");
    assert_int_equal(zip_find_suffix(z, ".none", &m, &name, &e), 0);
    buf_clear(&out);
    assert_int_equal(zip_find(z, "one/packed.txt", &m, &e), 1);
    assert_false(m.stored);
    assert_int_equal(zip_read(&t.file, &m, 1 << 20, &out, &e), 0);
    assert_true(str_eq(buf_view(&out), buf_view(&text_in)));
    assert_int_equal(zip_find(z, "two/x", &m, &e), 1);
    assert_int_equal(m.size, 0);
    zip_close(z);
    zip_close(NULL);
    tensor_close(&t);
    buf_release(&a.body);
    buf_release(&name);
    buf_release(&out);
    buf_release(&text_in);
}

static void not_an_archive(void **state)
{
    struct tensor t;
    struct err e = {0};
    (void)state;
    assert_int_equal(opened(&t, STR("PK\3\4 but no more"), &e), 0);
    assert_null(zip_open(&t.file, &e));
    assert_non_null(strstr(e.text, "incomplete zip archive"));
    tensor_close(&t);
}

/* A file of torch.save itself. */
static void a_file_of_torch(void **state)
{
    const char *path = sample("tt_rope/target/step0/rank0/dump_tensor_data/"
                              "Torch.outer.0.forward.input.1.pt");
    struct tensor t = {0};
    struct err e = {0};
    struct buf whole = {0};
    (void)state;
    assert_int_equal(file_open(&t.file, path, &e), 0);
    if (pt_open(&t, &e))
        fail_msg("%s", e.text);
    assert_true(t.dtype == DTYPE_F32 && t.ndim == 1 && t.numel == 4);
    float v[4];
    struct tensor_walk w;
    tensor_walk_init(&w, &t);
    assert_int_equal(tensor_walk_next(&w, v, 4, &e), 4);
    tensor_walk_release(&w);
    assert_true(v[0] == 1.0f && v[1] < v[0] && v[3] > 0); /* inverse frequencies */
    tensor_close(&t);
    assert_int_equal(file_slurp(path, 1 << 20, &whole, &e), 0);
    unsigned char first[4];
    for (int i = 0; i < 4; i++)
        memcpy(&first[i], &v[i], 1);
    for (size_t n = 0; n < whole.n; n++)
        check_cut(buf_view(&whole), n, 98, first, 4);
    buf_release(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense),
        cmocka_unit_test(views),
        cmocka_unit_test(element_types),
        cmocka_unit_test(complex_elements),
        cmocka_unit_test(byte_orders),
        cmocka_unit_test(parameters),
        cmocka_unit_test(sizes_of_a_meta_tensor),
        cmocka_unit_test(layouts_that_lie),
        cmocka_unit_test(archives_without),
        cmocka_unit_test(truncations_and_changes),
        cmocka_unit_test(zip_members),
        cmocka_unit_test(not_an_archive),
        cmocka_unit_test(a_file_of_torch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
