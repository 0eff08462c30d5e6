/* Which type's numbers a float32 tensor holds on one side only. */
#include "packed.h"

#include <math.h>

#include "num/grain.h"

#define N 2000

static void values(float *v, double noise)
{
    for (int i = 0; i < N; i++)
        v[i] = (float)(sin(i * 0.37 + 1) * exp(cos(i * 0.11)) * (1 + noise * cos(i * 1.7)));
}

static void round_to(enum dtype type, float *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = (float)dtype_round(type, (double)v[i]);
}

static void one_side_is_rounded(void **state)
{
    static const enum dtype types[] = {DTYPE_BF16, DTYPE_F16};
    float t[N], g[N];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        values(t, 3e-4);
        values(g, 0);
        round_to(types[i], t, N);
        struct figures f = packed_figures(t, g, N);
        assert_int_equal(f.kept[0], types[i]);
        assert_int_equal(f.kept[1], DTYPE_UNKNOWN);
        f = packed_figures(g, t, N);
        assert_int_equal(f.kept[1], types[i]);
        f = packed_figures(t, g, 48); /* so few may be round by nature */
        assert_int_equal(f.kept[0], DTYPE_UNKNOWN);
        t[N - 1] = 1.0001f; /* the last element alone */
        f = packed_figures(t, g, N);
        assert_int_equal(f.kept[0], KEPT_PART | types[i]);
    }
}

/* Half of the columns, or the first quarter: under any noise, on either side. */
static void a_part_is_rounded(void **state)
{
    float t[N], g[N];
    (void)state;
    for (int i = 0; i < 2; i++) {
        values(t, 3e-4);
        values(g, 0);
        for (int k = 0; k < N; k++)
            if (i ? k < N / 4 : k % 40 < 20)
                round_to(DTYPE_BF16, t + k, 1);
        struct figures f = packed_figures(t, g, N);
        assert_int_equal(f.kept[0], KEPT_PART | DTYPE_BF16);
        assert_int_equal(f.kept[1], DTYPE_UNKNOWN);
        f = packed_figures(g, t, N);
        assert_int_equal(f.kept[1], KEPT_PART | DTYPE_BF16);
    }
    values(t, 3e-4);
    for (int k = 0; k < N / 20; k++) /* too few to tell */
        round_to(DTYPE_BF16, t + k, 1);
    assert_int_equal(packed_figures(t, g, N).kept[0], DTYPE_UNKNOWN);
    for (int k = 0; k < N / 2; k++) /* a constant */
        t[k] = 1;
    assert_int_equal(packed_figures(t, g, N).kept[0], DTYPE_UNKNOWN);
    for (int share = 1; share <= 2; share++) { /* small whole numbers, half of all or all */
        for (int k = 0; k < N; k++) {
            g[k] = (float)(1 + k % 8) * 1.0007f;
            t[k] = k < N / share ? (float)(1 + k % 8) : g[k] * 1.0001f;
        }
        assert_int_equal(packed_figures(t, g, N).kept[0], DTYPE_UNKNOWN);
    }
}

static void what_is_no_rounding(void **state)
{
    float t[N], g[N];
    (void)state;
    values(t, 3e-4); /* both sides */
    values(g, 0);
    round_to(DTYPE_BF16, t, N);
    round_to(DTYPE_BF16, g, N);
    struct figures f = packed_figures(t, g, N);
    assert_true(!f.kept[0] && !f.kept[1]);
    for (int i = 0; i < N; i++) { /* zeros and ones, but for a few of the other side's */
        t[i] = (float)(i % 3 == 0);
        g[i] = i % 7 ? t[i] : 0.9993f;
    }
    f = packed_figures(t, g, N);
    assert_true(!f.kept[0] && !f.kept[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_side_is_rounded),
        cmocka_unit_test(a_part_is_rounded),
        cmocka_unit_test(what_is_no_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
