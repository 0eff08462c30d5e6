/* A norm whose groups vary by very different sizes: what noise becomes in each, and what is no noise. */
#include "draws.h"
#include "elements.h"
#include "judge/norm_condition.h"

enum { SAMPLES = 4, CHANNELS = 2, PLACES = 3, N = SAMPLES * CHANNELS * PLACES };
#define SIZES ((const int64_t[]){SAMPLES, CHANNELS, PLACES, 0})
#define NOISE 1e-5

static double x[2][N], y[2][N], dy[2][N], dx[2][N];

/* The element of sample, channel, place. */
static size_t at(int sample, int c, int p)
{
    return (size_t)((sample * CHANNELS + c) * PLACES + p);
}

/* Batch norm and its gradient of one side. */
static void compute(int side)
{
    double n = SAMPLES * PLACES;
    for (int c = 0; c < CHANNELS; c++) {
        double mean = 0, spread = 0, all = 0, along = 0;
        for (int i = 0; i < SAMPLES * PLACES; i++)
            mean += x[side][at(i / PLACES, c, i % PLACES)] / n;
        for (int i = 0; i < SAMPLES * PLACES; i++)
            spread += pow(x[side][at(i / PLACES, c, i % PLACES)] - mean, 2) / n;
        for (int i = 0; i < SAMPLES * PLACES; i++) {
            size_t k = at(i / PLACES, c, i % PLACES);
            y[side][k] = (x[side][k] - mean) / sqrt(spread);
            all += dy[side][k] / n;
            along += dy[side][k] * y[side][k] / n;
        }
        for (int i = 0; i < SAMPLES * PLACES; i++) {
            size_t k = at(i / PLACES, c, i % PLACES);
            dx[side][k] = (dy[side][k] - all - y[side][k] * along) / sqrt(spread);
        }
    }
}

/* The second channel hardly varies; the target's input has noise alike in all elements. */
static void make(void)
{
    uint64_t seed = 7;
    for (int k = 0; k < N; k++) {
        int c = k / PLACES % CHANNELS;
        x[GOLDEN][k] = c ? 1 + 1e-3 * draw_normal(&seed) : draw_normal(&seed);
        dy[TARGET][k] = dy[GOLDEN][k] = draw_normal(&seed);
    }
    for (int k = 0; k < N; k++)
        x[TARGET][k] = x[GOLDEN][k] + NOISE * draw_normal(&seed);
    compute(TARGET);
    compute(GOLDEN);
}

static double error(const double v[2][N])
{
    double off = 0, whole = 0;
    for (int k = 0; k < N; k++) {
        off += pow(v[TARGET][k] - v[GOLDEN][k], 2);
        whole += pow(v[GOLDEN][k], 2);
    }
    return sqrt(off / whole);
}

struct norm_rows {
    uint32_t in, out, came, back;
};

static struct norm_rows scene_of(const char *op)
{
    struct norm_rows r;
    scene_start(&s);
    both_call(op, PHASE_FORWARD);
    r.in = both_rows("input.0", DTYPE_F32, SIZES, x[0], x[1]);
    r.out = both_rows("output.0", DTYPE_F32, SIZES, y[0], y[1]);
    both_call(op, PHASE_BACKWARD);
    r.came = both_rows("input.0", DTYPE_F32, SIZES, dy[0], dy[1]);
    r.back = both_rows("output.0", DTYPE_F32, SIZES, dx[0], dx[1]);
    elements_readable();
    for (uint32_t i = 0; i < s.d[0].rows.n; i++)
        elements_compared(i);
    return r;
}

/* What the formula says is what noise does, within the chance of so few elements. */
static void as_noise_does(void **state)
{
    (void)state;
    make();
    struct norm_rows r = scene_of("batch_norm");
    double noise = error(x), forward = norm_condition(&s.d[GOLDEN], r.out) * noise,
           backward = norm_condition(&s.d[GOLDEN], r.back) * noise;
    if (!(error(y) < 1.5 * forward && error(y) > forward / 3) ||
        !(error(dx) < 1.5 * backward && error(dx) > backward / 10))
        fail_msg("forward %g of %g, backward %g of %g", error(y), forward, error(dx), backward);
    assert_true(isnan(norm_condition(&s.d[GOLDEN], r.in)));
    elements_end();
    r = scene_of("group_norm"); /* how many groups is not known */
    assert_true(isnan(norm_condition(&s.d[GOLDEN], r.out)));
    elements_end();
    r = scene_of("tanh");
    assert_true(isnan(norm_condition(&s.d[GOLDEN], r.out)) && isnan(norm_condition(&s.d[GOLDEN], r.back)));
    elements_end();
}

static int first_call(void)
{
    scene_judge(&s);
    return s.j.first == NONE ? -1 : (int)s.d[0].rows.v[s.p.lines.v[s.j.first].row[0]].call;
}

/* Neither what the norm puts out nor its gradient is a deviation; a channel that noise cannot move so far is one. */
static void judged(void **state)
{
    (void)state;
    make();
    assert_true(error(x) < 2e-5 && error(y) > 1e-3 && error(dx) > 1e-3);
    scene_of("batch_norm");
    assert_int_equal(first_call(), -1);
    elements_end();
    for (int k = 0; k < N; k++)
        y[TARGET][k] *= k / PLACES % CHANNELS ? 1 : 1.2;
    scene_of("batch_norm");
    assert_int_equal(first_call(), 0);
    elements_end();
    make();
    for (int k = 0; k < N; k++)
        dx[TARGET][k] *= k / PLACES % CHANNELS ? 0.7 : 1;
    scene_of("batch_norm");
    assert_int_equal(first_call(), 1);
    elements_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_noise_does), cmocka_unit_test(judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
