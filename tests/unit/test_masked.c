/* Masks: what counts as a fill, and what is then judged. */
#include "packed.h"

#include <float.h>
#include <math.h>

#include "num/masked.h"

#define N 256

/* Scores of queries before keys: everything above the diagonal of 16 × 16 is filled. */
static void scores(float *v, float fill, bool added, double error)
{
    for (int i = 0; i < N; i++) {
        float score = (float)(sin(i * 0.7) * 3 * (1 + error * cos(i)));
        v[i] = i % 16 > i / 16 ? (added ? score + fill : fill) : score;
    }
}

static void fills_of_all_kinds_are_one_value(void **state)
{
    static const struct {
        float fill;
        bool added;
    } kinds[] = {{-10000, false}, {-10000, true}, {-INFINITY, false}, {-FLT_MAX, false}, {-1e9f, true}};
    float t[N], g[N];
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            scores(t, kinds[i].fill, kinds[i].added, 0);
            scores(g, kinds[k].fill, kinds[k].added, 0);
            struct figures f = packed_figures(t, g, N);
            assert_int_equal(f.masked, 120);
            assert_true(f.unmasked == 0);
            assert_true(figures_judged_error(&f) == 0);
        }
}

/* The error of the scores, which the fills' size would hide. */
static void what_is_left_is_judged(void **state)
{
    float t[N], g[N];
    (void)state;
    scores(t, -10000, true, 1e-2);
    scores(g, -10000, false, 0);
    struct figures f = packed_figures(t, g, N);
    assert_int_equal(f.masked, 120);
    assert_true(f.unmasked > 5e-3 && f.unmasked < 1e-2);
    assert_true(f.rel_l2 < 1e-3);
}

static void another_mask_is_no_mask(void **state)
{
    float t[N], g[N];
    (void)state;
    scores(t, -10000, false, 0);
    scores(g, -10000, false, 0);
    t[0] = -10000;
    struct figures f = packed_figures(t, g, N);
    assert_int_equal(f.masked, 0);
    assert_true(figures_judged_error(&f) > 0.01);
}

/* A few large elements, and a range without a gap, are values. */
static void outliers_are_values(void **state)
{
    float t[N], g[N];
    (void)state;
    for (int i = 0; i < N; i++)
        t[i] = g[i] = (float)sin(i);
    t[7] = -12000;
    g[7] = -11000;
    t[9] = g[9] = -11900;
    assert_int_equal(packed_figures(t, g, N).masked, 0);
    for (int i = 0; i < N; i++)
        t[i] = g[i] = (float)(-i * 100);
    assert_int_equal(packed_figures(t, g, N).masked, 0);
}

static void nan_beside_fills_is_seen(void **state)
{
    float t[N], g[N];
    (void)state;
    scores(t, -INFINITY, false, 0);
    scores(g, -10000, false, 0);
    t[0] = NAN;
    struct figures f = packed_figures(t, g, N);
    assert_int_equal(f.masked, 0);
    assert_true(f.unlike > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_of_all_kinds_are_one_value), cmocka_unit_test(what_is_left_is_judged),
        cmocka_unit_test(another_mask_is_no_mask),          cmocka_unit_test(outliers_are_values),
        cmocka_unit_test(nan_beside_fills_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
