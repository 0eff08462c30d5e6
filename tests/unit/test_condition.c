/* Condition numbers against what noise really does: the operator is computed twice, from values and from values with
 * noise of a known size, and how much larger the error came out must be what conditioning.h says of it. And what is
 * made of them: rows held apart as doubtful, and faults beyond what noise can do that are not. */
#include "judge/thresholds.h"
#include "draws.h"
#include "scenes.h"

#include <math.h>

#include "judge/attention_gradient.h"
#include "judge/conditioning.h"
#include "dump/family.h"
#include "sides.h"

#define ROWS 256
#define WIDTH 16
#define N (ROWS * WIDTH)

static uint64_t seed;

/* ---- operators, each from x (and z, which has no noise) to y; how many elements y has ---- */

static size_t op_softmax(const double *x, const double *z, double *y)
{
    (void)z;
    for (size_t r = 0; r < ROWS; r++) {
        double sum = 0, max = x[r * WIDTH];
        for (size_t i = 0; i < WIDTH; i++)
            max = fmax(max, x[r * WIDTH + i]);
        for (size_t i = 0; i < WIDTH; i++)
            sum += y[r * WIDTH + i] = exp(x[r * WIDTH + i] - max);
        for (size_t i = 0; i < WIDTH; i++)
            y[r * WIDTH + i] /= sum;
    }
    return N;
}

static size_t op_log_softmax(const double *x, const double *z, double *y)
{
    op_softmax(x, z, y);
    for (size_t i = 0; i < N; i++)
        y[i] = log(y[i]);
    return N;
}

static size_t op_cross_entropy(const double *x, const double *z, double *y)
{
    static double p[N];
    double sum = 0;
    op_softmax(x, z, p);
    for (size_t r = 0; r < ROWS; r++)
        sum -= log(p[r * WIDTH + r % WIDTH]);
    y[0] = sum / ROWS;
    return 1;
}

static size_t op_layer_norm(const double *x, const double *z, double *y)
{
    (void)z;
    for (size_t r = 0; r < ROWS; r++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < WIDTH; i++)
            mean += x[r * WIDTH + i] / WIDTH;
        for (size_t i = 0; i < WIDTH; i++)
            square += (x[r * WIDTH + i] - mean) * (x[r * WIDTH + i] - mean) / WIDTH;
        for (size_t i = 0; i < WIDTH; i++)
            y[r * WIDTH + i] = (x[r * WIDTH + i] - mean) / sqrt(square + 1e-5);
    }
    return N;
}

static size_t op_div(const double *x, const double *z, double *y)
{
    for (size_t i = 0; i < N; i++)
        y[i] = z[i] / x[i];
    return N;
}

#define EACH(name, f)                                                  \
    static size_t op_##name(const double *x, const double *z, double *y) \
    {                                                                  \
        (void)z;                                                       \
        for (size_t i = 0; i < N; i++)                                 \
            y[i] = f;                                                  \
        return N;                                                      \
    }
EACH(reciprocal, 1 / x[i])
EACH(rsqrt, 1 / sqrt(x[i]))
EACH(log, log(x[i]))
EACH(exp, exp(x[i]))
EACH(cos, cos(x[i]))
EACH(tanh, tanh(x[i]))
EACH(sigmoid, 1 / (1 + exp(-x[i])))

/* ---- values ---- */

static double around_zero(double size)
{
    return size * draw_gaussian(&seed);
}

static double around_5000(double size)
{
    return 5000 + size * draw_gaussian(&seed);
}

static double down_to_zero(double size)
{
    return size + fabs(draw_gaussian(&seed));
}

static double around_one(double size)
{
    return 1 + size * draw_gaussian(&seed);
}

static const struct measured {
    const char *op;
    size_t (*run)(const double *x, const double *z, double *y);
    double (*value)(double size);
    double size, noise;
    enum condition_kind kind;
    double low, high; /* what the operator did, as a share of what was estimated: bounds of it */
} table[] = {
    {"softmax", op_softmax, around_zero, 0.1, 1e-5, CONDITION_NONE, 0, 0}, /* well conditioned: below 4 */
    {"softmax", op_softmax, around_zero, 30, 1e-5, CONDITION_SOFTMAX, 0.3, 3},
    {"softmax", op_softmax, around_zero, 300, 1e-6, CONDITION_SOFTMAX, 0.1, 3}, /* saturated but for ties */
    {"log_softmax", op_log_softmax, around_5000, 1, 1e-7, CONDITION_LOG_SOFTMAX, 0.3, 3},
    {"cross_entropy", op_cross_entropy, around_5000, 1, 1e-7, CONDITION_LOG_SOFTMAX, 0.1, 3},
    {"layer_norm", op_layer_norm, around_5000, 5, 1e-7, CONDITION_CENTRED, 0.5, 2},
    {"layer_norm", op_layer_norm, around_zero, 1, 1e-5, CONDITION_NONE, 0, 0},
    {"div", op_div, down_to_zero, 1e-3, 1e-5, CONDITION_QUOTIENT, 0.2, 5},
    {"reciprocal", op_reciprocal, down_to_zero, 1e-3, 1e-5, CONDITION_POWER, 0.2, 5},
    {"rsqrt", op_rsqrt, down_to_zero, 1e-4, 1e-6, CONDITION_POWER, 0.2, 20},
    {"log", op_log, around_one, 1e-3, 1e-6, CONDITION_LOG, 0.5, 2},
    {"exp", op_exp, around_zero, 20, 1e-5, CONDITION_EXP, 0.05, 3},
    {"cos", op_cos, around_zero, 2000, 1e-7, CONDITION_TRIG, 0.5, 2},
};

static uint32_t row_of(struct dump *d, uint32_t call, const char *slot, enum dtype type, const char *sizes,
                       const double *v, size_t n)
{
    uint32_t r = side_row(d, call, slot, sizes);
    struct row *row = &d->rows.v[r];
    double sum = 0;
    row->dtype = (uint8_t)type;
    row->stat[STAT_MAX] = -INFINITY;
    row->stat[STAT_MIN] = INFINITY;
    for (size_t i = 0; i < n; i++) {
        row->stat[STAT_MAX] = fmax(row->stat[STAT_MAX], v[i]);
        row->stat[STAT_MIN] = fmin(row->stat[STAT_MIN], v[i]);
        sum += v[i];
    }
    row->stat[STAT_MEAN] = sum / (double)n;
    row->stat[STAT_NORM] = root_mean_square(v, n) * sqrt((double)n);
    row->has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
    return r;
}

static uint32_t call_of(struct dump *d, const char *op)
{
    char name[80];
    snprintf(name, sizeof name, "Functional.%s.%zu.forward", op, d->calls.n);
    uint32_t c = side_call(d, name, NULL);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    return c;
}

/* The condition of a golden row of two finished sides, which it releases. */
static struct condition condition_and_release(struct dump d[2], uint32_t row)
{
    struct pairing p = {0};
    struct pairing_options po = {0};
    struct measure m = {0};
    pairing_build(&p, &d[0], &d[1], &po);
    measure_init(&m, &d[0], &d[1], &p, NULL);
    struct condition c = condition_of(&m, m.state, row);
    measure_release(&m);
    pairing_release(&p);
    dump_release(&d[0]);
    dump_release(&d[1]);
    return c;
}

static struct condition alone(const char *op, const double *x, const double *z, const double *y, size_t n)
{
    struct dump d[2];
    uint32_t out = 0;
    for (int s = 0; s < 2; s++) {
        side_start(&d[s], "pytorch");
        uint32_t c = call_of(&d[s], op);
        if (z)
            row_of(&d[s], c, "input.0", DTYPE_F32, "256,16", z, N);
        row_of(&d[s], c, z ? "input.1" : "input.0", DTYPE_F32, "256,16", x, N);
        out = row_of(&d[s], c, "output.0", DTYPE_F32, n == N ? "256,16" : "", y, n);
        side_end(&d[s]);
    }
    return condition_and_release(d, out);
}

static void test_noise_grows_as_estimated(void **state)
{
    static double x[N], noisy[N], z[N], y[2][N], d[N];
    (void)state;
    for (size_t t = 0; t < ARRAY_LEN(table); t++) {
        const struct measured *q = &table[t];
        seed = 11 + t;
        for (size_t i = 0; i < N; i++) {
            x[i] = q->value(q->size);
            z[i] = draw_gaussian(&seed);
        }
        double size = root_mean_square(x, N);
        for (size_t i = 0; i < N; i++)
            noisy[i] = x[i] + q->noise * size * draw_gaussian(&seed);
        size_t n = q->run(x, z, y[0]);
        q->run(noisy, z, y[1]);
        for (size_t i = 0; i < n; i++)
            d[i] = y[1][i] - y[0][i];
        double did = root_mean_square(d, n) / root_mean_square(y[0], n) / q->noise;
        struct condition c = alone(q->op, x, strcmp(q->op, "div") == 0 ? z : NULL, y[0], n);
        if (q->kind == CONDITION_NONE) {
            if (c.kappa >= rule_limit(RULE_LIMIT_ILL_CONDITIONED))
                fail_msg("%s %g: kappa %g", q->op, q->size, c.kappa);
        } else if (c.kind != q->kind || c.kappa < rule_limit(RULE_LIMIT_ILL_CONDITIONED) || did < q->low * c.kappa ||
                   did > q->high * c.kappa)
            fail_msg("%s %g: kind %d, kappa %g, the error grew by %g", q->op, q->size, c.kind, c.kappa, did);
    }
}

/* ---- gradients of operators, each from x and g, what came in, to dx ---- */

static size_t back_tanh(const double *x, const double *g, double *dx)
{
    for (size_t i = 0; i < N; i++)
        dx[i] = g[i] * (1 - tanh(x[i]) * tanh(x[i]));
    return N;
}

static size_t back_sigmoid(const double *x, const double *g, double *dx)
{
    for (size_t i = 0; i < N; i++)
        dx[i] = g[i] / ((1 + exp(-x[i])) * (1 + exp(x[i])));
    return N;
}

static size_t back_layer_norm(const double *x, const double *g, double *dx)
{
    static double y[N];
    op_layer_norm(x, NULL, y);
    for (size_t r = 0; r < N; r += WIDTH) {
        double mean = 0, along = 0, size = 0;
        for (size_t i = r; i < r + WIDTH; i++) {
            mean += g[i] / WIDTH;
            along += g[i] * y[i] / WIDTH;
            size += x[i] * x[i] / WIDTH;
        }
        for (size_t i = r; i < r + WIDTH; i++)
            dx[i] = (g[i] - mean - y[i] * along) / sqrt(size);
    }
    return N;
}

#define FEW 4 /* values of a channel */
#define CHANNELS (N / FEW)

/* A batch norm of few values a channel: of x, and with g back to dx (else NULL). */
static void few_a_channel(const double *x, const double *g, double *y, double *dx)
{
    for (size_t c = 0; c < CHANNELS; c++) {
        double mean = 0, square = 1e-5, along = 0, came = 0;
        for (size_t i = c; i < N; i += CHANNELS)
            mean += x[i] / FEW;
        for (size_t i = c; i < N; i += CHANNELS)
            square += (x[i] - mean) * (x[i] - mean) / FEW;
        for (size_t i = c; i < N; i += CHANNELS) {
            y[i] = (x[i] - mean) / sqrt(square);
            along += g[i] * y[i] / FEW;
            came += g[i] / FEW;
        }
        for (size_t i = c; i < N; i += CHANNELS)
            dx[i] = (g[i] - came - y[i] * along) / sqrt(square);
    }
}

/* y → g, and back: the condition of dx. */
static struct condition alone_back(const char *op, const char *sizes, const double *x, const double *y, const double *g,
                                   const double *dx)
{
    struct dump d[2];
    uint32_t out = 0;
    char name[80];
    snprintf(name, sizeof name, "Functional.%s.0.backward", op);
    for (int s = 0; s < 2; s++) {
        side_start(&d[s], "pytorch");
        uint32_t c = call_of(&d[s], op);
        row_of(&d[s], c, "input.0", DTYPE_F32, sizes, x, N);
        row_of(&d[s], c, "output.0", DTYPE_F32, sizes, y, N);
        uint32_t b = side_call(&d[s], name, NULL);
        d[s].calls.v[b].family = d[s].calls.v[c].family;
        row_of(&d[s], b, "input.0", DTYPE_F32, sizes, g, N);
        out = row_of(&d[s], b, "output.0", DTYPE_F32, sizes, dx, N);
        side_end(&d[s]);
    }
    return condition_and_release(d, out);
}

/* What a function that saturates, or a norm whose incoming gradient lies along its values or some of whose groups
 * hardly differ, leaves of a gradient. */
static void test_gradients_grow_as_estimated(void **state)
{
    static double x[N], noisy[N], y[N], g[N], dx[2][N], d[N];
    static const struct {
        const char *op;
        size_t (*run)(const double *x, const double *z, double *y), (*back)(const double *, const double *, double *);
        double size, noise, low, high, least; /* least: of a group, beside the size */
    } cases[] = {
        {"tanh", op_tanh, back_tanh, 20, 1e-6, 0.2, 2, 1},
        {"sigmoid", op_sigmoid, back_sigmoid, 20, 1e-6, 0.2, 2, 1},
        {"layer_norm", op_layer_norm, back_layer_norm, 1, 1e-6, 0.2, 3, 1},
        {"layer_norm", op_layer_norm, back_layer_norm, 1, 1e-6, 0.2, 3, 0.02},
    };
    (void)state;
    for (size_t t = 0; t < ARRAY_LEN(cases); t++) {
        seed = 21 + t;
        for (size_t i = 0; i < N; i++) {
            x[i] = around_zero(cases[t].size) * (i / WIDTH % 16 ? 1 : cases[t].least);
            noisy[i] = x[i] + cases[t].noise * cases[t].size * draw_gaussian(&seed);
        }
        cases[t].run(x, NULL, y);
        for (size_t i = 0; i < N; i++)
            g[i] = (cases[t].back == back_layer_norm && cases[t].least == 1 ? y[i] : 0) + 0.001 * draw_gaussian(&seed);
        cases[t].back(x, g, dx[0]);
        cases[t].back(noisy, g, dx[1]);
        for (size_t i = 0; i < N; i++)
            d[i] = dx[1][i] - dx[0][i];
        double did = root_mean_square(d, N) / root_mean_square(dx[0], N) / cases[t].noise;
        struct condition c = alone_back(cases[t].op, "256,16", x, y, g, dx[0]);
        if (c.kind != CONDITION_WEIGHTED || c.kappa < rule_limit(RULE_LIMIT_ILL_CONDITIONED) ||
            did < cases[t].low * c.kappa || did > cases[t].high * c.kappa)
            fail_msg("%s: kind %d, kappa %g, the error grew by %g", cases[t].op, c.kind, c.kappa, did);
    }
}

/* The variance of few values differs by chance, and the smallest of many takes most noise: a batch of four in each of
 * 1,024 channels. */
static void test_gradients_of_few_values(void **state)
{
    static double x[N], noisy[N], y[2][N], g[N], dx[2][N], d[N];
    const double noise = 1e-6;
    (void)state;
    seed = 5;
    for (size_t i = 0; i < N; i++) {
        x[i] = draw_gaussian(&seed);
        noisy[i] = x[i] + noise * draw_gaussian(&seed);
        g[i] = draw_gaussian(&seed);
    }
    few_a_channel(x, g, y[0], dx[0]);
    few_a_channel(noisy, g, y[1], dx[1]);
    for (size_t i = 0; i < N; i++)
        d[i] = dx[1][i] - dx[0][i];
    double did = root_mean_square(d, N) / root_mean_square(dx[0], N) / noise;
    struct condition c = alone_back("batch_norm", "4,1024", x, y[0], g, dx[0]);
    if (c.kind != CONDITION_WEIGHTED || did < 0.5 * c.kappa || did > 2 * c.kappa)
        fail_msg("kind %d, kappa %g, the error grew by %g", c.kind, c.kappa, did);
}

/* The fills of a mask are large and carry no noise. */
static void test_masked_scores(void **state)
{
    static double x[N], y[N];
    (void)state;
    seed = 3;
    for (size_t i = 0; i < N; i++)
        x[i] = i % WIDTH > 8 ? -65504 : 10 * draw_gaussian(&seed);
    op_softmax(x, NULL, y);
    struct condition c = alone("softmax", x, NULL, y, N);
    assert_int_equal(c.kind, CONDITION_SOFTMAX);
    assert_true(c.own < 50 && c.kappa > 1000);
}

/* What subtracts nothing, or does not compute, has no condition. */
static void test_others_have_none(void **state)
{
    static const char *const ops[] = {"rms_norm", "linear", "relu", "log1p", "gumbel_softmax", "transpose", "sum"};
    static double x[N];
    (void)state;
    for (size_t i = 0; i < N; i++)
        x[i] = 5000 + draw_gaussian(&seed);
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        assert_int_equal(alone(ops[i], x, NULL, x, N).kind, CONDITION_NONE);
}

/* ---- what is made of them ---- */

static void both_call(struct scene *s, const char *op)
{
    for (int i = 0; i < 2; i++)
        call_of(&s->d[i], op);
}

static uint32_t both_row(struct scene *s, const char *slot, enum dtype type, const char *sizes, const double *v,
                         size_t n)
{
    uint32_t r = 0;
    for (int i = 0; i < 2; i++) {
        r = row_of(&s->d[i], (uint32_t)s->d[i].calls.n - 1, slot, type, sizes, v, n);
        s->d[i].rows.v[r].has |= HAS_FILE;
    }
    return r;
}

static void errs(struct scene *s, uint32_t row, double rel_l2, double same)
{
    struct figures f = {.two = true,
                        .rel_l2 = rel_l2,
                        .max_abs = rel_l2,
                        .one_thousandth = same,
                        .side = {{.norm = 1}, {.norm = 2}}};
    scene_computed(s, row, &f);
}

static const struct line_judgement *judged(struct scene *s, uint32_t row)
{
    scene_judge(s);
    return &s->j.line[scene_line(s, row)];
}

/* linear → x, op(x) → y, linear(y), and behind it what nobody recorded the inputs of: errors of x
 * and y; judged at y. */
static struct scene s;
static uint32_t unlinked; /* the last row, without an error until a test gives it one */
static uint32_t passed_on(const char *op, size_t (*run)(const double *, const double *, double *),
                          double (*value)(double), double size, double in, double out)
{
    static double a[N], x[N], y[N], w[N];
    scene_start(&s);
    seed = 5;
    for (size_t i = 0; i < N; i++) {
        x[i] = value(size);
        a[i] = draw_gaussian(&seed);
        w[i] = draw_gaussian(&seed);
    }
    run(x, NULL, y);
    both_call(&s, "linear");
    uint32_t r0 = both_row(&s, "input.0", DTYPE_F32, "256,16", a, N),
             r1 = both_row(&s, "output.0", DTYPE_F32, "256,16", x, N);
    both_call(&s, op);
    uint32_t r2 = both_row(&s, "input.0", DTYPE_F32, "256,16", x, N),
             r3 = both_row(&s, "output.0", DTYPE_F32, "256,16", y, N);
    both_call(&s, "linear");
    uint32_t r4 = both_row(&s, "input.0", DTYPE_F32, "256,16", y, N),
             r5 = both_row(&s, "output.0", DTYPE_F32, "256,16", w, N);
    both_call(&s, "gather");
    unlinked = both_row(&s, "output.0", DTYPE_F32, "256,15", w + 3, N - 256);
    for (int i = 0; i < 2; i++)
        side_end(&s.d[i]);
    scene_build(&s);
    errs(&s, unlinked, 0, 1);
    errs(&s, r0, 0, 1);
    errs(&s, r1, in, 0.9);
    errs(&s, r2, in, 0.9);
    errs(&s, r3, out, 0.1);
    errs(&s, r4, out, 0.1);
    errs(&s, r5, out, 0.1);
    return r3;
}

static void test_held_apart_and_passed_on(void **state)
{
    (void)state;
    uint32_t r = passed_on("layer_norm", op_layer_norm, around_5000, 5, 1e-5, 1e-2); /* 10³ × 10⁻⁵ */
    const struct line_judgement *l = judged(&s, r);
    assert_int_equal(l->verdict, VERDICT_DEVIATE);
    assert_int_equal(l->rule, RULE_ILL);
    assert_true(l->flags & LINE_ILL && l->flags & LINE_DOUBTFUL);
    assert_true((double)l->kappa > 900 && (double)l->kappa < 1100);
    assert_int_equal(s.j.first, NONE); /* nor is what it gives to others */
    assert_int_equal(s.j.sum.ill, 1);
    assert_int_equal(s.j.sum.by[VERDICT_DEVIATE], 1);
    scene_end(&s);
}

/* Noise that an operator amplified excuses what holds it, and a product that reads it; it is no noise of other rows. */
static void test_amplified_noise_is_its_own(void **state)
{
    (void)state;
    uint32_t r = passed_on("layer_norm", op_layer_norm, around_5000, 5, 1e-5, 1e-2);
    errs(&s, unlinked, 3e-2, 0.1); /* three times that */
    assert_int_equal(judged(&s, r)->rule, RULE_ILL);
    assert_int_equal(s.j.first, scene_line(&s, unlinked));
    scene_end(&s);
}

static void test_faults_are_no_noise(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        size_t (*run)(const double *, const double *, double *);
        double (*value)(double);
        double size, in, out;
    } fault[] = {
        {"layer_norm", op_layer_norm, around_5000, 5, 1e-6, 1e-2},   /* noise makes 4·10⁻³ */
        {"layer_norm", op_layer_norm, around_zero, 1, 1e-6, 1e-2},  /* well conditioned */
        {"layer_norm", op_layer_norm, around_5000, 5, 3e-4, 1},     /* nothing of the value is left */
        {"softmax", op_softmax, around_zero, 300, 1e-6, 1e-2},
        {"reciprocal", op_reciprocal, down_to_zero, 0.5, 1e-5, 1e-2},
        {"log", op_log, around_one, 1e-3, 1e-7, 1e-2},
        {"cos", op_cos, around_zero, 2000, 1e-7, 1e-1},
    };
    for (size_t i = 0; i < ARRAY_LEN(fault); i++) {
        uint32_t r = passed_on(fault[i].op, fault[i].run, fault[i].value, fault[i].size, fault[i].in, fault[i].out);
        const struct line_judgement *l = judged(&s, r);
        if (l->verdict != VERDICT_DEVIATE || l->flags & LINE_DOUBTFUL || s.j.first != s.p.line_of[TARGET][r])
            fail_msg("%s: fault %zu is not the first deviation (limit %g)", fault[i].op, i, (double)l->limit);
        scene_end(&s);
    }
}

/* --exact, another tool's rule and a second golden run know no such excuse. */
static void test_not_where_noise_is_known(void **state)
{
    (void)state;
    uint32_t r = passed_on("layer_norm", op_layer_norm, around_5000, 5, 1e-5, 1e-2);
    s.o.exact = true;
    assert_false(judged(&s, r)->flags & LINE_DOUBTFUL);
    assert_int_not_equal(s.j.first, NONE);
    s.o.exact = false;
    float *band = mem_alloc(s.d[GOLDEN].rows.n * sizeof *band);
    for (size_t i = 0; i < s.d[GOLDEN].rows.n; i++)
        band[i] = 1e-6F;
    s.o.band = band;
    assert_int_equal(judged(&s, r)->rule, RULE_LIMIT);
    assert_int_not_equal(s.j.first, NONE);
    free(band);
    scene_end(&s);
}

/* Experts picked by scores that nearly tie: few turn by noise, and what they pick is other; many turn by a fault. */
static uint32_t routed(double share, uint32_t *picked)
{
    static double x[N], v[2 * ROWS];
    scene_start(&s);
    seed = 8;
    for (size_t i = 0; i < N; i++)
        x[i] = draw_share(&seed);
    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        v[i] = floor(16 * draw_share(&seed));
    both_call(&s, "linear");
    uint32_t r0 = both_row(&s, "input.0", DTYPE_F32, "256,16", x + 1, N - 1),
             r1 = both_row(&s, "output.0", DTYPE_F32, "256,16", x, N);
    both_call(&s, "topk");
    uint32_t r2 = both_row(&s, "input.0", DTYPE_F32, "256,16", x, N),
             r3 = both_row(&s, "output.1", DTYPE_I64, "256,2", v, 2 * ROWS);
    both_call(&s, "embedding");
    uint32_t r4 = both_row(&s, "input.0", DTYPE_I64, "256,2", v, 2 * ROWS);
    *picked = both_row(&s, "output.0", DTYPE_F32, "256,16", x + 2, N - 2);
    for (int i = 0; i < 2; i++)
        side_end(&s.d[i]);
    scene_build(&s);
    errs(&s, r0, 0, 1);
    errs(&s, r1, 3e-4, 0.9);
    errs(&s, r2, 3e-4, 0.9);
    errs(&s, r3, share, 1 - share);
    errs(&s, r4, share, 1 - share);
    errs(&s, *picked, sqrt(2 * share), 1 - share);
    return r3;
}

static void test_few_turn_where_values_tie(void **state)
{
    uint32_t picked;
    (void)state;
    uint32_t r = routed(4.0 / 512, &picked);
    const struct line_judgement *l = judged(&s, r);
    assert_int_equal(l->rule, RULE_ILL);
    assert_int_equal(l->was, CONDITION_ORDER);
    assert_int_equal(s.j.first, NONE);
    assert_int_equal(s.j.sum.ill, 2); /* where they are used too */
    assert_int_equal(s.j.line[s.p.line_of[TARGET][picked]].verdict, VERDICT_MATCH);
    scene_end(&s);
    r = routed(0.2, &picked);
    l = judged(&s, r);
    assert_int_equal(l->rule, RULE_INTEGERS_DIFFER);
    assert_int_equal(s.j.first, s.p.line_of[TARGET][r]);
    scene_end(&s);
}

/* Of a pair of gradients of two dumps, which are released; four times the level is accepted. */
static struct condition condition_between(struct dump d[2], const uint32_t row[2], double level)
{
    struct pairing p = {0};
    struct pairing_options po = {0};
    struct measure m = {0};
    pairing_build(&p, &d[0], &d[1], &po);
    measure_init(&m, &d[0], &d[1], &p, NULL);
    struct condition c = condition_of_gradient(&m, m.state, row, level, 4);
    measure_release(&m);
    pairing_release(&p);
    dump_release(&d[0]);
    dump_release(&d[1]);
    return c;
}

static enum condition_kind gradient_pair(enum dtype type, double target, double golden)
{
    struct dump d[2];
    uint32_t row[2];
    double weight = 3, bias[2] = {target, golden};
    for (int i = 0; i < 2; i++) {
        side_start(&d[i], "pytorch");
        uint32_t c = side_call(&d[i], "Module.key.Linear.parameters_grad", NULL);
        uint32_t w = row_of(&d[i], c, "weight", type, "1", &weight, 1);
        row[i] = row_of(&d[i], c, "bias", type, "1", &bias[i], 1);
        d[i].rows.v[w].io = d[i].rows.v[row[i]].io = IO_GRADIENT;
        side_end(&d[i]);
    }
    return condition_between(d, row, 0).kind;
}

static void test_gradients_of_rounding_alone(void **state)
{
    (void)state;
    assert_int_equal(gradient_pair(DTYPE_F32, 3e-7, -5e-7), CONDITION_ZERO_GRADIENT);
    assert_int_equal(gradient_pair(DTYPE_F32, 3e-7, 1e-3), CONDITION_NONE); /* lost on one side */
    assert_int_equal(gradient_pair(DTYPE_F32, 1e-3, 3e-7), CONDITION_NONE);
    assert_int_equal(gradient_pair(DTYPE_F32, 0, 3e-7), CONDITION_ZERO_GRADIENT); /* some kernels leave nothing of it */
    assert_int_equal(gradient_pair(DTYPE_F32, 0, 1e-3), CONDITION_NONE);
    assert_int_equal(gradient_pair(DTYPE_F32, 1e-3, 2e-3), CONDITION_NONE);
    assert_int_equal(gradient_pair(DTYPE_F64, 3e-7, 5e-7), CONDITION_NONE);
    assert_int_equal(gradient_pair(DTYPE_BF16, 3e-7, 5e-7), CONDITION_NONE);
}

/* A bias gradient that a backward call sums over a gradient of norm 3, of this size on the two sides; the target's in a
 * type of its own, what came in known but for noise. */
static struct condition summed_in(enum dtype type, double noise, double target, double golden)
{
    struct dump d[2];
    uint32_t row[2];
    double in = 3, sum[2] = {target, golden};
    for (int i = 0; i < 2; i++) {
        side_start(&d[i], i ? "pytorch" : "mindspore");
        uint32_t c = side_call(&d[i], "Functional.batch_norm.0.backward", NULL);
        d[i].calls.v[c].family = FAMILY_NORM;
        row_of(&d[i], c, "input.0", i ? DTYPE_F32 : type, "2,4,8", &in, 1);
        row[i] = row_of(&d[i], c, "output.0", i ? DTYPE_F32 : type, "1", &sum[i], 1);
        side_end(&d[i]);
    }
    return condition_between(d, row, noise / 4);
}

/* A call whose second operand's gradient sums products of values of rms 1. */
struct summed_call {
    const char *name;
    enum family family;
    const char *whole, *part;
    double norm; /* of the whole */
};

static struct condition second_operand(const struct summed_call *x, double noise, double target, double golden)
{
    struct dump d[2];
    uint32_t row[2];
    double part = 2, out[2] = {target, golden};
    char name[2][60];
    snprintf(name[0], sizeof name[0], "%s.0.forward", x->name);
    snprintf(name[1], sizeof name[1], "%s.0.backward", x->name);
    for (int i = 0; i < 2; i++) {
        side_start(&d[i], "pytorch");
        uint32_t f = side_call(&d[i], name[0], NULL), b = side_call(&d[i], name[1], NULL);
        d[i].calls.v[f].family = d[i].calls.v[b].family = (uint8_t)x->family;
        row_of(&d[i], f, "input.0", DTYPE_F32, x->whole, &x->norm, 1);
        row_of(&d[i], f, "input.1", DTYPE_F32, x->part, &part, 1);
        row_of(&d[i], b, "input.0", DTYPE_F32, x->whole, &x->norm, 1);
        row[i] = row_of(&d[i], b, "output.1", DTYPE_F32, x->part, &out[i], 1);
        side_end(&d[i]);
    }
    return condition_between(d, row, noise);
}

/* The gradient of a factor that multiplies each of 8 values, which cancel: 4 results. */
static struct condition broadcast_factor(double noise, double target, double golden)
{
    struct summed_call x = {"Tensor.__mul__", FAMILY_MUL, "4,8", "4,1", sqrt(32)};
    return second_operand(&x, noise, target, golden);
}

/* An RMSNorm before a layer that another one makes indifferent to size: nothing is left of its factor's gradient. */
static void test_gradients_of_broadcast_factors(void **state)
{
    (void)state;
    struct condition c = broadcast_factor(1e-6, 1.03e-3, 1e-3);
    assert_int_equal(c.kind, CONDITION_GRADIENT_SUM);
    assert_true(c.kappa > 5600 && c.kappa < 5700 && c.terms > 7.9 && c.terms < 8.1);
    assert_int_equal(broadcast_factor(0.02, 0.3, 1e-3).kind, CONDITION_ZERO_GRADIENT);
    assert_int_not_equal(broadcast_factor(0.02, 0.6, 1e-3).kind, CONDITION_ZERO_GRADIENT); /* more than noise leaves */
    assert_int_not_equal(broadcast_factor(0.02, 1e-3, 0.2).kind, CONDITION_ZERO_GRADIENT); /* lost on the target */
}

/* The gradient of a depthwise convolution's weight, summed over 16 places: 8 values. */
static struct condition convolution_weight(double noise, double target, double golden)
{
    struct summed_call x = {"Functional.conv2d", FAMILY_CONV, "16,8,1,1", "8,1,1,1", sqrt(128)};
    return second_operand(&x, noise, target, golden);
}

/* A norm makes a convolution indifferent to the size of its weight: its gradient cancels. Noise of random signs gives
 * 4 √8 = 11.3. */
static void test_gradients_of_convolutions(void **state)
{
    (void)state;
    struct condition c = convolution_weight(1e-6, 1.13e-2, 1.12e-2);
    assert_int_equal(c.kind, CONDITION_GRADIENT_SUM);
    assert_true(c.kappa > 1000 && c.kappa < 1020);
    assert_int_equal(convolution_weight(1e-6, 11, 10).kind, CONDITION_NONE);
    assert_int_equal(convolution_weight(1e-6, 1e-6, 3e-7).kind, CONDITION_ZERO_GRADIENT);
    assert_int_not_equal(convolution_weight(1e-6, 1e-2, 3e-7).kind, CONDITION_ZERO_GRADIENT); /* lost there */
}

/* The gradient of a norm's scale in recorded figures: what came in is off by `in`, the sum over 256 places by `out`. */
static const struct line_judgement *summed_figures(double in, double out, uint32_t *sum)
{
    static double y[2][N], gy[2][N], g[2][WIDTH];
    scene_start(&s);
    seed = 5;
    for (size_t i = 0; i < N; i++)
        y[0][i] = y[1][i] = gy[0][i] = gy[1][i] = draw_gaussian(&seed);
    for (size_t i = 0; i < WIDTH; i++)
        g[0][i] = g[1][i] = 16 * draw_gaussian(&seed);
    for (size_t i = 0; i < N; i++) {
        y[0][i] *= 1 + in;
        gy[0][i] *= 1 + in;
    }
    for (size_t i = 0; i < WIDTH; i++)
        g[0][i] *= 1 + out;
    for (int i = 0; i < 2; i++) {
        side_start(&s.d[i], "pytorch");
        row_of(&s.d[i], call_of(&s.d[i], "linear"), "output.0", DTYPE_F32, "256,16", y[i], N);
        uint32_t c = side_call(&s.d[i], "Functional.layer_norm.0.backward", NULL);
        s.d[i].calls.v[c].family = FAMILY_NORM;
        row_of(&s.d[i], c, "input.0", DTYPE_F32, "256,16", gy[i], N);
        *sum = row_of(&s.d[i], c, "output.1", DTYPE_F32, "16", g[i], WIDTH);
        side_end(&s.d[i]);
    }
    scene_build(&s);
    scene_judge(&s);
    return &s.j.line[scene_line(&s, *sum)];
}

/* Extremes of few sums are surer to show noise than those of the many places that were summed. */
static void test_figures_of_sums(void **state)
{
    uint32_t sum;
    (void)state;
    const struct line_judgement *l = summed_figures(1.5e-4, 3e-3, &sum);
    assert_int_equal(l->rule, RULE_ILL);
    assert_int_equal(s.j.first, NONE);
    scene_end(&s);
    l = summed_figures(1.5e-4, 0.05, &sum);
    assert_int_not_equal(l->rule, RULE_ILL);
    assert_int_equal(s.j.first, scene_line(&s, sum));
    scene_end(&s);
}

static struct condition summed_pair(double target, double golden)
{
    return summed_in(DTYPE_F32, 0, target, golden);
}

/* Zero on the side that computes finely; the other's arithmetic leaves more of it, but not more than that. */
static void test_rounding_of_coarse_arithmetic(void **state)
{
    (void)state;
    assert_int_equal(summed_in(DTYPE_BF16, 0, 8e-3, 4e-8).kind, CONDITION_ZERO_GRADIENT);
    assert_int_not_equal(summed_in(DTYPE_BF16, 0, 0.1, 4e-8).kind, CONDITION_ZERO_GRADIENT); /* a wrong one */
    assert_int_not_equal(summed_in(DTYPE_BF16, 0, 8e-3, 1e-2).kind, CONDITION_ZERO_GRADIENT);
    assert_int_equal(summed_in(DTYPE_F32, 3e-3, 1e-3, 4e-8).kind, CONDITION_ZERO_GRADIENT); /* TF32 operands */
    assert_int_not_equal(summed_in(DTYPE_F32, 3e-3, 0.1, 4e-8).kind, CONDITION_ZERO_GRADIENT);
    assert_int_not_equal(summed_in(DTYPE_F32, 1e-6, 1e-3, 4e-8).kind, CONDITION_ZERO_GRADIENT);
}

/* What cancels in a sum of gradients magnifies their noise; one that is small on one side alone is as large as the
 * other says. */
static void test_sums_of_gradients(void **state)
{
    (void)state;
    struct condition c = summed_pair(3e-3, 3.001e-3);
    assert_int_equal(c.kind, CONDITION_GRADIENT_SUM);
    assert_true(c.kappa > 990 && c.kappa < 1010 && c.terms > 63 && c.terms < 65);
    assert_int_equal(summed_pair(3e-7, -5e-7).kind, CONDITION_ZERO_GRADIENT);
    c = summed_pair(3e-7, 1);
    assert_true(c.kind == CONDITION_GRADIENT_SUM && c.kappa < rule_limit(RULE_LIMIT_ILL_CONDITIONED));
    assert_int_equal(summed_pair(0, 1).kind, CONDITION_NONE);
}

/* What flows back into a key's projection, beside the value's of norm 1; parameter: the gradients of their biases. */
static enum condition_kind beside_sibling(double target, double golden, bool parameter)
{
    struct dump d[2];
    uint32_t row[2];
    double one = 1, own[2] = {target, golden};
    for (int i = 0; i < 2; i++) {
        const char *end = parameter ? "parameters_grad.0" : "backward.0";
        char name[100];
        side_start(&d[i], "pytorch");
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "Module.attn.%s.Linear.%s", k ? "k_proj" : "v_proj", end);
            uint32_t c = side_call(&d[i], name, NULL);
            d[i].calls.v[c].scope = dump_scope(&d[i], k ? STR("attn.k_proj") : STR("attn.v_proj"));
            d[i].calls.v[c].phase = PHASE_BACKWARD;
            d[i].calls.v[c].gradient = parameter;
            row[i] = row_of(&d[i], c, parameter ? "bias" : "input.0", DTYPE_F32, "4", k ? &own[i] : &one, 1);
            d[i].rows.v[row[i]].io = parameter ? IO_GRADIENT : IO_INPUT;
        }
        side_end(&d[i]);
    }
    return condition_between(d, row, 0).kind;
}

/* Where all keys get one gradient nothing flows back through the softmax: rounding alone beside what the values get. */
static void test_gradients_beside_siblings(void **state)
{
    (void)state;
    for (int parameter = 0; parameter < 2; parameter++) {
        assert_int_equal(beside_sibling(3e-7, -5e-7, parameter), CONDITION_ZERO_GRADIENT);
        assert_int_equal(beside_sibling(3e-7, 1e-3, parameter), CONDITION_NONE);
        assert_int_equal(beside_sibling(0, 3e-7, parameter), CONDITION_ZERO_GRADIENT);
        assert_int_equal(beside_sibling(0, 1e-3, parameter), CONDITION_NONE);
        assert_int_equal(beside_sibling(1e-3, 2e-3, parameter), CONDITION_NONE);
    }
}

/* ---- gates ---- */

/* The backward call of the call before. */
static void both_backward(const char *name)
{
    for (int i = 0; i < 2; i++) {
        uint32_t c = side_call(&s.d[i], name, NULL);
        s.d[i].calls.v[c].family = s.d[i].calls.v[c - 1].family;
        s.d[i].calls.v[c].twin = c - 1;
        s.d[i].calls.v[c - 1].twin = c;
    }
}

/* The scene judged where row `kink` is off by `noise` and the gradient g of row `back` by `error`, `differ` of its
 * elements by over 1/200. */
static const struct line_judgement *gradient_judged(const double *g, uint32_t back, uint32_t kink, double noise,
                                                    double error, double differ)
{
    for (int i = 0; i < 2; i++)
        side_end(&s.d[i]);
    scene_build(&s);
    errs(&s, kink, noise, 0);
    struct figures f = {.two = true, .rel_l2 = error, .max_abs = error, .five_thousandths = 1 - differ / N};
    for (int i = 0; i < 2; i++)
        f.side[i] = (struct side_figures){.max = g[0], .min = -g[0], .norm = root_mean_square(g, N) * sqrt(N)};
    scene_computed(&s, back, &f);
    scene_judge(&s);
    return &s.j.line[scene_line(&s, back)];
}

/* A ReLU whose inputs are off by `noise`, and the gradient behind it: off by `error`, where `differ` of its 4096
 * elements differ by over 1/200. The largest of them is a tenth of the norm. */
static const struct line_judgement *gated(double noise, double error, double differ, const char *op)
{
    static double x[N], g[N];
    uint32_t in, back;
    char name[80];
    scene_start(&s);
    seed = 9;
    for (size_t i = 0; i < N; i++) {
        x[i] = draw_gaussian(&seed);
        g[i] = draw_gaussian(&seed);
    }
    g[0] = 0.1 * root_mean_square(g, N) * sqrt(N);
    both_call(&s, "linear");
    both_row(&s, "output.0", DTYPE_F32, "256,16", g, N);
    both_call(&s, op);
    in = both_row(&s, "input.0", DTYPE_F32, "256,16", x, N);
    both_row(&s, "output.0", DTYPE_F32, "256,16", x, N);
    snprintf(name, sizeof name, "Functional.%s.%zu.backward", op, s.d[0].calls.n - 1);
    both_backward(name);
    back = both_row(&s, "output.0", DTYPE_F32, "256,16", g, N);
    return gradient_judged(g, back, in, noise, error, differ);
}

/* Gates that noise turns are no deviation; more of them, an error in all elements, or another function are. */
static void test_gates_noise_turns(void **state)
{
    static const struct {
        double noise, error, differ;
        const char *op;
        bool excused;
    } q[] = {
        {2e-4, 0.09, 1, "relu", true},    /* 0.2 are expected */
        {2e-4, 0.09, 2, "max_pool2d", true},
        {2e-4, 0.3, 9, "relu", false},
        {2e-4, 0.09, 4000, "relu", false}, /* scaled, not turned */
        {2e-4, 0.09, 1, "silu", false},   /* it has no kink */
        {1e-7, 0.09, 1, "relu", false},   /* none can turn */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(q); i++) {
        const struct line_judgement *l = gated(q[i].noise, q[i].error, q[i].differ, q[i].op);
        if ((l->rule == RULE_ILL && l->was == CONDITION_KINK) != q[i].excused || (s.j.first == NONE) != q[i].excused)
            fail_msg("case %zu: rule %d, limit %g", i, l->rule, (double)l->limit);
        scene_end(&s);
    }
}

static void both_module(const char *name, const char *scope)
{
    for (int i = 0; i < 2; i++) {
        uint32_t c = side_call(&s.d[i], name, scope);
        s.d[i].calls.v[c].family = (uint8_t)(strstr(name, "Linear") ? FAMILY_LINEAR : FAMILY_MODULE);
    }
}

static void draw(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = draw_gaussian(&seed);
}

/* As gated(), where modules alone were recorded: two linear ones, between them a ReLU that was not (relu), or nothing;
 * the gradient that comes into the first. */
static const struct line_judgement *between_modules(double noise, double error, double differ, bool relu)
{
    static double x[N], y[N], g[N], h[N], z[N];
    scene_start(&s);
    seed = 10;
    draw(x, N);
    draw(g, N);
    draw(h, N);
    draw(z, N);
    for (size_t i = 0; i < N; i++)
        y[i] = relu ? fmax(x[i], 0) : z[i];
    g[0] = 0.1 * root_mean_square(g, N) * sqrt(N);
    both_module("Module.up.Linear.forward.0", "up");
    uint32_t out = both_row(&s, "output.0", DTYPE_F32, "256,16", x, N);
    both_module("Module.down.Linear.forward.0", "down");
    both_row(&s, "input.0", DTYPE_F32, "256,16", y, N);
    both_module("Module.down.Linear.backward.0", "down");
    both_row(&s, "output.0", DTYPE_F32, "256,16", h, N);
    both_module("Module.up.Linear.backward.0", "up");
    uint32_t back = both_row(&s, "input.0", DTYPE_F32, "256,16", g, N);
    return gradient_judged(g, back, out, noise, error, differ);
}

/* A ReLU nobody recorded shows in the values: its largest is that of what went in, the smallest zero. */
static void test_gates_of_what_was_not_recorded(void **state)
{
    static const struct {
        double noise, error, differ;
        bool relu, excused;
    } q[] = {
        {2e-4, 0.09, 1, true, true},
        {2e-4, 0.09, 4000, true, false}, /* scaled, not turned */
        {2e-4, 0.3, 9, true, false},     /* more than can turn */
        {1e-7, 0.09, 1, true, false},    /* none can turn */
        {2e-4, 0.09, 1, false, false},   /* there is no kink */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(q); i++) {
        const struct line_judgement *l = between_modules(q[i].noise, q[i].error, q[i].differ, q[i].relu);
        if ((l->rule == RULE_ILL && l->was == CONDITION_KINK) != q[i].excused || (s.j.first == NONE) != q[i].excused)
            fail_msg("case %zu: rule %d, limit %g", i, l->rule, (double)l->limit);
        scene_end(&s);
    }
}

/* A router's module puts out scores, the two it picks of each row and where they were; inside the module of experts
 * that is given these a row is off by `error` (rel_l2), its norm by `norm`, in a module of its own or (call_of_it) in a
 * call of the experts' module itself. The picked differ by at most `picked`, the norm of their gradient, which is off
 * by 0.4, by `back`. */
static void routed_module(double share, double picked, double error, double norm, double back, bool call_of_it)
{
    static double x[N], v[2 * ROWS], w[2 * ROWS], b[2 * ROWS], h[N], y[N];
    scene_start(&s);
    seed = 12;
    draw(b, ARRAY_LEN(b));
    draw(x, N);
    draw(h, N);
    draw(y, N);
    draw(w, ARRAY_LEN(w));
    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        v[i] = floor(16 * draw_share(&seed));
    both_module("Module.gate.Linear.forward.0", "gate");
    uint32_t made = both_row(&s, "output.0", DTYPE_F32, "256,16", h, N);
    both_module("Module.moe.router.Router.forward.0", "moe.router");
    uint32_t in = both_row(&s, "input.0", DTYPE_F32, "256,16", h, N),
             scores = both_row(&s, "output.0", DTYPE_F32, "256,16", x, N);
    uint32_t picks = both_row(&s, "output.1", DTYPE_F32, "256,2", w, ARRAY_LEN(w));
    uint32_t where = both_row(&s, "output.2", DTYPE_I64, "256,2", v, ARRAY_LEN(v));
    both_module(call_of_it ? "Tensor.__mul__.0.forward" : "Module.moe.experts.act.SiLU.forward.0",
                call_of_it ? "moe.experts" : "moe.experts.act");
    uint32_t inside = both_row(&s, "input.0", DTYPE_F32, "256,16", y, N);
    both_module("Module.moe.experts.Experts.forward.0", "moe.experts");
    uint32_t given = both_row(&s, "input.0", DTYPE_I64, "256,2", v, ARRAY_LEN(v));
    both_module("Module.moe.experts.Experts.backward.0", "moe.experts");
    uint32_t gradient = both_row(&s, "output.0", DTYPE_F32, "256,2", b, ARRAY_LEN(b));
    for (int i = 0; i < 2; i++)
        side_end(&s.d[i]);
    scene_build(&s);
    errs(&s, made, 3e-4, 0.9);
    errs(&s, in, 3e-4, 0.9);
    errs(&s, scores, 3e-4, 0.9);
    errs(&s, where, share, 1 - share);
    errs(&s, given, share, 1 - share);
    struct figures f = {.two = true,
                        .rel_l2 = 3e-4,
                        .max_abs = picked,
                        .side = {{.max = 2, .min = -2, .norm = 20}, {.max = 2, .min = -2, .norm = 20}}};
    scene_computed(&s, picks, &f);
    f = (struct figures){.two = true,
                         .rel_l2 = error,
                         .max_abs = 1,
                         .side = {{.max = 4, .min = -4, .norm = 64 * (1 + norm)}, {.max = 4, .min = -4, .norm = 64}}};
    scene_computed(&s, inside, &f);
    f.rel_l2 = 0.4;
    f.side[TARGET].norm = 64 * (1 + back);
    scene_computed(&s, gradient, &f);
    scene_judge(&s);
}

/* What a router's module picks of scores that nearly tie turns as in the call that sorts them, and with it the order of
 * the rows in its experts. A choice whose score is another, more choices than tie, and experts that compute something
 * else are found. */
static void test_routers_and_their_experts(void **state)
{
    static const struct {
        double share, picked, error, norm, back;
        bool excused;
    } q[] = {
        {2.0 / 512, 1e-4, 0.3, 1e-4, 1e-4, true},
        {2.0 / 512, 0.4, 0.3, 1e-4, 1e-4, false}, /* its score is not the other's */
        {100.0 / 512, 1e-4, 0.3, 1e-4, 1e-4, false},
        {2.0 / 512, 1e-4, 0.3, 0.2, 1e-4, false}, /* no other order */
        {2.0 / 512, 1e-4, 0.3, 1e-4, 0.2, false},
        {0, 1e-4, 0.3, 1e-4, 1e-4, false}, /* no choice turned */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(q); i++) {
        for (int own = 0; own < 2; own++) {
            routed_module(q[i].share, q[i].picked, q[i].error, q[i].norm, q[i].back, own);
            if ((s.j.first == NONE) != q[i].excused)
                fail_msg("case %zu: the first deviation is line %u", i, s.j.first);
            scene_end(&s);
        }
    }
}

/* ---- fused attention backward ---- */

/* A row of figures as n values of size `size` have. */
static uint32_t sized_row(struct dump *d, uint32_t call, const char *slot, const char *sizes, double size)
{
    uint32_t r = side_row(d, call, slot, sizes);
    struct row *x = &d->rows.v[r];
    x->has |= HAS_MAX | HAS_MIN | HAS_NORM;
    x->stat[STAT_MAX] = size;
    x->stat[STAT_MIN] = -size;
    x->stat[STAT_NORM] = size * sqrt((double)dump_row_numel(d, r));
    return r;
}

/* The noise of the softmax in the gradients of queries and keys, from sizes alone; of values there is none, and nothing
 * is known where heads have no axis of their own. */
static void test_gradients_of_fused_attention(void **state)
{
    static const struct {
        const char *q, *k;
        double queries, keys; /* of each gradient, √terms · scale · scores; NaN: unknown */
    } cases[] = {
        {"1,2,8,16", "1,2,8,16", sqrt(8) / 4 * 4 / 8, sqrt(8) / 4 * 4 / 8},
        {"1,2,8,16", "1,1,8,16", sqrt(8) / 4 * 4 / 8, sqrt(16) / 4 * 4 / 8}, /* a key that two heads of queries read */
        {"2,8,16", "1,2,8,16", NAN, NAN},
        {"1,2,8,16", "2,8,16", NAN, NAN},
    };
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        uint32_t first = 0;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            struct dump *d = &s.d[i];
            const char *const sizes[] = {cases[c].q, cases[c].k, cases[c].k};
            for (int backward = 0; backward < 2; backward++) {
                uint32_t call = side_call(d, backward ? "Functional.scaled_dot_product_attention.0.backward"
                                                      : "Functional.scaled_dot_product_attention.0.forward", NULL);
                d->calls.v[call].family = FAMILY_ATTENTION;
                if (backward)
                    sized_row(d, call, "input.0", cases[c].q, 1);
                for (int k = 0; k < 3; k++) {
                    char slot[20];
                    snprintf(slot, sizeof slot, backward ? "output.%d" : "input.%d", k);
                    uint32_t r = sized_row(d, call, slot, sizes[k], 1);
                    first = backward && k == 0 ? r : first;
                }
                if (!backward)
                    sized_row(d, call, "output.0", cases[c].q, 1);
            }
            dump_link_twins(d);
        }
        scene_build(&s);
        for (int k = 0; k < 3; k++) {
            double is = attention_gradient_terms(&s.m, s.m.state, GOLDEN, first + (uint32_t)k),
                   expected = k == 0 ? cases[c].queries : k == 1 ? cases[c].keys : NAN;
            if (isnan(expected) ? !isnan(is) : fabs(is - expected) > 1e-9)
                fail_msg("case %zu, gradient %d: %g, not %g", c, k, is, expected);
        }
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_of_gradients),
        cmocka_unit_test(test_gradients_of_broadcast_factors),
        cmocka_unit_test(test_gradients_of_convolutions),
        cmocka_unit_test(test_rounding_of_coarse_arithmetic),
        cmocka_unit_test(test_figures_of_sums),
        cmocka_unit_test(test_gates_noise_turns),
        cmocka_unit_test(test_gates_of_what_was_not_recorded),
        cmocka_unit_test(test_routers_and_their_experts),
        cmocka_unit_test(test_gradients_beside_siblings),
        cmocka_unit_test(test_noise_grows_as_estimated),
        cmocka_unit_test(test_gradients_grow_as_estimated),
        cmocka_unit_test(test_gradients_of_few_values),
        cmocka_unit_test(test_masked_scores),
        cmocka_unit_test(test_others_have_none),
        cmocka_unit_test(test_held_apart_and_passed_on),
        cmocka_unit_test(test_amplified_noise_is_its_own),
        cmocka_unit_test(test_faults_are_no_noise),
        cmocka_unit_test(test_not_where_noise_is_known),
        cmocka_unit_test(test_few_turn_where_values_tie),
        cmocka_unit_test(test_gradients_of_rounding_alone),
        cmocka_unit_test(test_gradients_of_fused_attention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
