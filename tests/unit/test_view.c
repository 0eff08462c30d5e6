/* Finding the order of axes under which two differently shaped tensors are the same. */
#include "draws.h"
#include "packed.h"

#include <math.h>
#include <unistd.h>

#include "pair/axis_order.h"

static uint64_t seed = 21;

static double draw(void)
{
    return draw_share(&seed) * 2 - 1;
}

/* What `t` holds, its axes in another order, as stored values. */
static void permuted(const float *v, int ndim, const int64_t *shape, const int *perm, float *out)
{
    int64_t stride[8], at[8] = {0}, n = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        stride[i] = n;
        n *= shape[i];
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t from = 0;
        for (int k = 0; k < ndim; k++)
            from += at[k] * stride[perm[k]];
        out[i] = v[from];
        for (int k = ndim - 1; k >= 0 && ++at[k] == shape[perm[k]]; k--)
            at[k] = 0;
    }
}

static int find(struct tensor *t, struct tensor *g, struct view *v, struct figures *flat)
{
    struct err e;
    assert_int_equal(figures_two(&kern_scalar, t, g, flat, NULL, &e), 0);
    assert_true(axis_order_needed(t, g));
    return axis_order_search(t, g, flat, v, &e);
}

/* The sides meet once the view is applied. */
static void check_applied(struct tensor *t, struct tensor *g, const struct view *v, double error)
{
    struct figures f;
    struct err e;
    assert_int_equal(view_apply(v, v->side == 0 ? t : g, &e), 0);
    assert_int_equal(figures_two(&kern_scalar, t, g, &f, NULL, &e), 0);
    assert_true(f.rel_l2 <= error);
}

/* Values that vary smoothly along the axes, as activations do; n at most 20,000. */
static float *values(int64_t n)
{
    static float v[2][20000];
    static int next;
    float *p = v[next++ % 2];
    for (int64_t i = 0; i < n; i++)
        p[i] = (float)(draw() + sin((double)i / 7));
    return p;
}

static void heads_before_sequence(void **state)
{
    static const int64_t shape[] = {2, 3, 50, 8}; /* [batch, heads, seq, dim] */
    static const int swap[] = {0, 2, 1, 3};
    static float other[2400];
    struct tensor t, g;
    struct view v;
    struct figures flat;
    struct buf text = {0};
    (void)state;
    float *a = values(2400);
    permuted(a, 4, shape, swap, other);
    t = packed(DTYPE_F32, 4, shape, a);
    g = packed(DTYPE_F32, 4, (const int64_t[]){2, 50, 3, 8}, other);
    assert_int_equal(find(&t, &g, &v, &flat), 1);
    assert_true(v.count == 1 && v.step[0].op == VIEW_PERMUTE && v.side == 1 && v.step[0].n == 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(v.step[0].v[i], swap[i]);
    view_text(&v, &text);
    assert_string_equal(text.p, "permuted (0,2,1,3)");
    check_applied(&t, &g, &v, 0);
    buf_release(&text);
    tensor_close(&t);
    tensor_close(&g);
}

/* [batch, heads, seq, dim] against [batch, seq, heads * dim]: the side with more axes is reordered. */
static void heads_joined(void **state)
{
    static const int64_t shape[] = {2, 3, 50, 8}, joined[] = {2, 50, 24};
    static const int swap[] = {0, 2, 1, 3};
    static float other[2400];
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct tensor t, g;
        struct view v;
        struct figures flat;
        float *a = values(2400);
        permuted(a, 4, shape, swap, other);
        for (int i = 0; i < 2400; i++) /* honest rounding between the sides */
            other[i] *= (float)(1 + 1e-6 * draw());
        *(side ? &g : &t) = packed(DTYPE_F32, 4, shape, a);
        *(side ? &t : &g) = packed(DTYPE_F32, 3, joined, other);
        assert_int_equal(find(&t, &g, &v, &flat), 1);
        assert_int_equal(v.side, side);
        check_applied(&t, &g, &v, 1e-5);
        tensor_close(&t);
        tensor_close(&g);
    }
}

/* [batch, seq, heads, dim] against [seq, batch, groups, heads of a group * dim]: each side divides
 * what the other does not. */
static void heads_of_groups(void **state)
{
    static const int64_t shape[] = {2, 14, 6, 12}, grouped[] = {14, 2, 2, 36};
    static const int swap[] = {1, 0, 2, 3};
    static float other[2016];
    struct tensor t, g;
    struct view v;
    struct figures flat;
    (void)state;
    float *a = values(2016);
    permuted(a, 4, shape, swap, other);
    t = packed(DTYPE_F32, 4, grouped, other);
    g = packed(DTYPE_F32, 4, shape, a);
    assert_int_equal(find(&t, &g, &v, &flat), 1);
    check_applied(&t, &g, &v, 0);
    tensor_close(&t);
    tensor_close(&g);
}

static void all_orders_of_three_axes(void **state)
{
    static const int perms[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int64_t shape[] = {4, 30, 70};
    static float other[8400];
    (void)state;
    for (int p = 1; p < 6; p++) {
        struct tensor t, g;
        struct view v;
        struct figures flat;
        int64_t moved[3];
        float *a = values(8400);
        permuted(a, 3, shape, perms[p], other);
        for (int i = 0; i < 3; i++)
            moved[i] = shape[perms[p][i]];
        t = packed(DTYPE_F32, 3, shape, a);
        g = packed(DTYPE_F32, 3, moved, other);
        assert_int_equal(find(&t, &g, &v, &flat), 1);
        check_applied(&t, &g, &v, 0);
        tensor_close(&t);
        tensor_close(&g);
    }
}

static void flat_is_right_already(void **state)
{
    struct tensor t, g;
    struct view v;
    struct figures flat;
    float *a = values(2400);
    (void)state;
    t = packed(DTYPE_F32, 4, (const int64_t[]){2, 3, 50, 8}, a);
    g = packed(DTYPE_F32, 2, (const int64_t[]){6, 400}, a);
    assert_int_equal(find(&t, &g, &v, &flat), 0);
    assert_true(flat.rel_l2 == 0);
    tensor_close(&t);
    tensor_close(&g);
}

/* Another quantity: no order makes it the same, and none is invented. */
static void other_values(void **state)
{
    struct tensor t, g;
    struct view v;
    struct figures flat;
    (void)state;
    t = packed(DTYPE_F32, 4, (const int64_t[]){2, 3, 50, 8}, values(2400));
    g = packed(DTYPE_F32, 4, (const int64_t[]){2, 50, 3, 8}, values(2400));
    assert_int_equal(find(&t, &g, &v, &flat), 0);
    tensor_close(&t);
    tensor_close(&g);
}

/* Equal shapes are never reordered (a transposed square weight is a fault); axes of size 1 do not count. */
static void when_an_order_is_needed(void **state)
{
    static const struct {
        int n, m;
        int64_t a[5], b[5];
        bool needed;
    } cases[] = {
        {2, 2, {8, 8}, {8, 8}, false},       {2, 2, {8, 4}, {4, 8}, true},
        {2, 3, {8, 4}, {1, 8, 4}, false},    {3, 3, {8, 1, 4}, {8, 4, 1}, false},
        {2, 1, {8, 4}, {32}, true},          {0, 2, {0}, {1, 1}, false},
        {3, 3, {2, 8, 4}, {2, 4, 8}, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensor t = {.ndim = cases[i].n}, g = {.ndim = cases[i].m};
        memcpy(t.shape, cases[i].a, sizeof cases[i].a);
        memcpy(g.shape, cases[i].b, sizeof cases[i].b);
        assert_int_equal(axis_order_needed(&t, &g), cases[i].needed);
        assert_int_equal(axis_order_needed(&g, &t), cases[i].needed);
    }
}

static void too_many_axes_are_not_tried(void **state)
{
    static const int64_t shape[] = {2, 3, 2, 3, 2, 3, 2};
    static const int swap[] = {1, 0, 3, 2, 5, 4, 6};
    static float other[432];
    struct tensor t, g;
    struct view v;
    struct figures flat;
    (void)state;
    float *a = values(432);
    permuted(a, 7, shape, swap, other);
    t = packed(DTYPE_F32, 7, shape, a);
    g = packed(DTYPE_F32, 7, (const int64_t[]){3, 2, 3, 2, 3, 2, 2}, other);
    assert_int_equal(find(&t, &g, &v, &flat), 0);
    tensor_close(&t);
    tensor_close(&g);
}

static void read_errors(void **state)
{
    static const int64_t shape[] = {2, 3, 50, 8};
    static const int swap[] = {0, 2, 1, 3};
    static float other[2400];
    struct tensor t, g;
    struct view v;
    struct figures flat;
    struct err e = {0};
    (void)state;
    float *a = values(2400);
    permuted(a, 4, shape, swap, other);
    t = packed(DTYPE_F32, 4, shape, a);
    g = packed(DTYPE_F32, 4, (const int64_t[]){2, 50, 3, 8}, other);
    assert_int_equal(figures_two(&kern_scalar, &t, &g, &flat, NULL, &e), 0);
    assert_int_equal(truncate(g.file.name, 100), 0);
    assert_int_equal(axis_order_search(&t, &g, &flat, &v, &e), -1);
    assert_int_equal(e.code, ERR_DATA);
    tensor_close(&t);
    tensor_close(&g);
}

static void texts(void **state)
{
    struct buf b = {0};
    (void)state;
    buf_cstr(&b, "");
    view_text(NULL, &b);
    assert_string_equal(b.p, "");
    view_text(&(struct view){.count = 0}, &b);
    assert_string_equal(b.p, "reshaped");
    buf_release(&b);
}

/* Every step as it is typed and as people read it. */
static void texts_of_steps(void **state)
{
    static const char *const cases[][2] = {
        {"golden reshape 2,8,-1", "reshaped (2,8,-1)"},
        {"target permute 0,2,1", "permuted (0,2,1)"},
        {"golden transpose", "transposed"},
        {"golden slice 3 0:1", "axis 3 sliced to 0:1"},
        {"golden slice -1 4:", "axis -1 sliced to 4:"},
        {"golden split 0 1 8:16", "part 8:16 of axis 0"},
        {"golden split 0 2 8:16", "part 8:16 of each of 2 pieces of axis 0"},
        {"target repeat 0 4", "axis 0 repeated 4 times"},
        {"golden reshape 6,4 transpose", "reshaped (6,4), transposed"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf typed = {0}, read = {0};
        struct view v;
        struct err e;
        if (view_parse(&v, str_of(cases[i][0]), &e))
            fail_msg("%s: %s", cases[i][0], e.text);
        view_write(&v, &typed);
        assert_string_equal(typed.p, cases[i][0]);
        view_text(&v, &read);
        assert_string_equal(read.p, cases[i][1]);
        buf_release(&typed);
        buf_release(&read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_before_sequence),
        cmocka_unit_test(heads_joined),
        cmocka_unit_test(heads_of_groups),
        cmocka_unit_test(all_orders_of_three_axes),
        cmocka_unit_test(flat_is_right_already),
        cmocka_unit_test(other_values),
        cmocka_unit_test(when_an_order_is_needed),
        cmocka_unit_test(too_many_axes_are_not_tried),
        cmocka_unit_test(read_errors),
        cmocka_unit_test(texts),
        cmocka_unit_test(texts_of_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
