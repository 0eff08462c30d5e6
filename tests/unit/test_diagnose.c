/* The detectors, each on data that has the fault and on data that has not. */
#include "draws.h"
#include "scenes.h"
#include "sides.h"

#include <math.h>

#include "base/msg.h"
#include "diagnose/diagnose.h"
#include "diagnose/diagnosis_case.h"
#include "dump/reader.h"
#include "dump/family.h"
#include "num/figures.h"

/* One pair of tensors under one call, with its figures and elements, as if it had been compared. */
struct example {
    struct scene scene;
    struct element_sample sp;
    struct figures f;
    struct diagnoses out;
    struct diagnosis_case patient;
};

enum { N = 512 }; /* 8 × 4 × 16 */
static const int64_t shape3[3] = {8, 4, 16};

static void fill(double *v, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (double)(float)draw_normal(&seed);
}

static void begin(struct example *s, const char *call, const char *slot, enum row_io io, enum call_phase phase,
                  int ndim, const int64_t *shape)
{
    struct scene *c = &s->scene;
    memset(s, 0, sizeof *s);
    scene_start(c);
    for (int k = 0; k < 2; k++) {
        struct dump *d = &c->d[k];
        uint32_t at = dump_add_call(d, str_of(call), CALL_API, phase);
        d->calls.v[at].family = (uint8_t)family_find(str_of(strchr(call, '.') ? strchr(call, '.') + 1 : call));
        struct row r = {.slot = dump_slot(d, str_of(slot)),
                        .shape = dump_shape(d, shape, ndim),
                        .extra = NONE,
                        .kind = ROW_TENSOR,
                        .io = (uint8_t)io,
                        .dtype = DTYPE_F32,
                        .has = HAS_SHAPE};
        dump_add_row(d, at, r);
    }
    scene_build(c);
    scene_unjudged(c);
    c->j.line[0] =
        (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .error = 0.1f, .level = 1e-6f};
}

static void floats_of(const double *v, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)v[i];
}

static const struct diagnoses *examine(struct example *s, const double *t, const double *g, int ndim,
                                       const int64_t *shape)
{
    struct scene *c = &s->scene;
    element_sample_from(&s->sp, t, g, ndim, shape);
    float *f[2];
    for (int k = 0; k < 2; k++) {
        f[k] = malloc(s->sp.n * sizeof(float));
        floats_of(k ? g : t, f[k], s->sp.n);
    }
    figures_memory(kern_select(NULL), DTYPE_F32, f[0], DTYPE_F32, f[1], s->sp.n, &s->f);
    free(f[0]);
    free(f[1]);
    if (!s->f.two)
        c->j.line[0].verdict = VERDICT_NONFINITE;
    s->patient = (struct diagnosis_case){.j = &c->j,
                                         .m = &c->m,
                                         .flow = c->flow,
                                         .side = {&c->d[0], &c->d[1]},
                                         .r = {&c->d[0].rows.v[0], &c->d[1].rows.v[0]},
                                         .judged = &c->j.line[0],
                                         .f = &s->f,
                                         .spread = &s->sp,
                                         .corner = &s->sp,
                                         .out = &s->out};
    diagnosis_case_examine(&s->patient);
    return &s->out;
}

static void end(struct example *s)
{
    diagnoses_release(&s->out);
    element_sample_release(&s->sp);
    scene_end(&s->scene);
}

static bool has(const struct diagnoses *x, enum diagnosis_id id)
{
    for (int i = 0; i < x->n; i++)
        if (x->v[i].id == id)
            return true;
    return false;
}

/* A plain output row of N elements: what is said of it, the best first. */
static void check_first(const double *t, const double *g, enum diagnosis_id id, int side, const char *words)
{
    struct example s;
    begin(&s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    const struct diagnoses *x = examine(&s, t, g, 3, shape3);
    if (!x->n || x->v[0].id != id)
        fail_msg("%s expected, %s said (%s)", diagnosis_name(id),
                 x->n ? diagnosis_name((enum diagnosis_id)x->v[0].id) : "nothing", x->n ? x->v[0].evidence : "");
    assert_int_equal(x->v[0].side, side);
    if (!strstr(x->v[0].evidence, words))
        fail_msg("\"%s\" expected in \"%s\"", words, x->v[0].evidence);
    assert_true(x->n <= DIAGNOSES_MOST);
    end(&s);
}

static void check_silent(const double *t, const double *g)
{
    struct example s;
    begin(&s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    const struct diagnoses *x = examine(&s, t, g, 3, shape3);
    if (x->n)
        fail_msg("nothing expected, %s said: %s", diagnosis_name((enum diagnosis_id)x->v[0].id), x->v[0].evidence);
    end(&s);
}

static double T[N], G[N];

static void healthy_noise_is_none_of_them(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        uint64_t noise = seed * 77;
        fill(G, N, seed);
        for (int i = 0; i < N; i++) /* errors of the values' size, nothing behind them */
            T[i] = (double)(float)(G[i] * (1 + 0.02 * draw_normal(&noise)));
        check_silent(T, G);
        fill(T, N, seed + 1000); /* another tensor of the same distribution */
        check_silent(T, G);
        for (int i = 0; i < N; i++) /* noise on everything */
            T[i] = (double)(float)(G[i] + 0.05 * draw_normal(&noise));
        check_silent(T, G);
    }
}

/* A weight at the given step, a constant factor of the golden one. */
static const struct diagnoses *weight_times(struct example *s, int step, double k)
{
    begin(s, "Functional.rms_norm.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 3, shape3);
    for (int d = 0; d < 2; d++)
        s->scene.d[d].step = step;
    fill(G, N, 5);
    for (int i = 0; i < N; i++) {
        G[i] = 1 + 0.01 * G[i];
        T[i] = (double)(float)(G[i] * k);
    }
    return examine(s, T, G, 3, shape3);
}

/* 1 − lr·wd is what the decay of one side leaves after a step; before any step nothing has decayed. */
static void weight_decay_of_one_side(void **state)
{
    struct example s;
    (void)state;
    for (int side = 0; side < 2; side++) {
        const struct diagnoses *x = weight_times(&s, 1, side ? 1 / 0.9999 : 0.9999);
        assert_int_equal(x->v[0].id, DIAGNOSIS_SCALE);
        assert_int_equal(x->v[0].side, side);
        assert_non_null(strstr(x->v[0].evidence, "1 − lr·wd"));
        assert_non_null(strstr(x->v[0].evidence, "0.0001"));
        assert_non_null(strstr(diagnosis_advice(&x->v[0]), "weight_decay"));
        assert_false(has(x, DIAGNOSIS_OFFSET));
        end(&s);
    }
    const struct diagnoses *x = weight_times(&s, 0, 0.9999);
    assert_null(strstr(x->v[0].evidence, "decay"));
    end(&s);
    x = weight_times(&s, 1, 1 + 4e-7); /* a factor that reads as 1 is none */
    assert_false(has(x, DIAGNOSIS_SCALE));
    end(&s);
}

static void zero_and_nonfinite(void **state)
{
    (void)state;
    fill(G, N, 3);
    memset(T, 0, sizeof T);
    check_first(T, G, DIAGNOSIS_ALL_ZERO, TARGET, "target side is 0");
    check_first(G, T, DIAGNOSIS_ALL_ZERO, GOLDEN, "golden side is 0");
    memcpy(T, G, sizeof T);
    T[17] = NAN;
    T[90] = INFINITY;
    check_first(T, G, DIAGNOSIS_NONFINITE, TARGET, "1 NaN and 1 infinite");
    check_first(T, G, DIAGNOSIS_NONFINITE, TARGET, "at [0,1,1]");
    check_first(G, T, DIAGNOSIS_NONFINITE, GOLDEN, "0 NaN and 0 infinite");
}

static void saturated_and_garbage(void **state)
{
    (void)state;
    fill(G, N, 4);
    memcpy(T, G, sizeof T);
    T[5] = 65504;
    G[5] = 80000;
    check_first(T, G, DIAGNOSIS_SATURATED, TARGET, "65504");
    fill(G, N, 4);
    T[5] = 7.3e27;
    check_first(T, G, DIAGNOSIS_UNINITIALISED, TARGET, "7.3e27");
}

static void constant_factors(void **state)
{
    static const struct {
        double k;
        const char *words;
    } cases[] = {{0.5, "times 0.5;"},     {8, "2^3"},  {1 / 3.0, "1/3"}, {0.125, "2^-3"},
                 {1 / sqrt(80), "1/√80"}, {1.1, "1.1"}};
    (void)state;
    fill(G, N, 5);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t noise = 9;
        for (int i = 0; i < N; i++) /* with the rounding of another order of operations on it */
            T[i] = (double)(float)(G[i] * cases[c].k * (1 + 1e-6 * draw_normal(&noise)));
        check_first(T, G, DIAGNOSIS_SCALE, BOTH_SIDES, cases[c].words);
    }
    /* masked scores: beside squares of 1e8 a deviation of 1e-6 is lost in their rounding, and no factor explains it */
    fill(G, N, 5);
    uint64_t noise = 9;
    for (int i = 0; i < N; i++) {
        G[i] = i % 2 ? -10000 : G[i];
        T[i] = i % 2 ? -10000 : G[i] + 1e-6 * draw_normal(&noise);
    }
    struct example s;
    begin(&s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    assert_false(has(examine(&s, T, G, 3, shape3), DIAGNOSIS_SCALE));
    end(&s);
    fill(G, N, 5);
    for (int i = 0; i < N; i++)
        T[i] = G[i] + 0.25;
    check_first(T, G, DIAGNOSIS_OFFSET, BOTH_SIDES, "plus 0.25 ");
    for (int i = 0; i < N; i++)
        T[i] = i % 16 < 8 ? -G[i] : G[i];
    check_first(T, G, DIAGNOSIS_SIGN, BOTH_SIDES, "256 of 512");
    for (int i = 0; i < N; i++)
        T[i] = -G[i];
    check_first(T, G, DIAGNOSIS_SIGN, BOTH_SIDES, "512 of 512");
    for (int i = 0; i < N; i++) { /* constant tensors can be anything: nothing is said */
        T[i] = 3;
        G[i] = 2;
    }
    check_silent(T, G);
}

/* Time steps, guidance: a single number, or two, that are moved. */
static void few_numbers_moved(void **state)
{
    static const struct {
        int64_t n;
        double t[2], g[2];
        const char *words; /* NULL: nothing tells that they are moved */
    } cases[] = {
        {2, {302, 8}, {301, 7}, "whole numbers, on the target larger by 1"},
        {2, {1.1, 1.7}, {0.1, 0.7}, "few numbers, on the target larger by 1"},
        {2, {-0.15, 0.45}, {0.1, 0.7}, "smaller by 0.25"},
        {1, {1.4}, {0.4}, "larger by 1"},
        {1, {1.43}, {0.4}, NULL},
        {2, {0.4, 0.9}, {0.1, 0.7}, NULL},
        {2, {0.4, 0.4}, {0.1, 0.1}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct example s;
        double v[2][2];
        for (int k = 0; k < 2; k++) {
            v[TARGET][k] = (double)(float)cases[i].t[k];
            v[GOLDEN][k] = (double)(float)cases[i].g[k];
        }
        begin(&s, "Tensor.__mul__.0.forward", "input.0", IO_INPUT, PHASE_FORWARD, 1, &cases[i].n);
        const struct diagnoses *x = examine(&s, v[TARGET], v[GOLDEN], 1, &cases[i].n);
        assert_int_equal(has(x, DIAGNOSIS_OFFSET), cases[i].words != NULL);
        if (cases[i].words)
            assert_non_null(strstr(x->v[0].evidence, cases[i].words));
        end(&s);
    }
}

static void precision(void **state)
{
    (void)state;
    fill(G, N, 6);
    for (int i = 0; i < N; i++)
        T[i] = dtype_round(DTYPE_BF16, G[i]);
    check_first(T, G, DIAGNOSIS_ROUNDED, TARGET, "bfloat16");
    check_first(G, T, DIAGNOSIS_ROUNDED, GOLDEN, "bfloat16");
    for (int i = 0; i < N; i++)
        T[i] = dtype_round(DTYPE_F16, G[i]);
    check_first(T, G, DIAGNOSIS_ROUNDED, TARGET, "float16");
    for (int i = 0; i < N; i++) { /* ten stored bits, in the range of float32 */
        int e;
        double m = frexp(G[i] *= 0x1p-40, &e);
        T[i] = ldexp(nearbyint(ldexp(m, 11)), e - 11);
    }
    check_first(T, G, DIAGNOSIS_ROUNDED, TARGET, "tf32");
    for (int i = 0; i < N; i++) { /* both of few bits by nature */
        G[i] = (double)(i % 7);
        T[i] = (double)(i % 5);
    }
    check_silent(T, G);
    fill(G, N, 7);
    for (int i = 0; i < N; i++) { /* a gradient in float16 range: the tiny ones are lost */
        G[i] *= i % 2 ? 0x1p-124 : 0x1p-129;
        T[i] = fabs(G[i]) < 0x1p-126 ? 0 : G[i];
    }
    check_first(T, G, DIAGNOSIS_DENORMAL, TARGET, "are 0 on the target side");
}

static void dropped(void **state)
{
    uint64_t seed = 11;
    (void)state;
    fill(G, N, 8);
    for (int i = 0; i < N; i++)
        T[i] = draw_share(&seed) < 0.2 ? 0 : (double)(float)(G[i] / 0.8);
    check_first(T, G, DIAGNOSIS_DROPOUT, TARGET, "1.25");
    for (int i = 0; i < N; i++) /* zeros without the factor are no dropout */
        T[i] = T[i] == 0 ? 0 : G[i];
    struct example s;
    begin(&s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    assert_false(has(examine(&s, T, G, 3, shape3), DIAGNOSIS_DROPOUT));
    end(&s);
}

static void orders(void **state)
{
    static const int64_t square[2] = {16, 16}, fused[2] = {48, 16};
    static double t[768], g[768];
    struct example s;
    (void)state;
    fill(g, 768, 12);
    for (int i = 0; i < 256; i++)
        t[i] = g[i % 16 * 16 + i / 16];
    begin(&s, "Functional.linear.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 2, square);
    const struct diagnoses *x = examine(&s, t, g, 2, square);
    assert_int_equal(x->v[0].id, DIAGNOSIS_PERMUTED);
    assert_non_null(strstr(x->v[0].evidence, "(1,0)"));
    end(&s);
    /* rows of a fused weight, 3 blocks of 16 against 16 groups of 3 */
    for (int r = 0; r < 48; r++)
        memcpy(t + r * 16, g + (r % 3 * 16 + r / 3) * 16, 16 * sizeof *t);
    begin(&s, "Functional.linear.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 2, fused);
    x = examine(&s, t, g, 2, fused);
    assert_int_equal(x->v[0].id, DIAGNOSIS_LAYOUT);
    assert_non_null(strstr(x->v[0].evidence, "rearranged from 3 × 16 to 16 × 3"));
    end(&s);
    /* only the middle block, transposed */
    memcpy(t, g, sizeof t);
    for (int i = 0; i < 256; i++)
        t[256 + i] = g[256 + i % 16 * 16 + i / 16];
    begin(&s, "Functional.linear.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 2, fused);
    x = examine(&s, t, g, 2, fused);
    assert_int_equal(x->v[0].id, DIAGNOSIS_PERMUTED);
    assert_non_null(strstr(x->v[0].evidence, "16–31"));
    end(&s);
    /* shuffled without any order */
    for (int i = 0; i < 768; i++)
        t[i] = g[(i * 535 + 17) % 768];
    begin(&s, "Functional.linear.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 2, fused);
    x = examine(&s, t, g, 2, fused);
    assert_int_equal(x->v[0].id, DIAGNOSIS_PERMUTED);
    assert_non_null(strstr(x->v[0].evidence, "768 values"));
    end(&s);
}

enum { LABELS = 16, TOKENS = 10, ROWS = 3, SCORES = ROWS * TOKENS * LABELS };

/* The gradient of a loss's scores: softmax less a one at the label of the token `by` places on, none at the end. */
static void loss_gradient(double *v, int by, bool vary)
{
    for (int i = 0; i < ROWS * TOKENS; i++) {
        double sum = 0, e[LABELS];
        int at = i % TOKENS + by, label = vary ? (i / TOKENS * 5 + at * 7) % 11 : 3;
        for (int k = 0; k < LABELS; k++)
            sum += e[k] = exp(sin(i * 1.3 + k * 2.1));
        for (int k = 0; k < LABELS; k++)
            v[i * LABELS + k] = at >= TOKENS ? 0 : (e[k] / sum - (k == label)) / 20;
    }
}

static void check_labels(int by, bool vary, double sign, const char *words)
{
    static const int64_t shape[3] = {ROWS, TOKENS, LABELS};
    static double t[SCORES], g[SCORES];
    struct example s;
    loss_gradient(t, by, vary);
    loss_gradient(g, 1, vary);
    for (int i = 0; i < SCORES; i++) {
        bool lifted = sign > 1 && t[i] > 0; /* then they do not sum to 0 */
        t[i] *= lifted || sign < 0 ? sign : 1;
        g[i] *= sign > 1 && g[i] > 0 ? sign : 1;
    }
    begin(&s, "Functional.linear.0.backward", "input.0", IO_INPUT, PHASE_BACKWARD, 3, shape);
    const struct diagnoses *x = examine(&s, t, g, 3, shape);
    assert_int_equal(has(x, DIAGNOSIS_SHIFTED), *words != 0);
    if (*words && (x->v[0].id != DIAGNOSIS_SHIFTED || !strstr(x->v[0].evidence, words)))
        fail_msg("\"%s\" expected in \"%s\"", words, x->v[0].evidence);
    end(&s);
}

static void labels_of_a_loss(void **state)
{
    (void)state;
    check_labels(0, true, 1, "target token i has the label of golden token i-1");
    check_labels(2, true, 1, "target token i has the label of golden token i+1");
    check_labels(0, false, 1, "");  /* one label everywhere tells nothing */
    check_labels(0, true, -1, ""); /* no softmax less a one */
    check_labels(0, true, 3, "");
}

static void shifted_and_partial(void **state)
{
    (void)state;
    fill(G, N, 13);
    for (int i = 0; i < N; i++) /* axis 1, by one */
        T[i] = i / 16 % 4 ? G[i - 16] : 0;
    check_first(T, G, DIAGNOSIS_SHIFTED, BOTH_SIDES, "axis 1, the target is shifted by 1");
    memcpy(T, G, sizeof T);
    for (int i = 0; i < N; i++)
        if (i / 16 % 4 == 2)
            T[i] = -0.3 * G[i] + 0.1 * G[(i * 7) % N];
    check_first(T, G, DIAGNOSIS_PARTIAL, BOTH_SIDES, "axis 1: 1 of 4 indices (2)");
}

static void masks(void **state)
{
    static const int64_t face[3] = {1, 8, 8};
    static double t[64], g[64];
    struct example s;
    (void)state;
    for (int i = 0; i < 64; i++) {
        g[i] = i % 8 > i / 8;
        t[i] = i % 8 >= i / 8;
    }
    begin(&s, "Functional.mul.0.forward", "input.0", IO_INPUT, PHASE_FORWARD, 3, face);
    const struct diagnoses *x = examine(&s, t, g, 3, face);
    assert_int_equal(x->v[0].id, DIAGNOSIS_MASK);
    end(&s);
    for (int i = 0; i < 64; i++) {
        t[i] = g[i] != 0 ? -10000 : 0;
        g[i] = g[i] != 0 ? -3e38 : 0;
    }
    begin(&s, "Functional.add.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 3, face);
    x = examine(&s, t, g, 3, face);
    assert_int_equal(x->v[0].id, DIAGNOSIS_MASK);
    assert_non_null(strstr(x->v[0].evidence, "same pattern"));
    end(&s);
}

/* A softmax whose scores were scaled, and one that was only disturbed. */
static void temperature(void **state)
{
    static double score[N];
    struct example s;
    (void)state;
    fill(score, N, 21);
    for (int row = 0; row < 32; row++) {
        double t = 0, g = 0;
        for (int i = 0; i < 16; i++) {
            T[row * 16 + i] = exp(score[row * 16 + i] * 0.5);
            G[row * 16 + i] = exp(score[row * 16 + i]);
            t += T[row * 16 + i];
            g += G[row * 16 + i];
        }
        for (int i = 0; i < 16; i++) {
            T[row * 16 + i] /= t;
            G[row * 16 + i] /= g;
        }
    }
    check_first(T, G, DIAGNOSIS_SCALE, BOTH_SIDES, "scores multiplied by 0.5");
    begin(&s, "Functional.softmax.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    static double certain[2][N]; /* but in one row, between two: a factor fits that one */
    for (int i = 0; i < N; i++)
        certain[0][i] = certain[1][i] = i % 16 == 3;
    certain[0][3] = 0.9, certain[0][4] = 0.1, certain[1][3] = 0.7, certain[1][4] = 0.3;
    assert_false(has(examine(&s, certain[0], certain[1], 3, shape3), DIAGNOSIS_SCALE));
    end(&s);
    for (int row = 0; row < 32; row++) {
        for (int i = 0; i < 16; i++) /* another distribution altogether */
            T[row * 16 + i] = G[(row * 16 + i * 5 + 7) % N];
        double sum = 0;
        for (int i = 0; i < 16; i++)
            sum += T[row * 16 + i];
        for (int i = 0; i < 16; i++)
            T[row * 16 + i] /= sum;
    }
    begin(&s, "Functional.softmax.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    assert_false(has(examine(&s, T, G, 3, shape3), DIAGNOSIS_SCALE));
    end(&s);
}

/* Probabilities over the last axis against those over the axis before it. */
static void axis_of_a_softmax(void **state)
{
    static double score[N];
    const int64_t *n = shape3;
    struct example s;
    (void)state;
    fill(score, N, 23);
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < N; i++) {
            int64_t step = side ? 1 : n[2], width = side ? n[2] : n[1], first = i - i / step % width * step;
            double sum = 0;
            for (int64_t k = 0; k < width; k++)
                sum += exp(score[first + k * step]);
            (side ? G : T)[i] = exp(score[i]) / sum;
        }
    begin(&s, "Functional.softmax.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    s.scene.d[TARGET].calls.v[0].family = FAMILY_SOFTMAX;
    const struct diagnoses *d = examine(&s, T, G, 3, shape3);
    assert_int_equal(d->v[0].id, DIAGNOSIS_ARGUMENT);
    assert_string_equal(d->v[0].evidence,
                        "the probabilities sum to 1 along axis 1 on the target and along axis 2 on the golden side");
    end(&s);
}

/* The call inside of a module into which one more row goes, of that name: the input of the call deviates, and that. */
static void begin_inside(struct example *s, const char *slot, enum row_io io)
{
    struct scene *c = &s->scene;
    memset(s, 0, sizeof *s);
    scene_start(c);
    for (int k = 0; k < 2; k++) {
        struct dump *d = &c->d[k];
        uint32_t inner = dump_add_call(d, STR("Tensor.max.0.forward"), CALL_API, PHASE_FORWARD),
                 outer = dump_add_call(d, STR("Module.attention.Attention.forward.0"), CALL_MODULE, PHASE_FORWARD);
        struct row r = {.slot = dump_slot(d, STR("input.0")),
                        .shape = dump_shape(d, shape3, 3),
                        .extra = NONE,
                        .kind = ROW_TENSOR,
                        .io = IO_INPUT,
                        .dtype = DTYPE_F32,
                        .has = HAS_SHAPE};
        dump_add_row(d, inner, r);
        r.slot = dump_slot(d, str_of(slot));
        r.io = (uint8_t)io;
        dump_add_row(d, outer, r);
        d->calls.v[inner].parent = outer;
    }
    scene_build(c);
    scene_unjudged(c);
    for (int i = 0; i < 2; i++)
        c->j.line[i] = (struct line_judgement){
            .verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .cause = CAUSE_STARTS, .error = 0.1f, .level = 1e-6f};
}

static void module_around(void **state)
{
    struct example s;
    (void)state;
    fill(T, N, 61);
    fill(G, N, 62);
    begin_inside(&s, "parameters.sinks", IO_PARAMETER);
    assert_true(has(examine(&s, T, G, 3, shape3), DIAGNOSIS_WEIGHTS_FIRST));
    end(&s);
    begin_inside(&s, "input.attention_mask", IO_INPUT);
    assert_true(has(examine(&s, T, G, 3, shape3), DIAGNOSIS_MASK));
    end(&s);
    begin_inside(&s, "input.hidden_states", IO_INPUT); /* whatever went in */
    const struct diagnoses *x = examine(&s, T, G, 3, shape3);
    assert_false(has(x, DIAGNOSIS_MASK) || has(x, DIAGNOSIS_WEIGHTS_FIRST));
    end(&s);
}

/* The epsilon of a norm from what goes in and comes out; a factor the same for every token is none. */
static void epsilons_of_a_norm(void **state)
{
    static double in[N], t[N], g[N];
    static const int64_t tokens[2] = {32, 16};
    (void)state;
    fill(in, N, 31);
    for (int kind = 0; kind < 2; kind++) { /* mean square, variance */
        for (int row = 0; row < 32; row++) {
            double sum = 0, sum2 = 0, size = 0.002 * (1 + row % 7);
            for (int i = 0; i < 16; i++) {
                in[row * 16 + i] = (double)(float)(kind ? in[row * 16 + i] : in[row * 16 + i] * size);
                sum += in[row * 16 + i];
                sum2 += in[row * 16 + i] * in[row * 16 + i];
            }
            double mean = kind ? sum / 16 : 0, v = sum2 / 16 - mean * mean;
            for (int i = 0; i < 16; i++) {
                t[row * 16 + i] = (double)(float)((in[row * 16 + i] - mean) / sqrt(v + 1e-5));
                g[row * 16 + i] = (double)(float)((in[row * 16 + i] - mean) / sqrt(v + 1e-6));
            }
        }
        struct element_sample s;
        struct epsilons e;
        element_sample_from(&s, t, g, 2, tokens);
        assert_true(diagnosis_epsilons(&s, in, &e));
        assert_true(fabs(e.t / 1e-5 - 1) < 0.05 && fabs(e.g / 1e-6 - 1) < 0.3);
        element_sample_release(&s);
    }
    for (int i = 0; i < N; i++)
        t[i] = g[i] * 0.9;
    struct element_sample s;
    struct epsilons e;
    element_sample_from(&s, t, g, 2, tokens);
    assert_false(diagnosis_epsilons(&s, in, &e));
    element_sample_release(&s);
}

static void rotary(void **state)
{
    static const int64_t table[2] = {32, 16};
    static double t[512], g[512], h[512];
    struct example s;
    (void)state;
    for (int i = 0; i < 512; i++) {
        double f = (double)(float)pow(10000, -(i % 8) / 8.0), p = i / 16;
        g[i] = (double)(float)cos(p * f);
        t[i] = (double)(float)cos(p * dtype_round(DTYPE_BF16, f));
        h[i] = (double)(float)cos(p * pow(5000, -(i % 8) / 8.0));
    }
    begin(&s, "Tensor.__mul__.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 2, table);
    const struct diagnoses *x = examine(&s, t, g, 2, table);
    assert_int_equal(x->v[0].id, DIAGNOSIS_ROPE);
    assert_int_equal(x->v[0].side, TARGET);
    assert_non_null(strstr(x->v[0].evidence, "rounded to bfloat16"));
    end(&s);
    begin(&s, "Tensor.__mul__.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 2, table);
    x = examine(&s, h, g, 2, table);
    assert_int_equal(x->v[0].id, DIAGNOSIS_ROPE);
    assert_non_null(strstr(x->v[0].evidence, "base 5000 on the target and 10000"));
    end(&s);
    for (int i = 0; i < 512; i++)
        t[i] = g[i] + (i % 16 == 3 ? 0.1 * sin(i) : 0);
    begin(&s, "Tensor.__mul__.0.forward", "input.1", IO_INPUT, PHASE_FORWARD, 2, table);
    assert_false(has(examine(&s, t, g, 2, table), DIAGNOSIS_ROPE));
    end(&s);
}

/* A bias that is missing, rows that are normalised on one side, both sides dropping. */
static void parts_of_tensors(void **state)
{
    uint64_t seed = 41;
    (void)state;
    fill(G, N, 40);
    for (int i = 0; i < N; i++)
        T[i] = (double)(float)(G[i] + 0.1 * (i % 16 % 5));
    check_first(T, G, DIAGNOSIS_OFFSET, BOTH_SIDES, "one vector along axis 2");
    for (int row = 0; row < N / 16; row++) {
        double sum = 0;
        for (int i = 0; i < 16; i++) {
            G[row * 16 + i] = 0.01 + draw_share(&seed);
            sum += G[row * 16 + i];
        }
        for (int i = 0; i < 16; i++)
            T[row * 16 + i] = (double)(float)(G[row * 16 + i] / sum);
    }
    check_first(T, G, DIAGNOSIS_SCALE, TARGET, "divided by its sum");
    fill(G, N, 42);
    for (int i = 0; i < N; i++) {
        double kept = G[i] / 0.9;
        T[i] = draw_share(&seed) < 0.1 ? 0 : kept;
        G[i] = draw_share(&seed) < 0.1 ? 0 : kept;
    }
    check_first(T, G, DIAGNOSIS_DROPOUT, BOTH_SIDES, "both sides apply dropout");
    for (int i = 0; i < N; i++) /* whole rows: padding, not chance */
        T[i] = i / 16 % 4 == 1 ? 0 : G[i];
    struct example s;
    begin(&s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    assert_false(has(examine(&s, T, G, 3, shape3), DIAGNOSIS_DROPOUT));
    end(&s);
}

/* Nothing masked on one side; scores filled at more places. */
static void masks_left_out(void **state)
{
    static const int64_t face[2] = {8, 8};
    static double t[64], g[64];
    struct example s;
    (void)state;
    for (int i = 0; i < 64; i++) {
        g[i] = i % 8 < 6;
        t[i] = 1;
    }
    begin(&s, "Tensor.all.0.forward", "input.0", IO_INPUT, PHASE_FORWARD, 2, face);
    const struct diagnoses *x = examine(&s, t, g, 2, face);
    assert_int_equal(x->v[0].id, DIAGNOSIS_MASK);
    assert_non_null(strstr(x->v[0].evidence, "1 everywhere"));
    assert_false(has(x, DIAGNOSIS_SHIFTED));
    end(&s);
    fill(g, 64, 3);
    for (int i = 0; i < 64; i++) {
        t[i] = i % 8 > i / 8 + 1 ? -1e9 : g[i];
        g[i] = i % 8 > i / 8 ? -1e9 : g[i];
    }
    begin(&s, "Functional.softmax.0.forward", "input.0", IO_INPUT, PHASE_FORWARD, 2, face);
    x = examine(&s, t, g, 2, face);
    assert_int_equal(x->v[0].id, DIAGNOSIS_MASK);
    assert_non_null(strstr(x->v[0].evidence, "0 scores are masked only on the target and 7 only"));
    end(&s);
}

/* A call of both sides with an input and an output of figures alone, whose arguments are given by place. */
static uint32_t scalar_row(struct dump *d, uint32_t call, const char *slot, double v)
{
    struct row r = {.slot = dump_slot(d, str_of(slot)),
                    .shape = NONE,
                    .extra = NONE,
                    .kind = ROW_FLOAT,
                    .io = str_starts(str_of(slot), "output") ? IO_OUTPUT : IO_INPUT,
                    .text = v == 0.5 ? "0.5" : v == 0.2 ? "0.2" : "0.1"};
    r.stat[STAT_MAX] = v;
    return dump_add_row(d, call, r);
}

/* What is said of an output whose call was given arguments that the other side leaves out. */
static void check_argument(const char *call, const char *slot, double v, int id, const char *words)
{
    struct example s;
    begin(&s, call, "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    struct scene *c = &s.scene;
    scalar_row(&c->d[TARGET], 0, slot, v);
    measure_release(&c->m); /* paired anew, with that row */
    pairing_release(&c->p);
    judgement_release(&c->j);
    for (int k = 0; k < 2; k++)
        dataflow_release(&c->flow[k]);
    scene_build(c);
    scene_unjudged(c);
    c->j.line[0] =
        (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .error = 0.1f, .level = 1e-6f};
    for (int k = 0; k < 2; k++) {
        static const double stat[2][4] = {{2.1, -3.4, 0.1, 20}, {4, -6, 0.2, 40}};
        memcpy(s.scene.d[k].rows.v[0].stat, stat[k], sizeof stat[k]);
        s.scene.d[k].rows.v[0].has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
    }
    diagnose_line(&s.out, &s.scene.j, &s.scene.m, s.scene.flow, 0);
    if (id < 0 ? s.out.n != 0 : !s.out.n || s.out.v[0].id != id || !strstr(s.out.v[0].evidence, words))
        fail_msg("%s: %s", call, s.out.n ? s.out.v[0].evidence : "nothing");
    end(&s);
}

static void arguments_left_out(void **state)
{
    (void)state;
    check_argument("Functional.batch_norm.0.forward", "input.6", 0.5, DIAGNOSIS_ARGUMENT,
                   "momentum is 0.5 on the target and 0.1");
    check_argument("Functional.batch_norm.0.forward", "input.6", 0.1, -1, "");
    check_argument("Functional.batch_norm.0.forward", "input.7", 0.1, DIAGNOSIS_EPSILON, "1e-05 on the golden side");
    check_argument("Functional.leaky_relu.0.forward", "input.1", 0.1, DIAGNOSIS_ARGUMENT, "negative_slope is 0.1");
    check_argument("Functional.cross_entropy.0.forward", "input.7", 0.1, DIAGNOSIS_ARGUMENT, "label_smoothing is 0.1");
    check_argument("Functional.cross_entropy.0.forward", "input.7", 0, -1, "");
    check_argument("Functional.dropout.0.forward", "input.1", 0.1, DIAGNOSIS_DROPOUT, "0.1 on the target and 0.5");
    check_argument("Primitive.bn_train.BatchNorm.0.forward", "input.6", 0.5, -1, "");
    check_argument("Primitive.batch_norm.BatchNormExt.0.forward", "input.6", 0.5, DIAGNOSIS_ARGUMENT,
                   "momentum is 0.5");
}

/* Recorded figures alone. */
static void statistics(void **state)
{
    static const struct {
        double t[4], g[4]; /* max min mean norm */
        int id;            /* -1: nothing */
    } cases[] = {
        {{2, -3, 0.1, 20}, {4, -6, 0.2, 40}, DIAGNOSIS_SCALE},
        {{6, -4, -0.2, 40}, {4, -6, 0.2, 40}, DIAGNOSIS_SIGN},
        {{4.5, -5.5, 0.6, 42.465}, {4, -6, 0.1, 40.3}, DIAGNOSIS_OFFSET},
        {{0, 0, 0, 0}, {4, -6, 0.2, 40}, DIAGNOSIS_ALL_ZERO},
        {{65504, -6, 2, 70000}, {90000, -6, 3, 95000}, DIAGNOSIS_SATURATED},
        {{2.1, -3.4, 0.1, 20}, {4, -6, 0.2, 40}, -1},
        {{4, -3.4028234663852886e38, -1e38, INFINITY},
         {4, -6, 0.2, 40},
         DIAGNOSIS_MASK}, /* a fill, and no saturation */
        {{4.2, -5.9, 0.21, 41}, {4, -6, 0.2, 40}, -1},
        {{40.4, -1, 0.2, 41}, {40, -1, 0.2, 40.6}, -1}, /* of one element */
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct example s;
        begin(&s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
        for (int k = 0; k < 2; k++) {
            struct row *r = &s.scene.d[k].rows.v[0];
            memcpy(r->stat, k ? cases[c].g : cases[c].t, sizeof r->stat);
            r->has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
        }
        diagnose_line(&s.out, &s.scene.j, &s.scene.m, s.scene.flow, 0);
        if (cases[c].id < 0 ? s.out.n != 0 : !s.out.n || s.out.v[0].id != cases[c].id)
            fail_msg("case %zu: %s", c, s.out.n ? s.out.v[0].evidence : "nothing");
        end(&s);
    }
}

/* A module whose result has the figures of what goes in: a step left out. Other figures say nothing of that. */
static void figures_of_a_module_left_out(void **state)
{
    static const double came[] = {0.2, -0.3, 0.01, 1}, made[] = {3, -2.5, 0.2, 16}, other[] = {0.2, -0.3, 0.01, 1.1};
    (void)state;
    for (int out = 0; out < 2; out++) {
        struct example s = {0};
        scene_start(&s.scene);
        for (int k = 0; k < 2; k++) {
            struct dump *d = &s.scene.d[k];
            uint32_t call = dump_add_call(d, STR("Module.norm.RMSNorm.forward.0"), CALL_MODULE, PHASE_FORWARD);
            for (int i = 0; i < 2; i++) {
                struct row r = {.slot = dump_slot(d, i ? STR("output.0") : STR("input.0")), .extra = NONE,
                                .shape = dump_shape(d, shape3, 3), .kind = ROW_TENSOR, .dtype = DTYPE_F32,
                                .io = i ? IO_OUTPUT : IO_INPUT,
                                .has = HAS_SHAPE | HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM};
                memcpy(r.stat, !i ? came : k ? made : out ? came : other, sizeof r.stat);
                dump_add_row(d, call, r);
            }
        }
        scene_build(&s.scene);
        scene_unjudged(&s.scene);
        s.scene.j.line[1] =
            (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .error = 0.9f, .level = 1e-6f};
        diagnose_line(&s.out, &s.scene.j, &s.scene.m, s.scene.flow, 1);
        assert_int_equal(s.out.n && s.out.v[0].id == DIAGNOSIS_GAP, out);
        end(&s);
    }
}

/* A row of which figures alone were recorded; `counted`: sides that counted one NaN each. */
static void figures_of_a_row(struct example *s, const double t[4], const double g[4], int counted)
{
    begin(s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    for (int k = 0; k < 2; k++) {
        struct dump *d = &s->scene.d[k];
        memcpy(d->rows.v[0].stat, k ? g : t, sizeof d->rows.v[0].stat);
        d->rows.v[0].has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
        if (!(counted & 1 << k))
            continue;
        struct row_extra x = {.counts = COUNT_NAN | COUNT_POS_INF | COUNT_NEG_INF, .nan = 1};
        vec_push(&d->extras, x);
        d->rows.v[0].extra = (uint32_t)d->extras.n - 1;
    }
    if (counted)
        s->scene.j.line[0].verdict = VERDICT_NONFINITE;
    diagnose_line(&s->out, &s->scene.j, &s->scene.m, s->scene.flow, 0);
}

/* Counts are compared only where both sides have them. */
static void counts_of_one_side(void **state)
{
    static const double nan[] = {NAN, NAN, NAN, NAN}, g[] = {4, -6, 0.2, 40};
    (void)state;
    for (int counted = 1; counted <= 3; counted++) {
        struct example s;
        figures_of_a_row(&s, nan, g, counted);
        assert_true(has(&s.out, DIAGNOSIS_NONFINITE));
        assert_int_equal(strstr(s.out.v[0].evidence, "infinite elements") != NULL, counted == 3);
        end(&s);
    }
}

/* Additive masks of two values by their figures: the means tell how much is masked. */
static void means_of_masks(void **state)
{
    static const double half[] = {0, -10000, -5000, 160000}, more[] = {0, -10000, -7500, 190000};
    struct example s;
    (void)state;
    figures_of_a_row(&s, half, more, 0);
    assert_true(has(&s.out, DIAGNOSIS_MASK));
    assert_non_null(strstr(s.out.v[0].evidence, "-5000 on the target and -7500 on the golden"));
    end(&s);
    figures_of_a_row(&s, half, half, 0);
    assert_false(has(&s.out, DIAGNOSIS_MASK));
    end(&s);
}

/* statistic.csv has no means: a sum before a root whose extremes and norm moved by one number. */
static void epsilon_without_means(void **state)
{
    static const double g[] = {4.24424, 0.690267, 1.506, 0}; /* max min mean; 60 of them in the norm */
    (void)state;
    for (int smaller = 0; smaller < 2; smaller++)
        for (int norm = 0; norm < 2; norm++) {
            struct example s;
            double c = smaller ? -0.001 : 0.001, was = 12.53115;
            double now = norm ? sqrt(was * was + 2 * c * 60 * g[2] + 60 * c * c) : was + 0.01;
            const double t[] = {g[0] + c, g[1] + c, 0, now};
            begin(&s, "Torch.rsqrt.0.forward", "input.0", IO_INPUT, PHASE_FORWARD, 3, (const int64_t[]){3, 20, 1});
            for (int k = 0; k < 2; k++) {
                struct row *r = &s.scene.d[k].rows.v[0];
                memcpy(r->stat, k ? g : t, sizeof r->stat);
                r->stat[STAT_NORM] = k ? was : now;
                r->has |= HAS_MAX | HAS_MIN | HAS_NORM | (k ? HAS_MEAN : 0);
            }
            diagnose_line(&s.out, &s.scene.j, &s.scene.m, s.scene.flow, 0);
            assert_int_equal(has(&s.out, DIAGNOSIS_EPSILON), norm); /* the norm has to have moved as well */
            if (norm)
                assert_non_null(strstr(s.out.v[0].evidence, smaller ? "0.001, and" : "is larger"));
            if (norm && smaller)
                assert_non_null(strstr(s.out.v[0].evidence, "is smaller"));
            end(&s);
        }
}

static uint32_t family_call(struct dump *d, const char *name, const char *op)
{
    uint32_t c = side_call(d, name, NULL);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    return c;
}

static void figures_of(struct dump *d, uint32_t row, double max, double min)
{
    d->rows.v[row].stat[STAT_MAX] = max;
    d->rows.v[row].stat[STAT_MIN] = min;
    d->rows.v[row].has |= HAS_MAX | HAS_MIN;
}

/* An activation between two products whose result one side did not record: functions of two names on one value,
 * however many calls came before. */
static void activations_by_name(void **state)
{
    static const char *const called[][2] = {{"gelu", "relu"}, {"relu", "relu"}, {"sigmoid", "silu"}};
    (void)state;
    for (int c = 0; c < 4; c++) { /* the last: of different values */
        struct scene s;
        struct diagnoses out = {.n = 0};
        uint32_t row[2];
        char name[60];
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            struct dump *d = &s.d[i];
            const char *op = called[c % 3][i];
            for (int k = 0; k < 70; k++) {
                snprintf(name, sizeof name, "Functional.softmax.%d.forward", k);
                side_row(d, family_call(d, name, "softmax"), "output.0", "4,16");
            }
            uint32_t first = family_call(d, "Functional.linear.0.forward", "linear");
            side_row(d, first, "output.0", "4,16");
            snprintf(name, sizeof name, "Functional.%s.0.forward", op);
            uint32_t between = family_call(d, name, op);
            figures_of(d, side_row(d, between, "input.0", "4,16"), 3 + 0.0001 * i, c == 3 && i ? -2.5 : -2);
            uint32_t last = family_call(d, "Functional.linear.1.forward", "linear");
            row[i] = side_row(d, last, "output.0", "4,8");
        }
        scene_build(&s);
        scene_unjudged(&s);
        uint32_t line = scene_line(&s, row[TARGET]);
        s.j.line[line] = (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .error = 0.1f};
        s.j.first = line;
        diagnose_line(&out, &s.j, &s.m, s.flow, line);
        assert_int_equal(has(&out, DIAGNOSIS_ACTIVATION), c == 0);
        diagnoses_release(&out);
        scene_end(&s);
    }
}

/* Only modules were recorded: what a block adds between two of them comes from no recorded call. */
static void additions_between_modules(void **state)
{
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        struct scene s;
        struct diagnoses out = {.n = 0};
        uint32_t before = 0, in = 0, result = 0;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            struct dump *d = &s.d[i];
            before = side_pass(d, "Module.a.Attention.forward.0", "a", "4,16");
            figures_of(d, before, 2, -1);
            uint32_t norm = side_call(d, "Module.n.Norm.forward.0", "n");
            in = side_row(d, norm, "input.0", "4,16");
            figures_of(d, in, recorded ? 2 : 5 + i, recorded ? -1 : -4);
            result = side_row(d, norm, "output.0", "4,16");
        }
        scene_build(&s);
        scene_unjudged(&s);
        uint32_t line = scene_line(&s, result);
        s.j.line[scene_line(&s, before)].verdict = VERDICT_MATCH;
        s.j.line[scene_line(&s, in)].verdict = s.j.line[line].verdict = VERDICT_DEVIATE;
        s.j.line[line].error = 0.1f;
        s.j.first = line;
        s.j.first_class = FIRST_OUTPUT;
        diagnose_line(&out, &s.j, &s.m, s.flow, line);
        assert_int_equal(has(&out, DIAGNOSIS_GAP), !recorded);
        if (!recorded)
            assert_non_null(strstr(out.v[0].evidence, "Module.n.Norm.forward.0.input.0"));
        diagnoses_release(&out);
        scene_end(&s);
    }
}

enum { ROWS_OF_TABLE = 3, WIDTH = 4, PLACES = 5 };

static double table_at(int row, int column)
{
    return (double)(float)(row * 1.7 - column * 0.31 + 0.05);
}

static int open_table(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    (void)d;
    (void)row;
    char path[300];
    float v[ROWS_OF_TABLE * WIDTH];
    for (int i = 0; i < ROWS_OF_TABLE * WIDTH; i++)
        v[i] = (float)table_at(i / WIDTH, i % WIDTH);
    *t = (struct tensor){.dtype = DTYPE_F32, .ndim = 2, .shape = {ROWS_OF_TABLE, WIDTH}};
    assert_int_equal(tensor_pack(t, "table", e), 0);
    snprintf(path, sizeof path, "%s/table", scratch());
    FILE *f = fopen(path, "wb");
    fwrite(v, sizeof v, 1, f);
    fclose(f);
    return file_open(&t->file, path, e);
}

/* An embedding whose table agrees: other rows of it, and values that are no rows. */
static void rows_of_a_table(void **state)
{
    static const struct reader fake = {.name = "made", .tensor = open_table};
    static const int64_t shape[2] = {PLACES, WIDTH};
    (void)state;
    for (int row_of_none = 0; row_of_none < 2; row_of_none++) {
        static const int picks[2][PLACES] = {{0, 1, 2, 1, 0}, {0, 1, 2, 0, 2}};
        double v[2][PLACES * WIDTH];
        struct scene s;
        struct element_sample sp;
        struct figures f;
        struct diagnoses out = {.n = 0};
        uint32_t table = 0, result = 0;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            uint32_t c = family_call(&s.d[i], "Functional.embedding.0.forward", "embedding");
            table = side_row(&s.d[i], c, "input.1", "3,4");
            s.d[i].rows.v[table].has |= HAS_FILE;
            result = side_row(&s.d[i], c, "output.0", "5,4");
            for (int k = 0; k < PLACES * WIDTH; k++)
                v[i][k] = table_at(picks[i][k / WIDTH], k % WIDTH) + (row_of_none && !i && k == 5 ? 0.1 : 0);
        }
        scene_build(&s);
        scene_unjudged(&s);
        for (int i = 0; i < 2; i++)
            s.d[i].reader = &fake;
        uint32_t line = scene_line(&s, result);
        s.j.line[scene_line(&s, table)].verdict = VERDICT_MATCH;
        s.j.line[line] = (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .error = 0.1f};
        element_sample_from(&sp, v[0], v[1], 2, shape);
        float single[2][PLACES * WIDTH];
        for (int i = 0; i < 2; i++)
            floats_of(v[i], single[i], PLACES * WIDTH);
        figures_memory(kern_select(NULL), DTYPE_F32, single[0], DTYPE_F32, single[1], PLACES * WIDTH, &f);
        struct diagnosis_case p = {.j = &s.j, .m = &s.m, .flow = s.flow, .side = {&s.d[0], &s.d[1]}, .line = line,
                                   .row = {result, result}, .r = {&s.d[0].rows.v[result], &s.d[1].rows.v[result]},
                                   .judged = &s.j.line[line], .f = &f, .spread = &sp, .corner = &sp, .out = &out};
        diagnosis_case_examine(&p);
        assert_int_equal(has(&out, DIAGNOSIS_ARGUMENT), !row_of_none);
        if (!row_of_none)
            assert_non_null(strstr(out.v[0].evidence, "2 of 5 positions pick another row of the same table, the first "
                                                      "is position 3 with row 1 on the target and 0"));
        for (int i = 0; i < 2; i++)
            s.d[i].reader = NULL;
        diagnoses_release(&out);
        element_sample_release(&sp);
        scene_end(&s);
    }
}

/* A call that differs, in a module whose weight differs: the weight is said, that of the module around too. */
/* An operand of einsum is called a weight where it has two axes and another operand more; positions are none. */
static void operands_of_einsum(void **state)
{
    static const struct {
        const char *operand, *other, *result;
        bool weight;
    } cases[] = {{"8", "4", "4,8", false}, {"16,8", "4,16", "4,8", false}, {"16,8", "2,4,16", "2,4,8", true}};
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        struct scene s;
        struct diagnoses out = {.n = 0};
        uint32_t operand = 0, result = 0;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            uint32_t call = family_call(&s.d[i], "Torch.einsum.0.forward", "einsum");
            side_row(&s.d[i], call, "input.1", cases[k].other);
            operand = side_row(&s.d[i], call, "input.2", cases[k].operand);
            result = side_row(&s.d[i], call, "output.0", cases[k].result);
        }
        scene_build(&s);
        scene_unjudged(&s);
        uint32_t line = scene_line(&s, result);
        s.j.line[line] = (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .error = 0.1f};
        s.j.line[scene_line(&s, operand)] =
            (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_PARAMETER, .error = 0.1f};
        s.j.first = line;
        diagnose_line(&out, &s.j, &s.m, s.flow, line);
        assert_int_equal(has(&out, DIAGNOSIS_WEIGHTS_FIRST), cases[k].weight);
        diagnoses_release(&out);
        scene_end(&s);
    }
}

static void weights_of_the_module_around(void **state)
{
    (void)state;
    for (int differs = 0; differs < 2; differs++) {
        struct scene s;
        struct diagnoses out = {.n = 0};
        uint32_t weight = 0, result = 0;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            struct dump *d = &s.d[i];
            uint32_t inner = family_call(d, "Functional.linear.0.forward", "linear");
            side_row(d, inner, "input.0", "4,16");
            result = side_row(d, inner, "output.0", "4,8");
            uint32_t module = side_call(d, "Module.a.Linear.forward.0", "a");
            weight = side_row(d, module, "parameters.weight", "8,16");
            d->calls.v[inner].parent = module;
        }
        scene_build(&s);
        scene_unjudged(&s);
        uint32_t line = scene_line(&s, result);
        s.j.line[line] = (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_LIMIT, .error = 0.1f};
        s.j.line[scene_line(&s, weight)] = (struct line_judgement){
            .verdict = differs ? VERDICT_DEVIATE : VERDICT_MATCH, .rule = RULE_PARAMETER, .error = 0.1f};
        s.j.first = line;
        diagnose_line(&out, &s.j, &s.m, s.flow, line);
        assert_int_equal(has(&out, DIAGNOSIS_WEIGHTS_FIRST), differs);
        if (differs)
            assert_non_null(strstr(out.v[0].evidence, "Module.a.Linear.forward.0.parameters.weight"));
        diagnoses_release(&out);
        scene_end(&s);
    }
}

/* What a number given to a call means follows from the call: a large negative one fills what is masked. */
static void numbers_that_fill_masks(void **state)
{
    static const char *const ops[] = {"add", "mul", "masked_fill", "linear"};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(ops); c++) {
        struct scene s;
        struct diagnoses out = {.n = 0};
        uint32_t number = NONE;
        char name[60];
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "Tensor.%s.0.forward", ops[c]);
            uint32_t call = family_call(&s.d[i], name, ops[c]);
            side_row(&s.d[i], call, "input.0", "4,4");
            number = scalar_row(&s.d[i], call, "input.1", i ? -1e9 : -1e4);
        }
        scene_build(&s);
        scene_unjudged(&s);
        uint32_t line = scene_line(&s, number);
        s.j.line[line] = (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_SCALAR_DIFFERS};
        diagnose_line(&out, &s.j, &s.m, s.flow, line);
        if (has(&out, DIAGNOSIS_MASK) != (c < 3))
            fail_msg("%s: %s", ops[c], out.n ? out.v[0].evidence : "nothing");
        diagnoses_release(&out);
        scene_end(&s);
    }
}

/* Where an argument itself is the row; a scalar result that differs is none. */
static void arguments_that_differ(void **state)
{
    (void)state;
    for (int result = 0; result < 2; result++) {
        struct scene s;
        struct diagnoses out = {.n = 0};
        uint32_t row = NONE;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            uint32_t c = family_call(&s.d[i], "Functional.leaky_relu.0.forward", "leaky_relu");
            side_row(&s.d[i], c, "input.0", "3,4");
            row = scalar_row(&s.d[i], c, result ? "output.0" : "input.1", i ? 0.1 : 0.2);
        }
        scene_build(&s);
        scene_unjudged(&s);
        uint32_t line = scene_line(&s, row);
        s.j.line[line] = (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_SCALAR_DIFFERS};
        diagnose_line(&out, &s.j, &s.m, s.flow, line);
        assert_int_equal(has(&out, DIAGNOSIS_ARGUMENT), !result);
        if (!result)
            assert_non_null(strstr(out.v[0].evidence, "0.2"));
        diagnoses_release(&out);
        scene_end(&s);
    }
}

/* Positions moved by a number: a mask if they are compared with others, else an offset. */
static void moved_positions(void **state)
{
    static const int64_t column[] = {6, 1}, square[] = {6, 6};
    (void)state;
    for (int compared = 0; compared < 2; compared++) {
        struct scene s;
        struct diagnoses out = {.n = 0};
        uint32_t number = NONE;
        scene_start(&s);
        for (int k = 0; k < 2; k++) {
            struct dump *d = &s.d[k];
            for (int step = 0; step < 2; step++) {
                uint32_t c = !step      ? family_call(d, "Tensor.__sub__.0.forward", "sub")
                             : compared ? family_call(d, "Tensor.__gt__.0.forward", "gt")
                                        : family_call(d, "Tensor.__mul__.0.forward", "mul");
                struct row r = {.slot = dump_slot(d, STR("input.0")), .extra = NONE, .kind = ROW_TENSOR,
                                .io = IO_INPUT, .dtype = DTYPE_I64, .shape = dump_shape(d, column, 2),
                                .has = HAS_SHAPE | HAS_MAX | HAS_MIN | HAS_NORM, .stat = {5 - step, -step, 2, 7 + step}};
                dump_add_row(d, c, r);
                if (!step)
                    number = scalar_row(d, c, "input.1", k ? 0.2 : 0.1);
                r.slot = dump_slot(d, STR("output.0"));
                r.io = IO_OUTPUT;
                if (step) {
                    r.dtype = compared ? DTYPE_BOOL : DTYPE_I64;
                    r.shape = dump_shape(d, square, 2);
                }
                r.stat[STAT_MAX] = 4;
                r.stat[STAT_MIN] = -1;
                r.stat[STAT_NORM] = 8;
                dump_add_row(d, c, r);
            }
        }
        scene_build(&s);
        scene_unjudged(&s);
        uint32_t line = scene_line(&s, number);
        s.j.line[line] = (struct line_judgement){.verdict = VERDICT_DEVIATE, .rule = RULE_SCALAR_DIFFERS};
        diagnose_line(&out, &s.j, &s.m, s.flow, line);
        assert_int_equal(has(&out, DIAGNOSIS_MASK), compared);
        assert_int_equal(has(&out, DIAGNOSIS_OFFSET), !compared);
        diagnoses_release(&out);
        scene_end(&s);
    }
}

static void only_where_something_deviates(void **state)
{
    struct example s;
    (void)state;
    begin(&s, "Functional.linear.0.forward", "output.0", IO_OUTPUT, PHASE_FORWARD, 3, shape3);
    assert_true(diagnose_possible(&s.scene.j, &s.scene.m, 0));
    s.scene.j.line[0].verdict = VERDICT_MATCH;
    assert_false(diagnose_possible(&s.scene.j, &s.scene.m, 0));
    diagnose_line(&s.out, &s.scene.j, &s.scene.m, s.scene.flow, 0);
    assert_int_equal(s.out.n, 0);
    for (int i = 0; i < DIAGNOSIS_COUNT; i++) { /* every one can be named, advised and translated */
        assert_true(strlen(diagnosis_name((enum diagnosis_id)i)) >= 3);
        const struct diagnosis one = {.id = (uint8_t)i};
        assert_true(strlen(diagnosis_advice(&one)) > 20);
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy_noise_is_none_of_them),
        cmocka_unit_test(weight_decay_of_one_side),
        cmocka_unit_test(epsilon_without_means),
        cmocka_unit_test(activations_by_name),
        cmocka_unit_test(additions_between_modules),
        cmocka_unit_test(rows_of_a_table),
        cmocka_unit_test(operands_of_einsum), cmocka_unit_test(weights_of_the_module_around),
        cmocka_unit_test(numbers_that_fill_masks),
        cmocka_unit_test(zero_and_nonfinite),
        cmocka_unit_test(saturated_and_garbage),
        cmocka_unit_test(constant_factors),
        cmocka_unit_test(few_numbers_moved),
        cmocka_unit_test(precision),
        cmocka_unit_test(dropped),
        cmocka_unit_test(orders),
        cmocka_unit_test(shifted_and_partial),
        cmocka_unit_test(labels_of_a_loss),
        cmocka_unit_test(masks),
        cmocka_unit_test(temperature),
        cmocka_unit_test(axis_of_a_softmax), cmocka_unit_test(module_around),
        cmocka_unit_test(epsilons_of_a_norm),
        cmocka_unit_test(rotary),
        cmocka_unit_test(parts_of_tensors),
        cmocka_unit_test(masks_left_out),
        cmocka_unit_test(arguments_left_out),
        cmocka_unit_test(arguments_that_differ),
        cmocka_unit_test(counts_of_one_side),
        cmocka_unit_test(means_of_masks),
        cmocka_unit_test(statistics),
        cmocka_unit_test(figures_of_a_module_left_out),
        cmocka_unit_test(moved_positions),
        cmocka_unit_test(only_where_something_deviates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
