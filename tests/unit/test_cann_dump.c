/* CANN's binary operator dumps: the same operators as .npy, written by another program, give the same elements; files
 * cut at every length and with every byte of the header changed are refused or reported. */
#include "support.h"
#include "written.h"

#include <stdlib.h>

#include "base/folder.h"
#include "fmt/cann_dump.h"
#include "fmt/npy.h"
#include "num/tensor.h"

#define BIN "open/cann_bin/rank_0/net/0/1"
#define NPY "open/cann_npy/rank_0/net/0/1"

static bool open_binary(struct tensor *t, const char *path, bool output, uint32_t slot, struct err *e)
{
    *t = (struct tensor){0};
    if (file_open(&t->file, path, e))
        return false;
    if (cann_open(t, output, slot, e) == 0)
        return true;
    file_close(&t->file);
    return false;
}

/* The same bytes in logical order. */
static void same_elements(struct tensor *a, struct tensor *b, const char *what)
{
    struct tensor_walk x, y;
    struct err e;
    char one[4096], two[4096];
    long n;
    if (a->ndim != b->ndim || a->dtype != b->dtype || a->numel != b->numel ||
        memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0)
        fail_msg("%s: another shape or type", what);
    tensor_walk_init(&x, a);
    tensor_walk_init(&y, b);
    while ((n = tensor_walk_next(&x, one, 100, &e)) > 0) {
        assert_int_equal(tensor_walk_next(&y, two, (size_t)n, &e), n);
        if (memcmp(one, two, (size_t)n * dtype_table[a->dtype].size) != 0)
            fail_msg("%s: other elements", what);
    }
    assert_int_equal(n, 0);
    tensor_walk_release(&x);
    tensor_walk_release(&y);
}

static void every_type_and_format(void **state)
{
    name_list names = {0};
    struct err e;
    size_t compared = 0;
    (void)state;
    assert_int_equal(dir_list(sample(NPY), 10000, &names, &e), 0);
    for (size_t i = 0; i < names.n; i++) {
        char path[1000], *output = strstr(names.v[i], ".output."), *input = strstr(names.v[i], ".input.");
        struct tensor a, b = {0};
        char *io = output ? output : input;
        assert_non_null(io);
        snprintf(path, sizeof path, "%s/%.*s", sample(BIN), (int)(io - names.v[i]), names.v[i]);
        uint32_t slot = (uint32_t)strtoul(io + (output ? 8 : 7), NULL, 10);
        if (!open_binary(&a, path, output != NULL, slot, &e))
            fail_msg("%s", e.text);
        snprintf(path, sizeof path, "%s/%s", sample(NPY), names.v[i]);
        assert_int_equal(file_open(&b.file, path, &e), 0);
        assert_int_equal(npy_open(&b, &e), 0);
        same_elements(&a, &b, names.v[i]);
        tensor_close(&a);
        tensor_close(&b);
        compared++;
    }
    assert_true(compared > 90);
    name_list_release(&names);
}

/* Opens all tensors of a damaged file and reads them; whatever comes of it, there is a sentence where it fails. */
static size_t try_all(const char *path)
{
    struct err e = {0};
    size_t read = 0;
    for (uint32_t k = 0; k < 4; k++) {
        struct tensor t;
        char out[4096];
        struct tensor_walk w;
        if (!open_binary(&t, path, k & 1, k / 2, &e)) {
            assert_true(e.text[0]);
            continue;
        }
        tensor_walk_init(&w, &t);
        long n = t.numel > 1000000 ? 0 : 1;
        while (n > 0)
            n = tensor_walk_next(&w, out, 100, &e);
        assert_true(n == 0 || e.text[0]);
        tensor_walk_release(&w);
        tensor_close(&t);
        read++;
    }
    return read;
}

static void cut_and_changed(void **state)
{
    static const char *const files[] = {
        BIN "/Add.Default_net-Net_Add-op1.1.0.1732082705000010",
        BIN "/MatMul.Default_net-Net_MatMul-op43.43.0.1732082705000430",
        BIN "/Conv2D.Default_net-Net_Conv2D-op21.21.0.1732082705000210",
    };
    char dir[256];
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct buf b = {0};
        struct err e;
        if (file_slurp(sample(files[i]), 1 << 20, &b, &e))
            fail_msg("%s", e.text);
        size_t header = 8 + (unsigned char)b.p[0] + 256 * (size_t)(unsigned char)b.p[1];
        size_t whole = try_all(put_bytes(dir, "Add.x.1.0.1732082705000010", b.p, b.n));
        assert_true(whole > 1);
        for (size_t n = 0; n < b.n; n += n < header + 16 ? 1 : 61)
            assert_true(try_all(put_bytes(dir, "Add.x.1.0.1732082705000010", b.p, n)) < whole);
        for (size_t at = 0; at < header; at++) {
            static const unsigned char with[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
            char was = b.p[at];
            for (size_t k = 0; k < ARRAY_LEN(with); k++) {
                b.p[at] = (char)with[k];
                try_all(put_bytes(dir, "Add.x.1.0.1732082705000010", b.p, b.n));
            }
            b.p[at] = was;
        }
        buf_release(&b);
    }
}

static void names(void **state)
{
    (void)state;
    assert_true(cann_name(STR("Add.Default_net-Net_Add-op1.3.4.1732082705016774")));
    assert_true(cann_name(STR("Add.Add_1.3.4.1732082705016774.0.1.2.3")));
    assert_false(cann_name(STR("Add.Add_1.3.4.17320.0")));
    assert_false(cann_name(STR("libfoo.so.1.2.3")));
    assert_false(cann_name(STR("a.b.1.2.1732082705016774.npy")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_format),
        cmocka_unit_test(cut_and_changed),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
