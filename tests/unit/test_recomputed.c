/* What is computed anew to say what a call did: activations, norms, products, pooling, attention; and orders with
 * signs. */
#include "draws.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "diagnose/activation_fit.h"
#include "diagnose/attention_fit.h"
#include "diagnose/dense_block.h"
#include "diagnose/norm_fit.h"
#include "diagnose/window_fit.h"

enum { N = 768 };
static double X[N], Y[N];

static void fill(double *v, size_t n, double scale, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (double)(float)(scale * draw_normal(&seed));
}

static double gelu_tanh(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static double gelu(double x)
{
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static double leaky(double x)
{
    return x > 0 ? x : 0.2 * x;
}

static double relu6(double x)
{
    return fmin(fmax(x, 0), 6);
}

static const struct {
    double (*f)(double);
    const char *name;
} functions[] = {{gelu, "gelu (erf)"},  {gelu_tanh, "gelu (tanh)"}, {silu, "silu"},
                 {leaky, "leaky relu"}, {relu6, "relu6"},           {tanh, "tanh"}};

static void activations_are_named(void **state)
{
    (void)state;
    fill(X, N, 3, 1);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        double left, own = 0;
        for (int i = 0; i < N; i++) {
            Y[i] = (double)(float)functions[k].f(X[i]);
            own += Y[i] * Y[i];
        }
        struct activation a = activation_fit(X, Y, N, &left);
        assert_string_equal(activation_name(a.kind), functions[k].name);
        assert_true(left <= 1e-12 * own);
        if (functions[k].f == leaky)
            assert_true(fabs(a.value - 0.2) < 1e-6);
    }
    double left, own = 0;
    for (int i = 0; i < N; i++) { /* no activation at all */
        Y[i] = X[i] * X[(i + 1) % N];
        own += Y[i] * Y[i];
    }
    activation_fit(X, Y, N, &left);
    assert_true(left > 0.01 * own);
}

static uint32_t possible_of(double (*f)(double), double high, double low, double least)
{
    double x[2] = {high, low}, y[2] = {f(high), least};
    return activations_possible(x, y, 2e-6);
}

/* By extremes alone: what the largest and the least value can come from. */
static void activations_by_figures(void **state)
{
    uint32_t tanh_form = possible_of(gelu_tanh, 2.5, -3, -0.17), silu_form = possible_of(silu, 2.5, -3, -0.27),
             relu_form = possible_of(relu6, 2.5, -3, 0);
    (void)state;
    assert_true(tanh_form && silu_form && relu_form);
    assert_int_equal(tanh_form & silu_form, 0);
    assert_int_equal(relu_form & (tanh_form | silu_form), 0);
    assert_true(activations_called(STR("GELUActivation")) & 1u << 3 && activations_called(STR("gelu")) & 1u << 4 &&
                !(activations_called(STR("gelu")) & 1u << 1) && !activations_called(STR("linear")));
    assert_int_equal(possible_of(gelu, 2.5, -3, -0.9), 0); /* gelu never falls that deep */
    assert_null(activation_name(32));
}

/* y = (x − m) / √(v + ε) w + b over the last axis of 32 × 24, or over 3 samples of 8 channels × 32. */
static void make_norm(enum norms_format kind, double epsilon, bool low, const double *w, const double *b,
                      const double *running)
{
    size_t groups = kind == NORM_RMS || kind == NORM_LAYER ? 32
                    : kind == NORM_GROUP                   ? 3 * 4
                    : kind == NORM_CHANNEL                 ? 3 * 32
                                                           : 8,
           count = N / groups;
    for (size_t g = 0; g < groups; g++) {
        double mean = 0, var = 0;
        for (int turn = 0; turn < 3; turn++)
            for (size_t i = 0; i < N; i++) {
                size_t channel = i / 32 % 8, own = groups == 32           ? i / 24
                                                   : kind == NORM_GROUP   ? i / 256 * 4 + channel / 2
                                                   : kind == NORM_CHANNEL ? i / 256 * 32 + i % 32
                                                                          : channel;
                double x = low ? dtype_round(DTYPE_BF16, X[i]) : X[i];
                size_t place = groups == 32 ? i % 24 : channel;
                if (own != g)
                    continue;
                if (turn == 0)
                    mean += kind == NORM_RMS ? 0 : x / (double)count;
                else if (turn == 1)
                    var += (x - mean) * (x - mean) / (double)count;
                else
                    Y[i] = (double)(float)((x - (running ? running[place] : mean)) /
                                               sqrt((running ? 2 : var) + epsilon) * w[place] +
                                           b[place]);
            }
    }
}

static struct norm_fit fitted(int ndim, const int64_t *shape, const double *w, const double *b, size_t width)
{
    struct norm_data d = {.x = X, .y = Y, .n = N, .ndim = ndim, .shape = shape, .weight = w, .bias = b, .width = width};
    struct norm_fit f;
    double own = 0;
    for (int i = 0; i < N; i++)
        own += Y[i] * Y[i];
    assert_true(norm_fit(&d, 1e-10 * own, &f));
    return f;
}

static void norms_are_told_apart(void **state)
{
    static const int64_t tokens[2] = {32, 24}, images[3] = {3, 8, 32};
    double w[24], b[24];
    (void)state;
    for (int low = 0; low < 2; low++)
        for (int kind = NORM_RMS; kind <= NORM_GROUP; kind++) {
            bool last = kind == NORM_RMS || kind == NORM_LAYER;
            if (kind == NORM_RUNNING)
                continue;
            fill(X, N, 0.1, 7 + (uint64_t)kind);
            fill(w, 24, 1, 3);
            fill(b, 24, 1, 4);
            make_norm((enum norms_format)kind, 1e-3, low, w, b, NULL);
            struct norm_fit f = fitted(last ? 2 : 3, last ? tokens : images, w, b, last ? 24 : 8);
            assert_int_equal(f.kind, kind);
            assert_int_equal(f.rounded, low ? DTYPE_BF16 : DTYPE_UNKNOWN);
            assert_true(fabs(f.epsilon / 1e-3 - 1) < 0.02);
            if (kind == NORM_GROUP)
                assert_int_equal(f.groups, 4);
        }
}

/* Evaluation: the figures of other batches, which were not recorded. */
static void running_figures(void **state)
{
    static const int64_t images[3] = {3, 8, 32};
    double w[24], b[24], running[24];
    (void)state;
    fill(X, N, 1, 11);
    fill(w, 24, 1, 3);
    fill(b, 24, 1, 4);
    fill(running, 24, 0.3, 5);
    make_norm(NORM_BATCH, 1e-5, false, w, b, running);
    assert_int_equal(fitted(3, images, w, b, 8).kind, NORM_RUNNING);
    for (int i = 0; i < N; i++) /* no norm: values cut off */
        Y[i] = fmax(X[i], 0);
    struct norm_data d = {.x = X, .y = Y, .n = N, .ndim = 3, .shape = images, .weight = w, .bias = b, .width = 8};
    struct norm_fit f;
    assert_false(norm_fit(&d, 1e-6 * N, &f));
}

static void signs_and_places(void **state)
{
    int64_t from[SIGNED_MOST];
    double sign[SIGNED_MOST];
    struct dense_block b = {.n = N, .ndim = 2, .shape = {N / 8, 8}, .axis = {0, 1}};
    (void)state;
    fill(X, N, 1, 21);
    for (int i = 0; i < N; i++) { /* neighbours turned, of what X holds with its halves turned */
        static const int of[8] = {5, 4, 7, 6, 1, 0, 3, 2};
        Y[i] = (i % 2 ? -1 : 1) * X[i / 8 * 8 + of[i % 8]];
    }
    b.v[0] = Y;
    b.v[1] = X;
    assert_true(block_signed_order(&b, 1, from, sign));
    assert_true(from[0] == 5 && sign[0] == 1 && from[1] == 4 && sign[1] == -1);
    Y[3] += 0.5;
    assert_false(block_signed_order(&b, 1, from, sign));
}

/* What does not vary lies on itself wherever it is shifted to. */
static void constants_are_not_shifted(void **state)
{
    struct dense_block b = {.n = 64, .ndim = 2, .shape = {8, 8}, .axis = {0, 1}};
    double share;
    (void)state;
    for (int i = 0; i < 64; i++) {
        X[i] = i % 8 < 6;
        Y[i] = 1;
        b.dev2 += (X[i] - Y[i]) * (X[i] - Y[i]);
        b.g2 += X[i] * X[i];
    }
    b.v[0] = Y;
    b.v[1] = X;
    for (int by = -4; by <= 4; by++)
        if (by)
            assert_false(dense_block_shift(&b, 1, by, &share) && share <= 0.01);
}

/* 2 × 3 × 8 × 6 in, 4 filters of 3 × 3: y made with one padding, stride and grain is told from the others. */
static void windows_are_found(void **state)
{
    double w[4 * 3 * 9], bias[4];
    struct window_data d = {.x = X,
                            .y = Y,
                            .w = w,
                            .bias = bias,
                            .samples = 2,
                            .channels = 3,
                            .per_group = 3,
                            .filters = 4,
                            .in = {8, 6},
                            .size = {3, 3}};
    struct window_fit f;
    (void)state;
    fill(w, sizeof w / sizeof *w, 0.3, 2);
    fill(bias, 4, 1, 3);
    for (int way = 0; way < 4; way++) { /* reflected, asymmetric, dilated, rounded */
        int stride = way == 1 ? 2 : 1, before = way == 1 ? 0 : way == 2 ? 2 : 1, dilation = way == 2 ? 2 : 1;
        fill(X, 2 * 3 * 48, 1, 31);
        d.out[0] = way == 1 ? 4 : 8;
        d.out[1] = way == 1 ? 3 : 6;
        size_t n = 0;
        for (int s = 0; s < 2; s++)
            for (int o = 0; o < 4; o++)
                for (int r = 0; r < d.out[0]; r++)
                    for (int c = 0; c < d.out[1]; c++, n++) {
                        double sum = bias[o];
                        for (int k = 0; k < 27; k++) {
                            int y = r * stride - before + k % 9 / 3 * dilation,
                                x = c * stride - before + k % 3 * dilation;
                            bool beyond = y < 0 || y > 7 || x < 0 || x > 5;
                            y = way || !beyond ? y : y < 0 ? -y : y > 7 ? 14 - y : y;
                            x = way || !beyond ? x : x < 0 ? -x : x > 5 ? 10 - x : x;
                            double v = y < 0 || y > 7 || x < 0 || x > 5 ? 0 : X[((s * 3 + k / 9) * 8 + y) * 6 + x];
                            sum += (way == 3 ? dtype_round(DTYPE_BF16, v) : v) * w[o * 27 + k];
                        }
                        Y[n] = (double)(float)sum;
                    }
        assert_true(window_fit(&d, false, 1e-5, &f));
        assert_int_equal(f.padding, way ? MARGIN_CONSTANT : MARGIN_REFLECT);
        assert_int_equal(f.stride[0], stride);
        assert_int_equal(f.before[1], before);
        assert_int_equal(f.dilation, dilation);
        assert_int_equal(f.grain, way == 3 ? GRAIN_BF16_INPUT : GRAIN_NONE);
    }
    Y[5] += 3;
    Y[40] -= 2;
    assert_false(window_fit(&d, false, 1e-5, &f));
}

static void pooling_is_found(void **state)
{
    struct window_data d = {
        .x = X, .y = Y, .samples = 2, .channels = 3, .per_group = 1, .filters = 3, .in = {8, 8}, .out = {4, 4}};
    struct window_fit f;
    (void)state;
    fill(X, 2 * 3 * 64, 1, 41);
    for (int before = 0; before < 2; before++) {
        for (int i = 0; i < 96; i++) {
            double most = -INFINITY;
            for (int k = 0; k < 9; k++) {
                int y = i / 4 % 4 * 2 - before + k / 3, x = i % 4 * 2 - before + k % 3;
                most = y < 0 || y > 7 || x < 0 || x > 7 ? most : fmax(most, X[i / 16 * 64 + y * 8 + x]);
            }
            Y[i] = most;
        }
        assert_true(window_fit(&d, true, 1e-6, &f));
        assert_true(f.kind == WINDOW_MAX && f.size[0] == 3 && f.stride[0] == 2 && f.before[0] == before);
    }
}

/* 2 samples, 6 tokens, 2 heads of 4 (8 wide), keys of one head: o of a scale, a causal mask and a rotation. */
enum { TOKENS = 6, HEADS = 2, SIZE = 4 };
static double Q[2 * TOKENS * HEADS * SIZE], K[2 * TOKENS * SIZE], V[2 * TOKENS * SIZE], O[2 * TOKENS * HEADS * SIZE],
    COS[TOKENS * SIZE], SIN[TOKENS * SIZE];

static double turned(const double *x, int token, int i, bool neighbours)
{
    bool first = neighbours ? i % 2 == 0 : i < SIZE / 2;
    int other = neighbours ? (first ? i + 1 : i - 1) : (i + SIZE / 2) % SIZE;
    return x[i] * COS[token * SIZE + i] + (first ? -1 : 1) * x[other] * SIN[token * SIZE + i];
}

static void make_attention(double scale, int ahead, int window, bool neighbours)
{
    for (int b = 0; b < 2; b++)
        for (int q = 0; q < TOKENS; q++)
            for (int h = 0; h < HEADS; h++) {
                double p[TOKENS], sum = 0;
                for (int k = 0; k < TOKENS; k++) {
                    p[k] = 0;
                    for (int i = 0; i < SIZE; i++)
                        p[k] += turned(Q + ((b * TOKENS + q) * HEADS + h) * SIZE, q, i, neighbours) *
                                turned(K + (b * TOKENS + k) * SIZE, k, i, neighbours);
                    p[k] = k > q + ahead || k <= q - window ? 0 : exp(scale * p[k]);
                    sum += p[k];
                }
                for (int i = 0; i < SIZE; i++) {
                    double o = 0;
                    for (int k = 0; k < TOKENS; k++)
                        o += p[k] / sum * V[(b * TOKENS + k) * SIZE + i];
                    O[((b * TOKENS + q) * HEADS + h) * SIZE + i] = (double)(float)o;
                }
            }
}

static void attention_is_computed_anew(void **state)
{
    struct attention_data d = {.q = Q,
                               .k = K,
                               .v = V,
                               .o = O,
                               .batch = 2,
                               .queries = TOKENS,
                               .keys = TOKENS,
                               .heads = HEADS,
                               .kv_heads = 1,
                               .size = SIZE,
                               .v_size = SIZE,
                               .q_step = HEADS * SIZE,
                               .k_step = SIZE,
                               .v_step = SIZE,
                               .q_head = SIZE,
                               .k_head = SIZE,
                               .v_head = SIZE,
                               .cosines = COS,
                               .sines = SIN,
                               .turned = SIZE,
                               .table_batch = 1};
    struct attention_way w;
    (void)state;
    fill(Q, sizeof Q / sizeof *Q, 1, 51);
    fill(K, sizeof K / sizeof *K, 1, 52);
    fill(V, sizeof V / sizeof *V, 1, 53);
    for (int i = 0; i < TOKENS * SIZE; i++) {
        double angle = i / SIZE * (i % 2 ? 0.3 : 1);
        COS[i] = cos(angle);
        SIN[i] = sin(angle);
    }
    for (int way = 0; way < 5; way++) {
        make_attention(way ? 0.35 : 0.5, way == 2, way == 4 ? 3 : TOKENS, way == 3);
        assert_true(attention_fit(&d, 1e-5, &w));
        assert_true(fabs(w.scale / (way ? 0.35 : 0.5) - 1) < 1e-4);
        assert_int_equal(w.ahead, way == 2);
        assert_int_equal(w.window, way == 4 ? 3 : 0);
        assert_int_equal(w.rope, way == 3 ? ROTATE_NEIGHBOURS : ROTATE_HALVES);
        assert_int_equal(w.low, LOW_NONE);
    }
    fill(O, sizeof O / sizeof *O, 1, 54); /* anything else */
    assert_false(attention_fit(&d, 1e-3, &w));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_are_named),      cmocka_unit_test(activations_by_figures),
        cmocka_unit_test(norms_are_told_apart),       cmocka_unit_test(running_figures),
        cmocka_unit_test(windows_are_found),          cmocka_unit_test(pooling_is_found),
        cmocka_unit_test(attention_is_computed_anew), cmocka_unit_test(signs_and_places),
        cmocka_unit_test(constants_are_not_shifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
