/* Weight files that lie: headers, records, pickles, archives and indices made to crash, hang or lead out of
 * their folder, and the forms that are rare but right. */
#include "support.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmt/weight_names.h"
#include "fmt/weights.h"

static int open_bytes(struct weights *w, const char *name, const struct buf *b, struct err *e)
{
    memset(e, 0, sizeof *e);
    return weights_open(w, put_bytes(scratch(), name, b->p, b->n), e);
}

static void little(struct buf *b, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_char(b, (char)(v >> (8 * i)));
}

/* ---- safetensors ---- */

static int safetensors(struct weights *w, const char *header, size_t data, struct err *e)
{
    struct buf b = {0};
    little(&b, strlen(header), 8);
    buf_cstr(&b, header);
    for (size_t i = 0; i < data; i++)
        buf_char(&b, (char)i);
    int rc = open_bytes(w, "x.safetensors", &b, e);
    buf_release(&b);
    return rc;
}

static void safetensors_forms(void **state)
{
    struct weights w;
    struct err e;
    struct tensor t;
    (void)state;
    /* I8 is one byte here, eight in NumPy's words; packed types are named and not read */
    assert_int_equal(safetensors(&w,
                                 "{\"__metadata__\":{\"format\":\"ms\"},\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_"
                                 "offsets\":[0,3]},"
                                 "\"q\":{\"dtype\":\"F4\",\"shape\":[6],\"data_offsets\":[3,6]},"
                                 "\"f\":{\"dtype\":\"F8_E4M3\",\"shape\":[],\"data_offsets\":[6,7]},"
                                 "\"none\":{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[7,7]}}   ",
                                 7, &e),
                     0);
    assert_int_equal(w.list.n, 4);
    assert_int_equal(w.list.v[0].dtype, DTYPE_I8);
    assert_int_equal(w.list.v[1].dtype, DTYPE_UNKNOWN);
    assert_true(str_is(w.list.v[1].type, "F4"));
    assert_int_equal(weights_tensor(&w, 1, &t, &e), -1);
    assert_non_null(strstr(e.text, "F4"));
    assert_int_equal(w.list.v[2].dtype, DTYPE_F8E4M3);
    assert_int_equal(weights_tensor(&w, 3, &t, &e), 0);
    tensor_close(&t);
    assert_string_equal(w.framework, "mindspore");
    weights_release(&w);
    assert_int_equal(safetensors(&w, "{\"c\":{\"dtype\":\"C64\",\"shape\":[3],\"data_offsets\":[0,24]}}", 24, &e), 0);
    assert_int_equal(weights_tensor(&w, 0, &t, &e), 0);
    assert_true(t.dtype == DTYPE_F32 && t.ndim == 2 && t.shape[1] == 2 && t.numel == 6);
    tensor_close(&t);
    weights_release(&w);
}

static void safetensors_lies(void **state)
{
    static const struct {
        const char *header, *says;
    } bad[] = {
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "8 bytes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,8]}}", "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4000000000,4000000000],\"data_offsets\":[0,8]}}", "elements"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", "share"},
        {"{\"a\":3}", "dtype"},
        {"{\"a\":{\"dtype\":\"F32\"", "found the end of the file"},
        {"{}", "no tensor"},
        {"\xef\xbb\xbf{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", "a '{'"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}\n{\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", "blanks"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"I32\",\"shape\":[4],\"data_offsets\":[0,16]}}", "each once"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0.0,16.5]}}", "from, to"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"shape\":[2,2],\"data_offsets\":[0,16]}}", "each once"},
    };
    static const struct {
        const char *header, *says;
        size_t weights;
    } odd[] = { /* read, and the file is damaged */
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", "byte 63: 8 bytes", 1},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", "byte 70: 8 bytes", 1},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[12,16]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", ": 8 bytes", 2},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", "occurs twice", 2},
    };
    struct weights w;
    struct err e;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        assert_int_equal(safetensors(&w, odd[i].header, 16, &e), 0);
        if (w.list.n != odd[i].weights || w.problems.n != 1 || !strstr(w.problems.v[0].text, odd[i].says))
            fail_msg("%s: %zu weights, %zu problems, %s", odd[i].header, w.list.n, w.problems.n,
                     w.problems.n ? w.problems.v[0].text : "none");
        weights_release(&w);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        if (safetensors(&w, bad[i].header, 16, &e) == 0)
            fail_msg("taken: %s", bad[i].header);
        if (!strstr(e.text, bad[i].says) || !strstr(e.text, "x.safetensors"))
            fail_msg("%s: %s", bad[i].header, e.text);
        weights_release(&w);
    }
    struct buf b = {0};
    little(&b, 1ull << 62, 8);
    buf_cstr(&b, "{}");
    assert_int_equal(open_bytes(&w, "x.safetensors", &b, &e), -1);
    weights_release(&w);
    buf_release(&b);
    /* cut: what is whole stays, what is not says so */
    assert_int_equal(safetensors(&w,
                                 "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{\"dtype\":"
                                 "\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}",
                                 12, &e),
                     0);
    assert_int_equal(w.problems.n, 1);
    assert_null(w.list.v[0].problem);
    assert_non_null(w.list.v[1].problem);
    weights_release(&w);
    /* MindSpore's packed integers: I8 in the file, what they are beside it */
    assert_int_equal(safetensors(&w,
        "{\"__metadata__\":{\"a\":\"Int4\"},\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2,
            &e), 0);
    assert_true(w.list.v[0].dtype == DTYPE_I8 && str_is(w.list.v[0].type, "Int4"));
    weights_release(&w);
    /* a name twice: both are there, and it is said */
    assert_int_equal(safetensors(&w,
                                 "{\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]},\"a\":{\"dtype\":"
                                 "\"I8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
                                 4, &e),
                     0);
    assert_int_equal(w.list.n, 2);
    assert_int_equal(w.problems.n, 1);
    weights_release(&w);
    /* a name that nobody gives */
    struct buf head = {0};
    buf_fmt(&head, "{\"%5000d\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 1);
    assert_int_equal(safetensors(&w, head.p, 2, &e), -1);
    assert_non_null(strstr(e.text, "a name of more than 4096 bytes"));
    weights_release(&w);
    buf_release(&head);
}

/* ---- .ckpt ---- */

static void varint(struct buf *b, uint64_t v)
{
    do {
        buf_char(b, (char)((v & 127) | (v > 127 ? 128 : 0)));
        v >>= 7;
    } while (v);
}

static void field(struct buf *b, int number, struct str s)
{
    varint(b, (uint64_t)number << 3 | 2);
    varint(b, s.n);
    buf_str(b, s);
}

static void record(struct buf *out, const char *tag, const int64_t *dim, int n, const char *type, struct str content)
{
    struct buf t = {0}, v = {0};
    for (int i = 0; i < n; i++) {
        varint(&t, 1 << 3);
        varint(&t, (uint64_t)dim[i]);
    }
    field(&t, 2, str_of(type));
    field(&t, 3, content);
    field(&v, 1, str_of(tag));
    field(&v, 2, buf_view(&t));
    field(out, 1, buf_view(&v));
    buf_release(&t);
    buf_release(&v);
}

static void values_are(const struct weights *w, uint32_t i, const double *want, size_t n)
{
    struct tensor t = {0};
    struct tensor_walk walk;
    struct err e;
    unsigned char raw[8 * 16];
    double got[16];
    assert_int_equal(weights_tensor(w, i, &t, &e), 0);
    tensor_walk_init(&walk, &t);
    assert_int_equal(tensor_walk_next(&walk, raw, n, &e), n);
    dtype_to_f64(t.dtype, raw, n, got);
    for (size_t k = 0; k < n; k++)
        assert_true(got[k] == want[k]);
    tensor_walk_release(&walk);
    tensor_close(&t);
}

static void ckpt_forms(void **state)
{
    static const char bytes[64] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct buf b = {0};
    struct weights w;
    struct err e;
    struct tensor t;
    (void)state;
    record(&b, "scalar", (int64_t[]){0}, 1, "Float32", str_n(bytes, 4)); /* as older versions write one */
    record(&b, "split", (int64_t[]){4, 4}, 2, "Int8", str_n(bytes, 5));
    record(&b, "split", (int64_t[]){4, 4}, 2, "Int8", str_n(bytes, 11));
    record(&b, "packed", (int64_t[]){8}, 1, "Int4", str_n(bytes, 4));
    record(&b, "note", NULL, 0, "str", STR("hello"));
    record(&b, "short", (int64_t[]){4, 4}, 2, "BFloat16", str_n(bytes, 31));
    record(&b, "bytes", (int64_t[]){2, 2}, 2, "Int4", str_n(bytes, 4));
    record(&b, "ascend", (int64_t[]){2, 2}, 2, "HiFloat8", STR("\x08\x88\x6e\x01"));
    buf_cstr(&b, "crc_num");
    for (int i = 0; i < 10; i++)
        buf_char(&b, 0);
    assert_int_equal(open_bytes(&w, "x.ckpt", &b, &e), 0);
    assert_int_equal(w.list.n, 7);
    assert_true(w.list.v[5].dtype == DTYPE_I8 && str_is(w.list.v[5].type, "Int4"));
    values_are(&w, 6, (double[]){1, -1, 32768, 0x1p-22}, 4);
    assert_int_equal(w.list.v[0].ndim, 0);
    assert_int_equal(w.list.v[1].pieces, 2);
    assert_int_equal(weights_tensor(&w, 1, &t, &e), 0);
    struct tensor_walk walk;
    unsigned char got[16];
    tensor_walk_init(&walk, &t);
    assert_int_equal(tensor_walk_next(&walk, got, 16, &e), 16);
    assert_memory_equal(got, "\1\2\3\4\5\1\2\3\4\5\6\7\10\0\0\0", 16);
    tensor_walk_release(&walk);
    tensor_close(&t);
    assert_int_equal(w.list.v[2].dtype, DTYPE_UNKNOWN);
    assert_true(w.list.v[3].text);
    assert_non_null(w.list.v[4].problem);
    assert_int_equal(w.problems.n, 1);
    weights_release(&w);
    for (size_t n = 1; n < b.n; n++) { /* cut anywhere: no crash, and never in silence */
        struct buf cut = {b.p, n, n};
        if (open_bytes(&w, "x.ckpt", &cut, &e) == 0)
            assert_true(w.problems.n > 0 || w.list.n < 5);
        else
            assert_non_null(strstr(e.text, "x.ckpt"));
        weights_release(&w);
    }
    buf_release(&b);
}

static void ckpt_lies(void **state)
{
    struct buf b = {0};
    struct weights w;
    struct err e;
    (void)state;
    buf_add(&b, "\xd8\x5e\x3a\x7f and then some", 18);
    assert_int_equal(open_bytes(&w, "x.ckpt", &b, &e), -1);
    assert_non_null(strstr(e.text, "enc_key"));
    weights_release(&w);
    buf_clear(&b);
    record(&b, "big", (int64_t[]){INT64_MAX, INT64_MAX}, 2, "Float32", STR("abcd"));
    assert_int_equal(open_bytes(&w, "x.ckpt", &b, &e), -1);
    weights_release(&w);
    buf_clear(&b);
    record(&b, "zero", (int64_t[]){4, 0}, 2, "Float32", STR(""));
    assert_int_equal(open_bytes(&w, "x.ckpt", &b, &e), 0);
    weights_release(&w);
    buf_clear(&b);
    buf_add(&b, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11); /* a record of 2^64 bytes */
    assert_int_equal(open_bytes(&w, "x.ckpt", &b, &e), -1);
    weights_release(&w);
    buf_release(&b);
}

/* ---- pickles ---- */

/* A legacy file whose object is this pickle and whose storages follow. */
static int legacy(struct weights *w, struct str object, struct str keys, struct str storages, struct err *e)
{
    struct buf b = {0};
    static const char head[] = "\x80\2\x8a\x0al\xfc\x9c"
                               "F\xf9 j\xa8P\x19.\x80\2M\xe9\3.\x80\2}X\x0d\0\0\0little_endian\x88s.";
    buf_add(&b, head, sizeof head - 1);
    buf_str(&b, object);
    buf_str(&b, keys);
    buf_str(&b, storages);
    int rc = open_bytes(w, "x.pth", &b, e);
    buf_release(&b);
    return rc;
}

#define TENSOR(sizes, strides)                                                                                         \
    "ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0kX\3\0\0\0cpuK\2NtQK\0" sizes \
    strides "\x89NtR"

static void pickles(void **state)
{
    struct weights w;
    struct err e;
    (void)state;
    struct str keys = STR("\x80\2]X\1\0\0\0ka."), data = STR("\2\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0@");
    if (legacy(&w, STR("\x80\2}X\1\0\0\0a" TENSOR("K\2\x85", "K\1\x85") "s."), keys, data, &e))
        fail_msg("%s", e.text);
    assert_int_equal(w.list.n, 1);
    assert_int_equal(w.problems.n, 0);
    weights_release(&w);
    /* a dictionary under two names is listed under the first */
    struct str both = STR("\x80\2}(X\1\0\0\0m}q\1X\1\0\0\0a" TENSOR("K\2\x85", "K\1\x85") "sX\1\0\0\0nh\1u.");
    assert_int_equal(legacy(&w, both, keys, data, &e), 0);
    assert_int_equal(w.list.n, 1);
    weights_release(&w);
    /* strides of 0 may claim any number of elements: refused, else a reader never ends */
    assert_int_equal(legacy(&w, STR("\x80\2}X\1\0\0\0a" TENSOR("J\xff\xff\xff\x7fK\4\x86", "K\0K\0\x86") "s."), keys,
                            data, &e),
                     0);
    assert_non_null(w.list.v[0].problem);
    assert_non_null(strstr(w.list.v[0].problem, " needs "));
    weights_release(&w);
    /* a dictionary that holds itself; code that would run */
    assert_int_equal(legacy(&w, STR("\x80\2}q\0X\4\0\0\0selfh\0sX\1\0\0\0xcposix\nsystem\nX\2\0\0\0id\x85Rs."), keys,
                            data, &e),
                     -1);
    weights_release(&w);
    /* more elements than the file has */
    assert_int_equal(legacy(&w, STR("\x80\2}X\1\0\0\0a" TENSOR("K\2\x85", "K\1\x85") "s."), keys,
                            STR("\2\0\0\0\0\0\0\0\0\0"), &e),
                     0);
    assert_true(w.problems.n > 0);
    weights_release(&w);
    /* deeply nested */
    struct buf deep = {0};
    buf_cstr(&deep, "\x80\2");
    for (int i = 0; i < 200000; i++)
        buf_char(&deep, ']');
    for (int i = 0; i < 199999; i++)
        buf_char(&deep, 'a');
    buf_char(&deep, '.');
    assert_int_equal(legacy(&w, buf_view(&deep), keys, data, &e), -1);
    weights_release(&w);
    buf_release(&deep);
}

/* An array of NumPy as protocol 2 has it: its bytes as Latin-1 text. */
#define ARRAY(shape, code, order, fortran, length, text) \
    "cnumpy.core.multiarray\n_reconstruct\n)R(K\1" shape "cnumpy\ndtype\n(X\2\0\0\0" code \
    "\x89\x88tR(K\3X\1\0\0\0" order "tb" fortran "c_codecs\nencode\n(X" length "\0\0\0" text "X\6\0\0\0latin1tRtb"

static void arrays(void **state)
{
    static const struct {
        struct str object;
        const char *problem; /* NULL: it is read */
        enum dtype dtype;
    } cases[] = {
        {STR("\x80\2}X\1\0\0\0a" ARRAY("K\2\x85", "f4", "<", "\x89", "\x0a", "\0\0\xc2\x80\x3f\0\0\0\x40\0") "s."), "bytes do not match its shape", DTYPE_UNKNOWN},
        {STR("\x80\2}X\1\0\0\0a" ARRAY("K\2\x85", "f4", "<", "\x89", "\x09", "\0\0\xc2\x80\x3f\0\0\0\x40") "s."), NULL, DTYPE_F32},
        {STR("\x80\2}X\1\0\0\0a" ARRAY("K\2K\1\x86", "f4", ">", "\x88", "\x09", "\x3f\xc2\x80\0\0\x40\0\0\0") "s."), NULL, DTYPE_F32},
        {STR("\x80\2}X\1\0\0\0a" ARRAY("K\2\x85", "f4", "<", "\x89", "\x0a", "\0\0\xc4\x80\x3f\0\0\0\x40\0") "s."), "bytes do not match its shape", DTYPE_UNKNOWN},
        {STR("\x80\2}X\1\0\0\0a" ARRAY("K\2\x85", "f4", "<", "\x89", "\x01", "\xc2") "s."), "bytes do not match its shape", DTYPE_UNKNOWN},
        {STR("\x80\2}X\1\0\0\0a" ARRAY("J\xff\xff\xff\x7fJ\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x87", "f4", "<", "\x89", "\x01", "x") "s."), "", DTYPE_UNKNOWN},
        {STR("\x80\2}X\1\0\0\0a" ARRAY("J\xff\xff\xff\xff\x85", "f4", "<", "\x89", "\x01", "x") "s."), "", DTYPE_UNKNOWN},
        {STR("\x80\2}X\1\0\0\0a" ARRAY("N", "f4", "<", "\x89", "\x01", "x") "s."), "expected a NumPy array", DTYPE_UNKNOWN},
        {STR("\x80\2}X\1\0\0\0acnumpy.core.multiarray\n_reconstruct\n)Rs."), "expected a NumPy array", DTYPE_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct weights w;
        struct err e;
        struct tensor t;
        float v[2] = {0};
        assert_int_equal(legacy(&w, cases[i].object, STR("\x80\2]."), STR(""), &e), 0);
        assert_int_equal(w.list.n, 1);
        const struct weight *x = &w.list.v[0];
        assert_int_equal(x->dtype, cases[i].dtype);
        assert_true(str_is(x->type, dtype_table[x->dtype].name)); /* not the file's word for it */
        if (cases[i].problem) {
            if (!x->problem || !strstr(x->problem, cases[i].problem))
                fail_msg("case %zu: %s", i, x->problem ? x->problem : "no problem");
            assert_int_equal(weights_tensor(&w, 0, &t, &e), -1);
        } else {
            assert_int_equal(weights_tensor(&w, 0, &t, &e), 0);
            struct tensor_walk walk;
            tensor_walk_init(&walk, &t);
            assert_int_equal(tensor_walk_next(&walk, v, 2, &e), 2);
            assert_true(v[0] == 1 && v[1] == 2);
            tensor_walk_release(&walk);
            tensor_close(&t);
        }
        weights_release(&w);
    }
    struct weights w;
    struct err e;
    struct buf b = {0};
    /* one pickle alone, as pickle.dump makes it */
    buf_str(&b, cases[1].object);
    if (open_bytes(&w, "x.pkl", &b, &e))
        fail_msg("%s", e.text);
    assert_true(w.list.n == 1 && w.list.v[0].dtype == DTYPE_F32 && !w.list.v[0].problem && !*w.framework);
    weights_release(&w);
    buf_clear(&b);
    buf_str(&b, STR("\x80\2}X\6\0\0\0abcdefK\1s."));
    assert_int_equal(open_bytes(&w, "x.pkl", &b, &e), -1);
    assert_non_null(strstr(e.text, "a dictionary of arrays"));
    weights_release(&w);
    buf_release(&b);
    /* of a type that is not read: listed with its shape */
    assert_int_equal(legacy(&w, STR("\x80\2}X\1\0\0\0a" ARRAY("K\2\x85", "O8", "|", "\x89", "\x01", "x") "s."),
                            STR("\x80\2]."), STR(""), &e),
                     0);
    assert_true(w.list.n == 1 && w.problems.n == 0 && w.list.v[0].numel == 2);
    assert_true(str_is(w.list.v[0].type, "|O8"));
    weights_release(&w);
}

#define STORAGE(kind, key, count) "(X\7\0\0\0storagec" kind "\nX\1\0\0\0" key "X\3\0\0\0cpuK" count "tQ"

/* DeepSpeed's folder: its file "latest" names the one to open, and nothing outside. */
static void deepspeed_latest(void **state)
{
    static const struct {
        const char *latest;
        bool opens;
    } cases[] = {{"global_step10\n", true}, {"../global_step10", false}, {"gone", false}, {"", false}};
    struct weights w;
    struct err e;
    struct buf b = {0};
    char path[700], dir[256];
    (void)state;
    assert_int_equal(legacy(&w, STR("\x80\2}X\6\0\0\0module}X\1\0\0\0a" TENSOR("K\2\x85", "K\1\x85") "ss."),
                            STR("\x80\2]X\1\0\0\0ka."), STR("\2\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0@"), &e),
                     0);
    assert_int_equal(file_slurp(w.path, 1 << 16, &b, &e), 0);
    weights_release(&w);
    snprintf(dir, sizeof dir, "%s", scratch());
    snprintf(path, sizeof path, "%s/global_step10", dir);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/global_step10/mp_rank_00_model_states.pt", dir);
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(b.p, 1, b.n, f), b.n);
    fclose(f);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        snprintf(path, sizeof path, "%s/latest", dir);
        f = fopen(path, "w");
        fputs(cases[i].latest, f);
        fclose(f);
        bool opened = weights_open(&w, dir, &e) == 0;
        if (opened != cases[i].opens)
            fail_msg("\"%s\": %s", cases[i].latest, opened ? "opened" : e.text);
        if (opened)
            assert_true(str_is(w.list.v[0].name, "a"));
        weights_release(&w);
    }
    /* no such file: the only step there is, not one of several */
    assert_int_equal(unlink(path), 0);
    for (int steps = 1; steps <= 2; steps++) {
        assert_int_equal(weights_open(&w, dir, &e), steps == 1 ? 0 : -1);
        weights_release(&w);
        snprintf(path, sizeof path, "%s/global_step11", dir);
        assert_int_equal(mkdir(path, 0755), steps == 1 ? 0 : -1);
    }
    buf_release(&b);
}

/* Tensors whose values are not read: named, with their shape, no damage, and nothing behind their storage is lost. What
 * torch has only marked as negated must not be shown with the sign it has in the file. */
static void torch_not_read(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        const char *type;
    } cases[] = {
#define CASE(text, type) {text, sizeof(text) - 1, type}
        CASE("ctorch._utils\n_rebuild_qtensor\n(" STORAGE("torch\nQInt8Storage", "u",
            "\4") "K\0K\4\x85K\1\x85N\x89NtR", "qint8"),
        CASE("ctorch._utils\n_rebuild_tensor_v3\n(" STORAGE("torch.storage\nUntypedStorage", "u", "\4")
             "K\0K\4\x85K\1\x85\x89Nctorch\nfloat8_e4m3fnuz\ntR", "float8_e4m3fnuz"),
        CASE("ctorch._utils\n_rebuild_qtensor\n(" STORAGE("torch\nQUInt4x2Storage", "u",
            "\4") "K\0K\4\x85K\1\x85N\x89NtR",
             "quint4x2"),
        CASE("ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE("torch\nByteStorage", "u", "\4")
             "K\0K\4\x85K\1\x85\x89N}X\3\0\0\0neg\x88stR", "uint8, negated"),
        CASE("ctorch._utils\n_rebuild_meta_tensor_no_storage\n(ctorch\nfloat32\nK\4\x85K\1\x85\x89tR", "meta"),
#undef CASE
    };
    struct weights w;
    struct tensor t = {0};
    struct err e;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = {0};
        bool stored = strcmp(cases[i].type, "meta") != 0;
        buf_str(&b, STR("\x80\2}X\1\0\0\0q"));
        buf_str(&b, str_n(cases[i].text, cases[i].n));
        buf_str(&b, STR("sX\1\0\0\0a" TENSOR("K\2\x85", "K\1\x85") "s."));
        struct str keys = stored ? STR("\x80\2](X\1\0\0\0uX\1\0\0\0ke.") : STR("\x80\2]X\1\0\0\0ka.");
        struct str data = STR("\4\0\0\0\0\0\0\0abcd\2\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0@");
        assert_int_equal(legacy(&w, buf_view(&b), keys, stored ? data : str_cut(data, 12), &e), 0);
        if (w.problems.n)
            fail_msg("%s: %s", cases[i].type, w.problems.v[0].text);
        assert_int_equal(w.list.n, 2);
        if (!str_is(w.list.v[0].type, cases[i].type))
            fail_msg("%s: %.*s", cases[i].type, STR_ARG(w.list.v[0].type));
        assert_true(w.list.v[0].ndim == 1 && w.list.v[0].shape[0] == 4);
        assert_int_equal(weights_tensor(&w, 0, &t, &e), -1);
        assert_int_equal(weights_tensor(&w, 1, &t, &e), 0);
        tensor_close(&t);
        weights_release(&w);
        buf_release(&b);
    }
}

/* What torch_npu pickles of a tensor of HiFloat8: a method of its class, called with the bytes and the type they stand
 * for. */
static void torch_hifloat8(void **state)
{
    static const char method[] = "c__builtin__\ngetattr\n(ctorch_npu.utils.hif8_tensor\n_HiFloat8Tensor\n"
                                 "X\x12\0\0\0_make_in_reduce_extR",
                      bytes[] = "(ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE("torch\nByteStorage", "u", "\4")
                                "K\0K\4\x85K\1\x85\x89NtRctorch\nbfloat16\ntR";
    struct buf b = {0};
    struct weights w;
    struct err e;
    (void)state;
    buf_str(&b, STR("\x80\2}X\1\0\0\0q"));
    buf_str(&b, str_n(method, sizeof method - 1));
    buf_str(&b, str_n(bytes, sizeof bytes - 1));
    buf_str(&b, STR("s."));
    assert_int_equal(legacy(&w, buf_view(&b), STR("\x80\2]X\1\0\0\0ua."), STR("\4\0\0\0\0\0\0\0\x08\x0f\xef\x70"),
        &e), 0);
    assert_int_equal(w.problems.n, 0);
    assert_int_equal(w.list.n, 1);
    assert_true(str_is(w.list.v[0].type, "hifloat8"));
    values_are(&w, 0, (double[]){1, 1.875, (double)-INFINITY, 0x1p-8}, 4);
    weights_release(&w);
    buf_release(&b);
}

/* ---- .npy files ---- */

static void put_npy(struct buf *b, const char *type, size_t data)
{
    char header[120];
    int n = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }\n", type);
    buf_clear(b);
    buf_str(b, str_n("\x93NUMPY\1\0", 8));
    little(b, (uint64_t)n, 2);
    buf_cstr(b, header);
    for (size_t i = 0; i < data; i++)
        buf_char(b, (char)i);
}

/* One alone is a tensor under torch's name for that; what is not read is listed with its shape and is no damage. */
static void npy_alone(void **state)
{
    struct weights w;
    struct tensor t = {0};
    struct buf b = {0};
    struct err e;
    (void)state;
    put_npy(&b, ">f4", 8);
    assert_int_equal(open_bytes(&w, "x.npy", &b, &e), 0);
    assert_int_equal(w.list.n, 1);
    assert_true(str_is(w.list.v[0].name, "tensor"));
    assert_int_equal(weights_tensor(&w, 0, &t, &e), 0);
    assert_true(t.swap);
    tensor_close(&t);
    weights_release(&w);
    put_npy(&b, "<f16", 32);
    assert_int_equal(open_bytes(&w, "x.npy", &b, &e), 0);
    assert_int_equal(w.problems.n, 0);
    assert_true(str_is(w.list.v[0].type, "<f16"));
    assert_int_equal(w.list.v[0].shape[0], 2);
    assert_int_equal(weights_tensor(&w, 0, &t, &e), -1);
    assert_non_null(strstr(e.text, "<f16"));
    weights_release(&w);
    put_npy(&b, "<f4", 7); /* cut short */
    assert_int_equal(open_bytes(&w, "x.npy", &b, &e), 0);
    assert_int_equal(w.problems.n, 1);
    weights_release(&w);
    buf_release(&b);
}

/* numpy.save of a dictionary: numbers, truth values and texts beside arrays are values, lists too; what else stands
 * there is said to be unread. */
static void npy_dictionary(void **state)
{
    static const char pickle[] =
        "\x80\2}(X\1\0\0\0nK\3X\1\0\0\0fG\x3f\xf8\0\0\0\0\0\0X\1\0\0\0b\x88X\1\0\0\0sX\4\0\0\0geluX\1\0\0\0l]("
        "K\1M\0\1eX\1\0\0\0eNX\1\0\0\0ycbuiltins\ncomplex\nK\1\x85Ru.";
    static const struct {
        const char *name, *text;
    } values[] = {{"n", "3"}, {"b", "True"}, {"s", "gelu"}, {"l.0", "1"}, {"l.1", "256"}, {"e", "None"}};
    struct weights w;
    struct buf b = {0};
    struct err e;
    (void)state;
    put_npy(&b, "|O", 0);
    buf_str(&b, str_n(pickle, sizeof pickle - 1));
    assert_int_equal(open_bytes(&w, "x.npy", &b, &e), 0);
    assert_int_equal(w.list.n, 1);
    assert_true(str_is(w.list.v[0].name, "f"));
    values_are(&w, 0, (double[]){1.5}, 1);
    assert_int_equal(w.values.n, ARRAY_LEN(values));
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        assert_string_equal(w.values.v[i].name, values[i].name);
        assert_string_equal(w.values.v[i].text, values[i].text);
    }
    assert_int_equal(w.problems.n, 1);
    assert_non_null(strstr(w.problems.v[0].text, "y is neither an array nor a number or text"));
    weights_release(&w);
    buf_release(&b);
}

/* ---- parts ---- */

static void parts(void **state)
{
    struct weights w;
    struct err e;
    char path[1200];
    const char *dir = scratch();
    static const char *const names[] = {"../secret.safetensors", "/etc/passwd", "link.safetensors", "gone.safetensors"};
    (void)state;
    snprintf(path, sizeof path, "%s/link.safetensors", dir);
    assert_int_equal(symlink("/etc/hostname", path), 0);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(path, sizeof path, "%s/model.safetensors.index.json", dir);
        FILE *f = fopen(path, "w");
        fprintf(f, "{\"metadata\":{},\"weight_map\":{\"a\":\"%s\"}}", names[i]);
        fclose(f);
        memset(&e, 0, sizeof e);
        if (weights_open(&w, dir, &e) == 0)
            fail_msg("%s was opened", names[i]);
        if (!w.problems.n && (!strstr(e.text, "gone.safetensors") || strcmp(names[i], "gone.safetensors") != 0))
            fail_msg("%s: %s", names[i], e.text);
        weights_release(&w);
    }
}

/* ---- names ---- */

static void names(void **state)
{
    static const char *const meet[][2] = {
        {"model.layers.3.self_attn.q_proj.weight", "model.layers.3.attention.wq.weight"},
        {"model.embed_tokens.weight", "model.tok_embeddings.embedding_weight"},
        {"model.embed_tokens.weight", "module.module.embedding.word_embeddings.weight"},
        {"model.norm.weight", "decoder.final_layernorm.weight"},
        {"lm_head.weight", "output_layer.weight"},
        {"model.layers.0.input_layernorm.weight", "decoder.layers.0.self_attention.linear_qkv.layer_norm_weight"},
        {"model.layers.0.mlp.experts.7.down_proj.weight", "decoder.layers.0.mlp.experts.linear_fc2.weight7"},
        {"model.layers.0.mlp.experts.7.down_proj.weight", "decoder.layers.0.mlp.experts.local_experts.7.linear_fc2.weight"},
        {"model.layers.4.mlp.gate.e_score_correction_bias", "decoder.layers.4.mlp.router.expert_bias"},
        {"layer1.0.bn1.running_mean", "layer1.0.bn1.moving_mean"},
        {"bn1.weight", "bn1.gamma"},
        {"language_model.encoder.layers.2.mlp.dense_h_to_4h.bias", "decoder.layers.2.mlp.linear_fc1.bias"},
    };
    static const char *const part[][2] = {
        {"vision_tower.encoder.layers.0.self_attn.q_proj.weight", "model.layers.0.self_attn.q_proj.weight"},
        {"model.layers.1.self_attn.q_proj.weight", "model.layers.11.self_attn.q_proj.weight"},
        {"model.layers.1.self_attn.q_proj.weight", "model.layers.1.self_attn.q_proj.bias"},
        {"adam_m.model.layers.1.attention.wq.weight", "model.layers.1.attention.wq.weight"},
    };
    struct arena a = {0};
    struct weight_id x, y;
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(meet) + ARRAY_LEN(part); i++) {
        bool same = i < ARRAY_LEN(meet);
        const char *const *p = same ? meet[i] : part[i - ARRAY_LEN(meet)];
        weight_identify(str_of(p[0]), &a, &x);
        weight_identify(str_of(p[1]), &a, &y);
        if (str_eq(x.key, y.key) != same)
            fail_msg("%s: %.*s, %s: %.*s", p[0], STR_ARG(x.key), p[1], STR_ARG(y.key));
    }
    weight_identify(STR("adam_m.model.layers.1.attention.wq.weight"), &a, &x);
    assert_true(x.training);
    weight_identify(STR("roberta.embeddings.position_ids"), &a, &x); /* mindone keeps the buffer as a parameter */
    assert_true(x.training);
    weight_identify(STR("decoder.layers.1.self_attention.linear_qkv.weight"), &a, &x);
    assert_int_equal(x.fusion, FUSED_QKV);
    assert_int_equal(x.order, ORDER_GROUPED);
    assert_true(str_is(weight_part_key(&x, "k", &a), "1/k/weight"));
    weight_identify(STR(""), &a, &x);
    weight_identify(STR("..."), &a, &x);
    weight_renumber(STR("decoder.layers.1.mlp.experts.local_experts.2.linear_fc1.weight"), 4, 8, &b);
    assert_string_equal(b.p, "decoder.layers.5.mlp.experts.local_experts.10.linear_fc1.weight");
    weight_renumber(STR("decoder.layers.0.mlp.experts.linear_fc1.weight3"), 1, 4, &b);
    assert_string_equal(b.p, "decoder.layers.1.mlp.experts.linear_fc1.weight7");
    buf_release(&b);
    arena_release(&a);
}

/* A weight of all experts has in common with a single one what its expert's number leaves. */
static void names_of_stacks(void **state)
{
    static const char *const meet[][2] = {
        {"model.layers.0.mlp.experts.gate_up_proj", "decoder.layers.0.mlp.experts.linear_fc1.weight7"},
        {"model.layers.0.mlp.experts.gate_up_proj_bias", "decoder.layers.0.mlp.experts.linear_fc1.bias7"},
        {"model.layers.2.feed_forward.routed_experts.ffn.w1.weight", "model.layers.2.mlp.experts.7.gate_proj.weight"},
        {"model.layers.2.block_sparse_moe.input_linear.weight", "decoder.layers.2.mlp.experts.local_experts.7.linear_fc1.weight"},
        {"blocks.2.moe.experts.fc9", "blocks.2.moe.experts.7.fc9.weight"},
    };
    static const char *const none[] = {"model.layers.0.mlp.experts.3.gate_proj.weight",
                                       "model.layers.0.mlp.shared_experts.up_proj.weight",
                                       "model.layers.0.mlp.gate_proj.weight", "experts", ""};
    struct arena a = {0};
    struct weight_id all, one;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(meet); i++) {
        weight_identify(str_of(meet[i][1]), &a, &one);
        if (!weight_of_all_experts(str_of(meet[i][0]), &a, &all) || !str_eq(weight_of_expert(&all, 7, &a).key, one.key))
            fail_msg("%s is no stack, or not of %.*s", meet[i][0], STR_ARG(one.key));
    }
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        if (weight_of_all_experts(str_of(none[i]), &a, &all))
            fail_msg("%s is a stack of %.*s", none[i], STR_ARG(all.key));
    arena_release(&a);
}

/* ---- joined files ---- */

static void joined(void **state)
{
    struct file f, whole;
    struct err e = {0};
    char got[16] = "";
    (void)state;
    assert_int_equal(file_open(&f, put_bytes(scratch(), "x", "0123456789", 10), &e), 0);
    int fd = file_detach(&f);
    struct file_span s[] = {{.fd = fd, .at = 7, .size = 3},
                            {.fd = fd, .at = 0, .size = 2},
                            {.fd = -1, .size = 4, .memory = strdup("abcd")}};
    file_join(&whole, "x", s, 3);
    assert_int_equal(whole.size, 9);
    assert_int_equal(file_read(&whole, 0, got, 9, &e), 0);
    assert_memory_equal(got, "78901abcd", 9);
    assert_int_equal(file_read(&whole, 2, got, 4, &e), 0);
    assert_memory_equal(got, "901a", 4);
    assert_int_equal(file_read_some(&whole, 8, got, 16, &e), 1);
    assert_int_equal(file_read_some(&whole, 9, got, 16, &e), 0);
    assert_int_equal(file_read(&whole, 6, got, 4, &e), -1);
    file_close(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safetensors_forms),
        cmocka_unit_test(safetensors_lies),
        cmocka_unit_test(ckpt_forms),
        cmocka_unit_test(ckpt_lies),
        cmocka_unit_test(pickles),
        cmocka_unit_test(arrays),
        cmocka_unit_test(parts),
        cmocka_unit_test(names),
        cmocka_unit_test(names_of_stacks),
        cmocka_unit_test(joined),
        cmocka_unit_test(npy_alone), cmocka_unit_test(npy_dictionary),
        cmocka_unit_test(torch_not_read),
        cmocka_unit_test(torch_hifloat8),
        cmocka_unit_test(deepspeed_latest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
