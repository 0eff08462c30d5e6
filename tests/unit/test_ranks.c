/* Layouts as text and places, and views that join the parts of a tensor. */
#include <string.h>

#include "ranks/dims.h"
#include "ranks/join_view.h"
#include "support.h"

static struct layout parsed(const char *text)
{
    struct layout l;
    struct err e;
    assert_int_equal(layout_parse(&l, str_of(text), &e), 0);
    return l;
}

static void ranks_have_places_in_their_order(void **state)
{
    (void)state;
    struct layout l = parsed("tp=2,dp=2,pp=2,order=tp-pp-dp");
    char order[32];
    layout_order_text(&l, order);
    assert_string_equal(order, "tp-pp-dp");
    struct rank_place p = layout_place(&l, 5);
    assert_int_equal(p.at[CUT_TP], 1);
    assert_int_equal(p.at[CUT_PP], 0);
    assert_int_equal(p.at[CUT_DP], 1);
    for (int r = 0; r < layout_ranks(&l); r++) {
        p = layout_place(&l, r);
        assert_int_equal(layout_rank(&l, &p), r);
    }
}

static void nonsense_is_no_layout(void **state)
{
    (void)state;
    struct layout l;
    struct err e;
    assert_int_equal(layout_parse(&l, STR("tp=0"), &e), -1);
    assert_int_equal(layout_parse(&l, STR("order=tp-tp"), &e), -1);
    assert_int_equal(layout_parse(&l, STR("zp=2"), &e), -1);
}

/* Two parts of four elements, 0 … 3 and 10 … 13, joined along their only axis. */
static void expect_joined(struct join_step step, double scale, const double *want, size_t n)
{
    double a[] = {0, 1, 2, 3}, b[] = {10, 11, 12, 13}, *part[] = {a, b};
    const int64_t shape[] = {4};
    struct joined_view v;
    step.by = CUT_CP;
    step.n = 2;
    assert_true(join_view(&v, shape, 1, &step, 1, scale, -1));
    assert_int_equal(v.shape[0], n);
    for (size_t i = 0; i < n; i++)
        assert_true(join_view_value(&v, part, shape, i) == want[i]);
    joined_view_release(&v);
}

static void parts_join_in_every_way(void **state)
{
    (void)state;
    const double concat[] = {0, 1, 2, 3, 10, 11, 12, 13}, zigzag[] = {0, 1, 10, 11, 12, 13, 2, 3},
                 gated[] = {0, 1, 10, 11, 2, 3, 12, 13};
    const double sum[] = {5, 6, 7, 8}, max[] = {10, 11, 12, 13};
    expect_joined((struct join_step){.how = JOIN_CONCAT, .axis = 0, .keys = -1, .blocks = 1}, 1, concat, 8);
    expect_joined((struct join_step){.how = JOIN_ZIGZAG, .axis = 0, .keys = -1, .blocks = 1}, 1, zigzag, 8);
    expect_joined((struct join_step){.how = JOIN_GATED, .axis = 0, .keys = -1, .blocks = 2}, 1, gated, 8);
    expect_joined((struct join_step){.how = JOIN_SUM, .axis = -1, .keys = -1, .blocks = 1}, 0.5, sum, 4);
    expect_joined((struct join_step){.how = JOIN_MAX, .axis = -1, .keys = -1, .blocks = 1}, 1, max, 4);
    /* rank 0 gathered chunks 0 and 3 before rank 1's 1 and 2 */
    const double order[] = {0, 2, 3, 1};
    expect_joined((struct join_step){.how = JOIN_REPLICA, .axis = -1, .keys = 0, .blocks = 1}, 1, order, 4);
}

static void shards_that_do_not_divide_do_not_join(void **state)
{
    (void)state;
    const int64_t shape[] = {3};
    const struct join_step halves = {.by = CUT_CP, .how = JOIN_ZIGZAG, .axis = 0, .keys = -1, .blocks = 1, .n = 2};
    struct joined_view v;
    assert_false(join_view(&v, shape, 1, &halves, 1, 1, -1));
}

static struct dims dims_of(const char *text)
{
    struct dims d;
    struct err e;
    assert_int_equal(dims_parse(&d, str_of(text), &e), 0);
    return d;
}

static void axes_say_what_joins_them(void **state)
{
    (void)state;
    struct dims d = dims_of("Module.*.linear_fc2.*=s[cp:zigzag,sp] b[dp] h");
    assert_true(str_is(d.pattern, "Module.*.linear_fc2.*"));
    assert_int_equal(d.ndim, 3);
    assert_int_equal(d.cuts, 3);
    struct join_step s = {.by = CUT_CP, .how = JOIN_ZIGZAG, .axis = 0};
    assert_true(dims_allow(&d, &s));
    s.how = JOIN_CONCAT;
    assert_false(dims_allow(&d, &s));
    s = (struct join_step){.by = CUT_TP, .how = JOIN_GATED, .axis = 0};
    assert_true(dims_allow(&d, &s));
    s.axis = 2;
    assert_false(dims_allow(&d, &s));
    d = dims_of("s b h[tp:sum]");
    assert_int_equal(d.pattern.n, 0);
    s = (struct join_step){.by = CUT_TP, .how = JOIN_SUM, .axis = -1};
    assert_true(dims_allow(&d, &s));
    s = (struct join_step){.by = CUT_DP, .how = JOIN_CONCAT, .axis = 1};
    assert_false(dims_allow(&d, &s)); /* not named: replicas */
    s = (struct join_step){.by = CUT_DP, .how = JOIN_REPLICA, .axis = -1};
    assert_true(dims_allow(&d, &s));
}

static void nonsense_says_nothing_of_axes(void **state)
{
    static const char *const text[] = {"", "a.*=", "=s b", "s[cp b", "s[]", "s[zp]", "s[tp:up]", "s[tp] h[tp]", "[tp]",
                                       "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(text); i++) {
        struct dims d;
        struct err e;
        assert_int_equal(dims_parse(&d, str_of(text[i]), &e), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_have_places_in_their_order),
        cmocka_unit_test(nonsense_is_no_layout),
        cmocka_unit_test(axes_say_what_joins_them),
        cmocka_unit_test(nonsense_says_nothing_of_axes),
        cmocka_unit_test(parts_join_in_every_way),
        cmocka_unit_test(shards_that_do_not_divide_do_not_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
