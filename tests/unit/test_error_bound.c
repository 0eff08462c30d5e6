/* Errors and bounds of many elements: blocks give the bits of separate elements, every variant gives the same bits, and
 * elements that are not compared by value are judged one by one. */
#include <math.h>

#include "draws.h"
#include "oracle/error_bound.h"
#include "support.h"

enum { N = 1003 };

static double y[N], recorded[N], c[N], a[N], s[N];

static struct error_elements drawn(void)
{
    uint64_t seed = 3;
    for (int i = 0; i < N; i++) {
        y[i] = i % 17 ? draw_normal(&seed) : 0;
        recorded[i] = (double)(float)y[i];
        c[i] = i % 5 ? fabs(draw_normal(&seed)) : 0;
        a[i] = fabs(draw_normal(&seed));
        s[i] = fabs(draw_normal(&seed));
    }
    return (struct error_elements){.n = N, .y = y, .recorded = recorded, .c = c, .a = a, .s = s};
}

static struct error_case of_product(enum dtype type)
{
    return (struct error_case){.output = type, .type = type, .product = true, .finer = type != DTYPE_F32, .terms = 77,
        .mask = 1e18};
}

static struct error_found found_by(struct error_case of, struct error_elements x, int at_once)
{
    struct error_sums e = {.of = of};
    struct error_found out;
    for (int64_t i = 0; i < N; i += at_once) {
        struct error_elements part = {.n = N - i < at_once ? N - i : at_once, .y = x.y + i, .recorded = x.recorded + i,
            .c = x.c ? x.c + i : NULL, .a = x.a ? x.a + i : NULL, .s = x.s ? x.s + i : NULL};
        error_add(&e, &part);
    }
    error_find(&e, &out);
    return out;
}

static void assert_same(double one, double other)
{
    assert_true(one == other || (isnan(one) && isnan(other)));
}

static void blocks_give_what_elements_give(void **state)
{
    struct error_elements x = drawn(), none = {.n = N, .y = y, .recorded = recorded};
    struct error_case cases[] = {of_product(DTYPE_F32), of_product(DTYPE_BF16),
        {.output = DTYPE_F32, .type = DTYPE_F32, .mask = 1e18}, of_product(DTYPE_F16)};
    (void)state;
    cases[3].finer = false; /* its kernels may split their sums */
    for (int i = 0; i < 8; i++) {
        struct error_found one = found_by(cases[i / 2], i % 2 ? none : x, 1),
                           all = found_by(cases[i / 2], i % 2 ? none : x, N);
        assert_true(one.error > 0 && one.n == all.n);
        assert_same(all.error, one.error);
        assert_same(all.once, one.once);
        assert_same(all.sums, one.sums);
        assert_true(isnan(all.sums) == (i != 7)); /* known where nothing was rounded inside */
        for (int k = 0; k < ARITHMETIC_COUNT; k++)
            assert_same(all.bound[k], one.bound[k]);
    }
}

static void variants_give_the_same_bits(void **state)
{
    struct error_elements x = drawn();
    struct error_factors f = {.product = true, .finer = true, .most = 1e18, .per_c = 0x1p-9, .per_a = 0x1p-24,
        .per_y = 0x1p-9, .least = 1e-40, .sums = 17, .spacing = 0x1p-8, .least_spacing = 1e-40, .own = 0x1p-9,
        .reduced = {0x1p-10, 0x1p-7, 0x1p-8}};
    (void)state;
    for (int i = 0; i < 2; i++, f.product = false) {
        struct error_terms first = {.rounded = false}, terms;
        int ran = 0;
        for (const struct error_block_variant *v = error_block_variants; v->runs; v++) {
            if (!v->runs())
                continue;
            memset(&terms, 0, sizeof terms);
            assert_true(v->compute(&terms, &f, &x, 3, ERROR_BLOCK));
            assert_true(terms.rounded);
            if (!ran++)
                first = terms;
            assert_memory_equal(&terms, &first, offsetof(struct error_terms, rounded));
            double kept = y[5];
            y[5] = NAN;
            assert_false(v->compute(&terms, &f, &x, 3, ERROR_LANES));
            y[5] = kept;
        }
        assert_true(ran >= 1);
    }
}

static void what_is_no_value_is_judged_by_itself(void **state)
{
    struct error_elements x = drawn();
    (void)state;
    y[500] = -1e30;
    recorded[500] = -2e30; /* a mask fill: its sign and size */
    y[700] = NAN;          /* nothing is said about it */
    assert_true(isfinite(found_by(of_product(DTYPE_F32), x, N).error));
    recorded[500] = 1;
    assert_true(isinf(found_by(of_product(DTYPE_F32), x, N).error));
    recorded[500] = -2e30;
    recorded[N - 1] = INFINITY;
    assert_true(isinf(found_by(of_product(DTYPE_F32), x, N).error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_give_what_elements_give),
        cmocka_unit_test(variants_give_the_same_bits),
        cmocka_unit_test(what_is_no_value_is_judged_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
