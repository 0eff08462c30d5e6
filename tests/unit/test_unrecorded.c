/* What comes down to rows through steps nobody recorded, and what operators and losses make of gradients: excused as
 * far as what came in explains it, and not one step further. */
#include "draws.h"
#include "scenes.h"
#include "sides.h"

#include <math.h>
#include <string.h>

enum { BEFORE = 16, ROWS = 64, WIDTH = 16, N = ROWS * WIDTH };
#define SIZES "64,16"

static struct scene s;
static uint64_t seed;
static enum dtype type;
static uint32_t before[BEFORE];

static double *drawn(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = draw_gaussian(&seed);
    return v;
}

/* A call of both sides. */
static void call(const char *name, const char *scope, enum family family)
{
    for (int i = 0; i < 2; i++) {
        uint32_t c = side_call(&s.d[i], name, scope);
        s.d[i].calls.v[c].family = (uint8_t)family;
    }
}

/* A tensor of the last call of one side, with its figures. */
static uint32_t one(int side, const char *slot, const char *sizes, const double *v, size_t n)
{
    struct dump *d = &s.d[side];
    uint32_t r = side_row(d, (uint32_t)d->calls.n - 1, slot, sizes);
    struct row *x = &d->rows.v[r];
    double sum = 0;
    x->stat[STAT_MAX] = x->stat[STAT_MIN] = v[0];
    for (size_t i = 0; i < n; i++) {
        x->stat[STAT_MAX] = fmax(x->stat[STAT_MAX], v[i]);
        x->stat[STAT_MIN] = fmin(x->stat[STAT_MIN], v[i]);
        sum += v[i];
    }
    x->dtype = (uint8_t)type;
    x->stat[STAT_MEAN] = sum / (double)n;
    x->stat[STAT_NORM] = root_mean_square(v, n) * sqrt((double)n);
    x->has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
    return r;
}

/* The same values on both sides, whose elements will be compared. */
static uint32_t both(const char *slot, const char *sizes, const double *v, size_t n)
{
    uint32_t r = 0;
    for (int i = 0; i < 2; i++) {
        r = one(i, slot, sizes, v, n);
        s.d[i].rows.v[r].has |= HAS_FILE;
    }
    return r;
}

static void begin_alone(uint64_t from, enum dtype of)
{
    scene_start(&s);
    seed = from;
    type = of;
}

/* Rows in a type whose errors of up to 0.02 are accepted, behind products that err by little. */
static void begin(uint64_t from)
{
    static double x[N];
    begin_alone(from, DTYPE_BF16);
    drawn(x, N);
    for (int i = 0; i < BEFORE; i++) {
        char name[60];
        snprintf(name, sizeof name, "Functional.linear.%d.forward", i);
        call(name, NULL, FAMILY_LINEAR);
        before[i] = both("output.0", SIZES, drawn(x, N), N);
    }
}

static void build(void)
{
    for (int i = 0; i < 2; i++)
        side_end(&s.d[i]);
    scene_build(&s);
}

/* As if the elements of that row had been compared, and were off by that much. */
static void errs(uint32_t row, double rel_l2)
{
    const struct row *r = &s.d[GOLDEN].rows.v[row];
    struct figures f = {.two = true, .rel_l2 = rel_l2, .max_abs = rel_l2, .one_thousandth = 0.9,
                        .five_thousandths = 0.99};
    for (int i = 0; i < 2; i++)
        f.side[i] = (struct side_figures){
            .max = r->stat[STAT_MAX], .min = r->stat[STAT_MIN], .mean = r->stat[STAT_MEAN], .norm = r->stat[STAT_NORM]};
    scene_computed(&s, row, &f);
}

static bool is_first(uint32_t row)
{
    for (int i = 0; i < BEFORE && type == DTYPE_BF16; i++)
        errs(before[i], 1e-4);
    scene_judge(&s);
    bool first = s.j.first != NONE && s.j.first == scene_line(&s, row);
    if (s.j.first != NONE && !first)
        fail_msg("line %u is the first deviation", s.j.first);
    scene_end(&s);
    return first;
}

/* ---- gradients weighed by values ---- */

/* What an exponential of masked scores hands back: a few live places of a gradient that is large at the masked ones.
 * The noise is computed, that of the whole gradient: times what noise makes of it the row errs by. */
static bool weighted(bool softmax, double noise, double times)
{
    static double x[N], y[N], g[N], h[N], dx[N], other[N];
    begin(3);
    for (size_t i = 0; i < N; i++) {
        x[i] = draw_gaussian(&seed);
        y[i] = softmax ? exp(x[i]) : i % WIDTH < 2 ? exp(x[i]) : 0;
        g[i] = softmax ? 40 + draw_gaussian(&seed) : i % WIDTH < 2 ? 0.1 * draw_gaussian(&seed) : draw_gaussian(&seed);
    }
    for (size_t r = 0; r < ROWS && softmax; r++) {
        double sum = 0;
        for (size_t i = 0; i < WIDTH; i++)
            sum += y[r * WIDTH + i];
        for (size_t i = 0; i < WIDTH; i++)
            y[r * WIDTH + i] /= sum;
    }
    for (size_t i = 0; i < N; i++)
        h[i] = g[i] + noise * root_mean_square(g, N) * draw_gaussian(&seed);
    for (size_t r = 0; r < ROWS; r++) {
        double c = 0, e = 0;
        for (size_t i = r * WIDTH; softmax && i < (r + 1) * WIDTH; i++) {
            c += y[i] * g[i];
            e += y[i] * h[i];
        }
        for (size_t i = r * WIDTH; i < (r + 1) * WIDTH; i++) {
            dx[i] = y[i] * (g[i] - c);
            other[i] = y[i] * (h[i] - e) - dx[i];
        }
    }
    double did = root_mean_square(other, N) / root_mean_square(dx, N);
    const char *op = softmax ? "softmax" : "exp";
    char name[60];
    snprintf(name, sizeof name, "Functional.%s.0.forward", op);
    call(name, NULL, family_find(str_of(op)));
    uint32_t in = both("input.0", SIZES, x, N);
    both("output.0", SIZES, y, N);
    snprintf(name, sizeof name, "Functional.%s.0.backward", op);
    call(name, NULL, family_find(str_of(op)));
    uint32_t came = both("input.0", SIZES, g, N), back = both("output.0", SIZES, dx, N);
    build();
    errs(in, 0);
    errs(came, noise);
    errs(back, times * did);
    return is_first(back);
}

/* What a reciprocal root hands back where one input is far smaller than the rest, as `weighted`. */
static bool of_power(double noise, double times)
{
    static double x[N], z[N], y[N], g[N], dx[N], other[N];
    begin(4);
    for (size_t i = 0; i < N; i++) {
        x[i] = i ? 1 + draw_share(&seed) : 0.02;
        g[i] = draw_gaussian(&seed);
    }
    for (size_t i = 0; i < N; i++) {
        z[i] = x[i] + noise * root_mean_square(x, N) * (i ? draw_gaussian(&seed) : 1);
        y[i] = pow(x[i], -0.5);
        dx[i] = -0.5 * pow(x[i], -1.5) * g[i];
        other[i] = -0.5 * pow(z[i], -1.5) * g[i] - dx[i];
    }
    double did = root_mean_square(other, N) / root_mean_square(dx, N);
    call("Torch.rsqrt.0.forward", NULL, family_find(STR("rsqrt")));
    uint32_t in = both("input.0", SIZES, x, N);
    both("output.0", SIZES, y, N);
    call("Torch.rsqrt.0.backward", NULL, family_find(STR("rsqrt")));
    uint32_t came = both("input.0", SIZES, g, N), back = both("output.0", SIZES, dx, N);
    build();
    errs(in, noise);
    errs(came, 0);
    errs(back, times * did);
    return is_first(back);
}

static void test_gradients_of_powers(void **state)
{
    (void)state;
    assert_false(of_power(5e-4, 1));
    assert_true(of_power(5e-4, 8));
}

static void test_weighted_gradients(void **state)
{
    (void)state;
    for (int softmax = 0; softmax < 2; softmax++) {
        assert_false(weighted(softmax, 0.01, 1)); /* what noise makes of it */
        assert_true(weighted(softmax, 0.01, 8)); /* what it does not */
    }
}

/* ---- gradients through a softmax that no row holds ---- */

enum { KEYS = 8, HEADS = N / KEYS / WIDTH };
#define HEADED "2,4,8,16"

/* dK of attention over nearly even values; `rounding`: what the product of gradient and values errs by. */
static void key_gradient(const double *q, const double *k, const double *v, const double *g, double rounding,
                         double *dk)
{
    double scale = 1 / sqrt(WIDTH);
    memset(dk, 0, N * sizeof *dk);
    for (size_t i = 0; i < HEADS * KEYS; i++) {
        double p[KEYS], dp[KEYS], sum = 0, c = 0;
        size_t from = i / KEYS * KEYS;
        for (size_t j = 0; j < KEYS; j++) {
            double score = 0;
            dp[j] = 0;
            for (size_t e = 0; e < WIDTH; e++) {
                score += scale * q[i * WIDTH + e] * k[(from + j) * WIDTH + e];
                dp[j] += g[i * WIDTH + e] * v[(from + j) * WIDTH + e];
            }
            dp[j] *= 1 + rounding * draw_gaussian(&seed);
            sum += p[j] = exp(score);
        }
        for (size_t j = 0; j < KEYS; j++)
            c += p[j] / sum * dp[j];
        for (size_t j = 0; j < KEYS; j++)
            for (size_t e = 0; e < WIDTH; e++)
                dk[(from + j) * WIDTH + e] += scale * p[j] / sum * (dp[j] - c) * q[i * WIDTH + e];
    }
}

/* A side's call with these values, in the order of the slots. */
static void call_of(int side, const char *name, enum family family, const char *const *slots, double *const *values)
{
    uint32_t c = side_call(&s.d[side], name, NULL);
    s.d[side].calls.v[c].family = (uint8_t)family;
    for (int i = 0; i < 4; i++) {
        uint32_t r = one(side, slots[i], HEADED, values[i], N);
        s.d[side].rows.v[r].has |= HAS_FILE;
    }
}

/* The gradient of keys behind attention that the target, or both sides, computed in one call, which errs by that many
 * times what rounding did to it. `spread` of the values: the less, the more the softmax takes away. */
static bool fused(bool on_both, double spread, double times)
{
    static double q[N], k[N], v[N], g[N], o[N], dq[N], dk[N], dv[N], other[N], any[7][N];
    static const char *const forward[] = {"input.0", "input.1", "input.2", "output.0"};
    static const char *const backward[] = {"input.0", "output.0", "output.1", "output.2"};
    double *const values[2][4] = {{q, k, v, o}, {g, dq, dk, dv}};
    double *const apart[2][4] = {{any[0], any[1], any[2], any[3]}, {g, any[4], any[5], any[6]}};
    begin(10);
    drawn(q, N), drawn(k, N), drawn(v, N), drawn(g, N), drawn(o, N), drawn(dq, N), drawn(dv, N);
    for (int i = 0; i < 7; i++)
        drawn(any[i], N);
    for (size_t i = 0; i < N; i++)
        v[i] = v[i / (KEYS * WIDTH) * KEYS * WIDTH + i % WIDTH] + spread * draw_gaussian(&seed);
    key_gradient(q, k, v, g, 0, dk);
    key_gradient(q, k, v, g, 0.002, other);
    for (size_t i = 0; i < N; i++)
        other[i] -= dk[i];
    double did = root_mean_square(other, N) / root_mean_square(dk, N);
    call("Tensor.__add__.0.forward", NULL, FAMILY_ADD);
    both("output.0", HEADED, k, N);
    if (on_both)
        call_of(GOLDEN, "Functional.scaled_dot_product_attention.0.forward", FAMILY_ATTENTION, forward, values[0]);
    else
        call_of(GOLDEN, "Torch.matmul.7.forward", FAMILY_LINEAR, forward, apart[0]);
    call_of(TARGET, "Functional.scaled_dot_product_attention.0.forward", FAMILY_ATTENTION, forward, values[0]);
    call("Module.o.Linear.backward.0", "o", FAMILY_LINEAR);
    uint32_t came = both("output.0", HEADED, g, N);
    if (on_both)
        call_of(GOLDEN, "Functional.scaled_dot_product_attention.0.backward", FAMILY_ATTENTION, backward, values[1]);
    else
        call_of(GOLDEN, "Torch.matmul.7.backward", FAMILY_LINEAR, backward, apart[1]);
    call_of(TARGET, "Functional.scaled_dot_product_attention.0.backward", FAMILY_ATTENTION, backward, values[1]);
    uint32_t put_out = came + 3;
    call("Tensor.__add__.0.backward", NULL, FAMILY_ADD);
    uint32_t held = both("input.0", HEADED, dk, N);
    build();
    errs(came, 0.002);
    if (on_both) {
        errs(came + 1, 0.002);
        errs(came + 2, 0.002);
        errs(put_out, times * did);
        errs(came + 4, 0.002);
    }
    errs(held, times * did);
    return is_first(on_both ? put_out : held);
}

static void test_fused_attention(void **state)
{
    (void)state;
    for (int on_both = 0; on_both < 2; on_both++) {
        assert_false(fused(on_both, 0.02, 1));
        assert_true(fused(on_both, 0.02, 8)); /* more than rounding does */
    }
    assert_true(fused(false, 1, 60)); /* little is taken away */
}

/* ---- gradients of weights ---- */

/* A linear layer whose places are nearly alike and whose gradient sums to nearly nothing over them: `noise` came in
 * with it, recorded behind the weight's. The weight errs by that many times what noise did to it, or by `error`. */
static bool weight_gradient(double alike, double noise, double times, double error)
{
    static double x[N], y[N], dy[N], other[N], w[WIDTH * WIDTH], diff[WIDTH * WIDTH], mean[WIDTH];
    begin(11);
    drawn(mean, WIDTH);
    drawn(y, N), drawn(dy, N);
    memset(w, 0, sizeof w);
    memset(diff, 0, sizeof diff);
    for (size_t i = 0; i < N; i++)
        x[i] = mean[i % WIDTH] + (1 - alike) * draw_gaussian(&seed);
    for (size_t e = 0; e < WIDTH; e++) {
        double sum = 0;
        for (size_t r = 0; r < ROWS; r++)
            sum += dy[r * WIDTH + e] / ROWS;
        for (size_t r = 0; r < ROWS; r++)
            dy[r * WIDTH + e] -= alike * sum;
    }
    for (size_t i = 0; i < N; i++)
        other[i] = noise * draw_gaussian(&seed);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t e = 0; e < WIDTH; e++)
            for (size_t f = 0; f < WIDTH; f++) {
                w[e * WIDTH + f] += dy[r * WIDTH + e] * x[r * WIDTH + f];
                diff[e * WIDTH + f] += other[r * WIDTH + e] * x[r * WIDTH + f];
            }
    double did = root_mean_square(diff, WIDTH * WIDTH) / root_mean_square(w, WIDTH * WIDTH);
    call("Module.k.Linear.forward.0", "k", FAMILY_LINEAR);
    both("input.0", SIZES, x, N);
    both("output.0", SIZES, y, N);
    call("Module.k.Linear.parameters_grad.0", "k", FAMILY_LINEAR);
    uint32_t weight = both("weight", "16,16", w, WIDTH * WIDTH);
    for (int i = 0; i < 2; i++) {
        s.d[i].rows.v[weight].io = IO_GRADIENT;
        s.d[i].rows.v[weight].dtype = DTYPE_F32;
    }
    call("Module.k.Linear.backward.0", "k", FAMILY_LINEAR);
    uint32_t came = both("input.0", SIZES, dy, N);
    build();
    errs(weight, error > 0 ? error : times * did);
    errs(came, noise);
    return is_first(weight);
}

static void test_weight_gradients(void **state)
{
    (void)state;
    assert_false(weight_gradient(0.98, 0.002, 1, 0)); /* the places' gradients cancel */
    assert_true(weight_gradient(0.98, 0.002, 8, 0));
    assert_false(weight_gradient(0, 0.015, 0, 0.03)); /* what came in will be accepted, in its 16-bit type */
    assert_true(weight_gradient(0, 0.07, 0, 0.1)); /* it will not */
    assert_true(weight_gradient(0, 0.002, 0, 0.03));
}

/* ---- sums, gates and ends nobody recorded ---- */

/* A module whose input goes two ways: the gradient it hands back is the sum of both, one of which is off by
 * `branch`. */
static bool branches(double branch, double sum)
{
    static double x[N], g[N], h[N], both_of[N];
    begin(4);
    drawn(x, N);
    drawn(g, N);
    drawn(h, N);
    for (size_t i = 0; i < N; i++)
        both_of[i] = g[i] + h[i];
    call("Module.stem.Linear.forward.0", "stem", FAMILY_LINEAR);
    both("output.0", SIZES, x, N);
    call("Module.top.a.LayerNorm.forward.0", "top.a", FAMILY_NORM);
    both("input.0", SIZES, x, N);
    call("Module.top.b.LayerNorm.forward.0", "top.b", FAMILY_NORM);
    both("input.0", SIZES, x, N);
    call("Module.top.Pyramid.forward.0", "top", FAMILY_MODULE);
    both("input.0", SIZES, x, N);
    call("Module.top.b.LayerNorm.backward.0", "top.b", FAMILY_NORM);
    uint32_t one_way = both("output.0", SIZES, g, N);
    call("Module.top.a.LayerNorm.backward.0", "top.a", FAMILY_NORM);
    uint32_t other_way = both("output.0", SIZES, h, N);
    call("Module.top.Pyramid.backward.0", "top", FAMILY_MODULE);
    uint32_t back = both("output.0", SIZES, both_of, N);
    build();
    errs(one_way, branch);
    errs(other_way, 1e-4);
    errs(back, sum);
    return is_first(back);
}

static void test_sums_of_gradients(void **state)
{
    (void)state;
    assert_false(branches(0.02, 0.04));
    assert_true(branches(0.02, 0.3));
    assert_true(branches(1e-4, 0.04));
}

/* Picked scores that an unrecorded call divides by their sum: the gradient of that sum, `share` of the gradient of the
 * scores into which it is added, is off by `error`. */
static bool term(double share, double error)
{
    static double x[N], sums[ROWS], g[ROWS], spread[N], whole[N];
    begin(6);
    drawn(x, N);
    drawn(sums, ROWS);
    drawn(whole, N);
    for (size_t i = 0; i < ROWS; i++)
        g[i] = share * draw_gaussian(&seed);
    for (size_t i = 0; i < N; i++)
        spread[i] = g[i / WIDTH];
    call("Tensor.gather.0.forward", NULL, FAMILY_COPY);
    both("output.0", SIZES, x, N);
    call("Tensor.sum.0.forward", NULL, FAMILY_REDUCE);
    both("input.0", SIZES, x, N);
    both("output.0", "64", sums, ROWS);
    call("Tensor.sum.0.backward", NULL, FAMILY_REDUCE);
    uint32_t in = both("input.0", "64", g, ROWS), out = both("output.0", SIZES, spread, N);
    call("Tensor.gather.0.backward", NULL, FAMILY_COPY);
    uint32_t sum = both("input.0", SIZES, whole, N);
    build();
    errs(in, error);
    errs(out, error);
    errs(sum, 1e-4);
    return is_first(in);
}

static void test_terms_of_sums(void **state)
{
    (void)state;
    assert_false(term(1e-5, 1.2)); /* within the noise of the sum */
    assert_true(term(1e-5, 80));
    assert_true(term(0.3, 1.2));
}

/* A ReLU in place behind an addition nobody recorded: its backward call holds the gradient before the gates. */
static bool in_place(double came_with, double behind)
{
    static double x[N], y[N], g[N], gated[N];
    begin(5);
    drawn(x, N);
    drawn(y, N);
    drawn(g, N);
    for (size_t i = 0; i < N; i++)
        gated[i] = y[i] > 0 ? g[i] : 0;
    call("Functional.batch_norm.0.forward", NULL, FAMILY_NORM);
    both("output.0", SIZES, x, N);
    call("Functional.relu.0.forward", NULL, FAMILY_ACTIVATION);
    both("input.0", SIZES, y, N);
    call("Functional.relu.0.backward", NULL, FAMILY_ACTIVATION);
    uint32_t came = both("output.0", SIZES, g, N);
    call("Functional.batch_norm.0.backward", NULL, FAMILY_NORM);
    uint32_t back = both("input.0", SIZES, gated, N);
    build();
    errs(came, came_with);
    errs(back, behind);
    return is_first(back);
}

static void test_gates_in_place(void **state)
{
    (void)state;
    assert_false(in_place(0.02, 0.04));
    assert_true(in_place(0.02, 0.4));
    assert_true(in_place(1e-4, 0.04));
}

/* A module that puts out what an unrecorded step made of its last call's value. */
static bool module_end(double last, double end)
{
    static double x[N], y[N], z[N];
    begin(6);
    drawn(x, N);
    drawn(y, N);
    drawn(z, N);
    call("Module.pool.norm.LayerNorm.forward.0", "pool.norm", FAMILY_NORM);
    both("input.0", SIZES, x, N);
    uint32_t inner = both("output.0", SIZES, y, N);
    call("Module.pool.Pool.forward.0", "pool", FAMILY_MODULE);
    both("input.0", SIZES, x, N);
    uint32_t out = both("output.0", SIZES, z, N);
    build();
    errs(inner, last);
    errs(out, end);
    return is_first(out);
}

static void test_ends_of_modules(void **state)
{
    (void)state;
    assert_false(module_end(0.02, 0.04));
    assert_true(module_end(0.02, 0.3));
    assert_true(module_end(1e-4, 0.04));
}

/* Where one side hands a value on as it is and the other puts a rounding between, which nobody recorded: the input
 * holds a coarser type's numbers, what it was before does not. */
static bool rounded_between(bool handed_on, enum dtype before_it, double error)
{
    static double x[N], y[N], z[N];
    begin_alone(9, DTYPE_F32);
    drawn(x, N);
    drawn(z, N);
    for (size_t i = 0; i < N; i++)
        y[i] = x[i] * 1.002;
    call("Module.a.Linear.forward.0", "a", FAMILY_LINEAR);
    uint32_t out = both("output.0", SIZES, x, N), in = 0;
    call("Module.b.Linear.forward.0", "b", FAMILY_LINEAR);
    for (int i = 0; i < 2; i++) {
        in = one(i, "input.0", SIZES, i == TARGET ? y : handed_on ? x : z, N);
        s.d[i].rows.v[in].has |= HAS_FILE;
    }
    build();
    struct figures f = {.two = true, .rel_l2 = 5e-4, .max_abs = 1, .kept = {(uint8_t)before_it, 0}};
    scene_computed(&s, out, &f);
    f = (struct figures){.two = true, .rel_l2 = error, .max_abs = 1, .kept = {DTYPE_BF16, 0}};
    scene_computed(&s, in, &f);
    return is_first(in);
}

static void test_roundings_between_rows(void **state)
{
    (void)state;
    assert_true(rounded_between(true, DTYPE_UNKNOWN, 1.8e-3));
    assert_false(rounded_between(true, DTYPE_BF16, 1.8e-3)); /* it was so before */
    assert_false(rounded_between(false, DTYPE_UNKNOWN, 1.8e-3)); /* either side computes it anew */
    assert_false(rounded_between(true, DTYPE_UNKNOWN, 1e-4)); /* less than rounding leaves */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fused_attention),    cmocka_unit_test(test_weight_gradients),
        cmocka_unit_test(test_weighted_gradients), cmocka_unit_test(test_gradients_of_powers),
        cmocka_unit_test(test_sums_of_gradients),
        cmocka_unit_test(test_terms_of_sums),
        cmocka_unit_test(test_gates_in_place),     cmocka_unit_test(test_ends_of_modules),
        cmocka_unit_test(test_roundings_between_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
