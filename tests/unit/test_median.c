/* Order statistics against sorting, with equal values and every place. */
#include "support.h"

#include "base/median.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void against_sorting(void **state)
{
    uint32_t seed = 5;
    (void)state;
    for (size_t n = 1; n <= 40; n++)
        for (int kinds = 1; kinds <= 50; kinds += 7) {
            double v[40], w[40], sorted[40];
            for (size_t i = 0; i < n; i++) {
                seed = seed * 1664525u + 1013904223u;
                v[i] = (double)((seed >> 16) % (uint32_t)kinds) - 3;
            }
            memcpy(sorted, v, n * sizeof *v);
            qsort(sorted, n, sizeof *sorted, ascending);
            for (size_t k = 0; k < n; k++) {
                memcpy(w, v, n * sizeof *v);
                assert_true(select_kth(w, n, k) == sorted[k]);
            }
            memcpy(w, v, n * sizeof *v);
            assert_true(median_of(w, n) == (n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
