/* The noise level against a plain list of the last errors. */
#include "draws.h"
#include "support.h"

#include "judge/noise_level.h"

struct entry {
    float error;
    bool product;
    enum dtype d;
};

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void check(const struct noise_level *l, const struct entry *all, int n, int window)
{
    static const double q[] = {0, 0.1, 0.5, 0.75, 0.9, 1};
    int first = n > window ? n - window : 0, m = n - first;
    float sorted[LEVEL_MAX], product = 0;
    enum dtype coarse = DTYPE_UNKNOWN;
    for (int i = 0; i < m; i++) {
        const struct entry *x = &all[first + i];
        sorted[i] = x->error;
        if (x->product && x->error > product)
            product = x->error;
        if (coarse == DTYPE_UNKNOWN || dtype_table[x->d].epsilon > dtype_table[coarse].epsilon)
            coarse = x->d;
    }
    qsort(sorted, (size_t)m, sizeof *sorted, by_size);
    for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
        double want = m ? (double)sorted[(int)(q[i] * (m - 1) + 0.5)] : 0;
        assert_true(noise_level_quantile(l, q[i]) == want);
    }
    assert_true(noise_level_product(l) == (double)product);
    assert_int_equal(noise_level_dtype(l), coarse);
}

static void follows_the_last_errors(void **state)
{
    static const int windows[] = {1, 2, 7, 64, 256};
    static const enum dtype types[] = {DTYPE_F64, DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    static struct entry all[1500];
    uint64_t seed = 9;
    (void)state;
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        struct noise_level l;
        noise_level_init(&l, windows[w]);
        check(&l, all, 0, windows[w]);
        for (int i = 0; i < 1500; i++) {
            unsigned r = (unsigned)(draw_bits(&seed) >> 35);
            all[i] = (struct entry){(float)(r % 1000) * 1e-6f, r % 5 == 0, types[i < 700 ? r / 1000 % 4 : 1]};
            noise_level_add(&l, (double)all[i].error, all[i].product, all[i].d);
            check(&l, all, i + 1, windows[w]);
        }
    }
}

static void windows_are_kept_in_range(void **state)
{
    static const int odd[] = {0, -5, 257, 1000000};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct noise_level l;
        struct entry all[600];
        noise_level_init(&l, odd[i]);
        for (int k = 0; k < 600; k++) {
            all[k] = (struct entry){(float)(k * 37 % 600), false, DTYPE_F32};
            noise_level_add(&l, (double)all[k].error, false, DTYPE_F32);
        }
        check(&l, all, 600, odd[i] < 1 ? 1 : LEVEL_MAX);
    }
}

static void equal_errors(void **state)
{
    struct noise_level l;
    (void)state;
    noise_level_init(&l, 3);
    for (int i = 0; i < 100; i++) {
        noise_level_add(&l, 0.5, false, DTYPE_F32);
        assert_true(noise_level_quantile(&l, 0.75) == 0.5);
    }
    noise_level_add(&l, 0.25, false, DTYPE_F32);
    assert_true(noise_level_quantile(&l, 0) == 0.25 && noise_level_quantile(&l, 1) == 0.5);
    /* out of range: the ends */
    assert_true(noise_level_quantile(&l, 7) == 0.5 && noise_level_quantile(&l, -7) == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_last_errors),
        cmocka_unit_test(windows_are_kept_in_range),
        cmocka_unit_test(equal_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
