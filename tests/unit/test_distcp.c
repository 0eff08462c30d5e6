/* torch.distributed.checkpoint: every way of cutting gives the whole tensor's bytes; what is damaged is said. */
#include "support.h"

#include "fmt/weights.h"
#include "num/dtype.h"

static char dir[256];

static const char *own(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "distcp/%s", name);
    return sample(path);
}

static size_t values(const struct weights *w, uint32_t i, double *out, size_t most)
{
    struct tensor t;
    struct tensor_walk walk;
    struct err e = {0};
    unsigned char raw[512 * 8];
    size_t n = 0;
    long got;
    if (weights_tensor(w, i, &t, &e))
        fail_msg("%s", e.text);
    tensor_walk_init(&walk, &t);
    while ((got = tensor_walk_next(&walk, raw, 512, &e)) > 0) {
        assert_true(n + (size_t)got <= most);
        dtype_to_f64(t.dtype, raw, (size_t)got, out + n);
        n += (size_t)got;
    }
    assert_int_equal(got, 0);
    tensor_walk_release(&walk);
    tensor_close(&t);
    return n;
}

/* Every tensor of the whole file is there under its name, with its shape and its values. */
static void same(const char *folder, const char *file)
{
    struct weights a, b;
    struct err e = {0};
    double x[1024], y[1024];
    if (weights_open(&a, own(folder), &e) || weights_open(&b, own(file), &e))
        fail_msg("%s", e.text);
    assert_int_equal(a.list.n, b.list.n);
    assert_int_equal(a.problems.n, 0);
    for (uint32_t i = 0; i < b.list.n; i++) {
        uint32_t k = weights_find(&a, b.list.v[i].name);
        assert_true(k != MAP_NONE);
        assert_int_equal(a.list.v[k].ndim, b.list.v[i].ndim);
        for (int n = 0; n < b.list.v[i].ndim; n++)
            assert_int_equal(a.list.v[k].shape[n], b.list.v[i].shape[n]);
        size_t n = values(&a, k, x, 1024);
        assert_int_equal(n, values(&b, i, y, 1024));
        assert_memory_equal(x, y, n * sizeof *x);
    }
    weights_release(&a);
    weights_release(&b);
}

static void cut_in_every_way(void **state)
{
    (void)state;
    same("dcp", "whole.safetensors");
    same("dcp/.metadata", "whole.safetensors");
    same("dcp_one", "whole.safetensors");
}

static void layers_are_taken_apart(void **state)
{
    (void)state;
    same("torch_dist", "megatron.safetensors");
}

static struct buf slurp(const char *path)
{
    struct buf b = {0};
    struct err e = {0};
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    return b;
}

static void put(const char *name, const struct buf *b, size_t n)
{
    put_bytes(dir, name, b->p, n);
}

static void a_lost_or_short_file_is_said(void **state)
{
    (void)state;
    struct weights w;
    struct err e = {0}, why = {0};
    struct tensor t;
    struct buf m = slurp(own("dcp/.metadata")), first = slurp(own("dcp/__0_0.distcp")),
               second = slurp(own("dcp/__1_0.distcp"));
    put(".metadata", &m, m.n);
    put("__0_0.distcp", &first, first.n);
    put("__1_0.distcp", &second, second.n / 2);
    assert_int_equal(weights_open(&w, dir, &e), 0);
    assert_int_equal(w.list.n, 9);
    assert_true(w.problems.n >= 6);
    for (uint32_t i = 0; i < w.list.n; i++)
        if (w.list.v[i].problem)
            assert_int_equal(weights_tensor(&w, i, &t, &why), -1);
    weights_release(&w);
    put(".metadata", &m, m.n / 2);
    assert_int_equal(weights_open(&w, dir, &e), -1);
    assert_true(*e.text);
    weights_release(&w);
    buf_release(&m);
    buf_release(&first);
    buf_release(&second);
}

/* "__0_0.distcp" made "../x_.distcp": nothing outside the folder is opened. */
static void a_path_stays_inside(void **state)
{
    (void)state;
    struct weights w;
    struct err e = {0};
    struct buf m = slurp(own("dcp_one/.metadata"));
    char *at = NULL;
    for (size_t i = 0; i + 12 < m.n && !at; i++)
        if (memcmp(m.p + i, "__0_0.distcp", 12) == 0)
            at = m.p + i;
    assert_non_null(at);
    memcpy(at, "../_0.distcp", 12);
    put(".metadata", &m, m.n);
    put("__0_0.distcp", &m, 1);
    assert_int_equal(weights_open(&w, dir, &e), 0);
    for (uint32_t i = 0; i < w.list.n; i++)
        assert_non_null(w.list.v[i].problem);
    weights_release(&w);
    buf_release(&m);
}

int main(void)
{
    snprintf(dir, sizeof dir, "%s", scratch());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_in_every_way),
        cmocka_unit_test(layers_are_taken_apart),
        cmocka_unit_test(a_lost_or_short_file_is_said),
        cmocka_unit_test(a_path_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
