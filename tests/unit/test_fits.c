/* What explains a side's result by itself: how attention and windows were computed, told from their operands. */
#include "draws.h"
#include "support.h"

#include <math.h>

#include "base/mem.h"
#include "diagnose/attention_fit.h"
#include "diagnose/window_fit.h"

static uint64_t seed = 3;

static void fill(double *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = draw_normal(&seed);
}

/* ---- attention ---- */

enum { TOKENS = 12, SIZE = 8 };

static double lowered(enum attention_low low, double v)
{
    return low == LOW_NONE ? v : dtype_round(low == LOW_BF16 ? DTYPE_BF16 : DTYPE_F16, v);
}

/* The result for one head, computed in that way. */
static void attend(const double *q, const double *k, const double *v, double scale, bool causal,
                   enum attention_low low, double *o)
{
    memset(o, 0, TOKENS * SIZE * sizeof *o);
    for (int i = 0; i < TOKENS; i++) {
        int seen = causal ? i + 1 : TOKENS;
        double p[TOKENS], most = -INFINITY, sum = 0;
        for (int t = 0; t < seen; t++) {
            p[t] = 0;
            for (int c = 0; c < SIZE; c++)
                p[t] += q[i * SIZE + c] * k[t * SIZE + c];
            p[t] = lowered(low, p[t] * scale);
            most = fmax(most, p[t]);
        }
        for (int t = 0; t < seen; t++)
            sum += exp(p[t] - most);
        for (int t = 0; t < seen; t++)
            for (int c = 0; c < SIZE; c++)
                o[i * SIZE + c] += lowered(low, exp(p[t] - most) / sum) * v[t * SIZE + c];
    }
}

static void attention_by_its_result(void **state)
{
    static const struct {
        double scale;
        bool causal;
        enum attention_low low;
    } cases[] = {{1, false, LOW_NONE}, {1, true, LOW_NONE}, {0.3, true, LOW_NONE}, {1, false, LOW_BF16},
                 {1, true, LOW_F16}};
    double q[TOKENS * SIZE], k[TOKENS * SIZE], v[TOKENS * SIZE], o[TOKENS * SIZE];
    const struct attention_data a = {.q = q, .k = k, .v = v, .o = o, .batch = 1, .queries = TOKENS, .keys = TOKENS,
                                     .heads = 1, .kv_heads = 1, .size = SIZE, .v_size = SIZE, .q_step = SIZE,
                                     .k_step = SIZE, .v_step = SIZE};
    (void)state;
    fill(q, TOKENS * SIZE);
    fill(k, TOKENS * SIZE);
    fill(v, TOKENS * SIZE);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double scale = cases[i].scale / sqrt(SIZE);
        struct attention_way w;
        attend(q, k, v, scale, cases[i].causal, cases[i].low, o);
        assert_true(attention_fit(&a, 1e-6, &w));
        assert_true(fabs(w.scale / scale - 1) < 1e-4);
        assert_int_equal(w.ahead, cases[i].causal ? 0 : CAUSAL_NONE);
        assert_int_equal(w.low, cases[i].low);
    }
    fill(o, TOKENS * SIZE);
    struct attention_way w;
    assert_false(attention_fit(&a, 1e-2, &w));
}

/* ---- windows ---- */

enum { HIGH = 6, WIDE = 5, MOST_TERMS = 15 };

/* A convolution of one channel with a window of [rows, columns], padded with zeros so that the size stays. */
static void convolve(const double *x, const double *w, int rows, int columns, double *y)
{
    for (int i = 0; i < HIGH * WIDE; i++) {
        y[i] = 0;
        for (int k = 0; k < rows * columns; k++) {
            int r = i / WIDE + k / columns - rows / 2, c = i % WIDE + k % columns - columns / 2;
            if (r >= 0 && r < HIGH && c >= 0 && c < WIDE)
                y[i] += w[k] * x[r * WIDE + c];
        }
    }
}

static void windows_by_their_result(void **state)
{
    static const int sizes[][2] = {{3, 3}, {3, 1}, {1, 3}, {5, 3}};
    double x[HIGH * WIDE], w[MOST_TERMS], y[HIGH * WIDE];
    (void)state;
    fill(x, HIGH * WIDE);
    fill(w, MOST_TERMS);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        const struct window_data d = {.x = x, .y = y, .w = w, .samples = 1, .channels = 1, .filters = 1,
                                      .per_group = 1, .in = {HIGH, WIDE}, .out = {HIGH, WIDE},
                                      .size = {sizes[i][0], sizes[i][1]}};
        struct window_fit f;
        convolve(x, w, sizes[i][0], sizes[i][1], y);
        assert_true(window_fit(&d, false, 1e-9, &f));
        for (int a = 0; a < 2; a++) {
            assert_int_equal(f.size[a], sizes[i][a]);
            assert_int_equal(f.before[a], sizes[i][a] / 2);
        }
        assert_true(f.padding == MARGIN_CONSTANT && f.dilation == 1 && f.grain == GRAIN_NONE);
    }
    fill(y, HIGH * WIDE);
    const struct window_data none = {.x = x, .y = y, .w = w, .samples = 1, .channels = 1, .filters = 1, .per_group = 1,
                                     .in = {HIGH, WIDE}, .out = {HIGH, WIDE}, .size = {3, 3}};
    struct window_fit f;
    assert_false(window_fit(&none, false, 1e-2, &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_by_its_result),
        cmocka_unit_test(windows_by_their_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
