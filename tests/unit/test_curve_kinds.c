/* Whether what happened to a pair of runs is told right, on 200 drawn pairs of each kind: at most 1 % of the correct
 * kinds may be called a departure, at most 2 % of the others be missed. */
#include "support.h"

#include <math.h>

#include "curves/curves.h"

#define DRAWN 200
#define MOST 10000

static struct curves c;
static struct thresholds tol;
static uint64_t state;
static double diff[MOST];
static size_t steps;
static double golden_spread; /* of a second golden run; 0: none */
static double digit;         /* losses are printed to */
static bool jumps;           /* the second step differs at once, as after another update */

static double uniform(double a, double b)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * (double)(state >> 11) / 9007199254740992.0;
}

/* Evenly over orders of magnitude. */
static double scale(double a, double b)
{
    return a * pow(b / a, uniform(0, 1));
}

static double normal(double sigma)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += uniform(0, 1);
    return sigma * (sum - 6);
}

static double turn(void)
{
    return uniform(0, 1) < 0.5 ? -1 : 1;
}

static void noise(double sigma)
{
    for (size_t i = 0; i < steps; i++)
        diff[i] = normal(sigma);
}

static size_t at_share(double a, double b)
{
    return (size_t)((double)steps * uniform(a, b));
}

static void only_noise(void)
{
    noise(scale(0.0005, 0.03));
}

/* The guide's case: 10,000 steps within 0.03 around zero are accepted. */
static void slow_swing(void)
{
    double height = uniform(0.01, 0.029), turns = uniform(1, 30), phase = uniform(0, 6.28);
    noise(0.0005);
    for (size_t i = 0; i < steps; i++)
        diff[i] += height * sin(6.2832 * turns * (double)i / (double)steps + phase);
}

static void autoregressive(void)
{
    static const double keep[] = {0.9, 0.95, 0.98, 0.99, 0.995};
    double k = keep[(size_t)uniform(0, 4.999)], sigma = scale(0.002, 0.03), x = normal(sigma);
    noise(0.001);
    jumps = true;
    for (size_t i = 0; i < steps; i++) {
        x = k * x + normal(sigma * sqrt(1 - k * k));
        diff[i] += x;
    }
}

static void one_sided(void)
{
    double level = turn() * uniform(0.012, 0.028);
    noise(scale(0.0005, 0.005));
    golden_spread = 0.03;
    jumps = true;
    for (size_t i = 0; i < steps; i++)
        diff[i] += level;
}

static void spikes(void)
{
    noise(scale(0.0005, 0.005));
    for (int n = (int)uniform(1, 6); n > 0; n--) {
        double height = turn() * scale(0.3, 5), over = uniform(0.5, 8);
        for (size_t i = at_share(0, 1), k = 0; i < steps && k < 100; i++, k++)
            diff[i] += height * exp(-(double)k / over);
    }
}

/* Resumed from a checkpoint: apart for a while, and together again. */
static void restart(void)
{
    double height = turn() * scale(0.05, 0.5), over = uniform(10, 60);
    noise(scale(0.0005, 0.005));
    for (size_t from = at_share(0.1, 0.6), i = from; i < steps; i++)
        diff[i] += height * exp(-(double)(i - from) / over);
}

static void few_digits(void)
{
    noise(0.001);
    digit = uniform(0, 1) < 0.5 ? 0.001 : 0.01;
}

static void late(double level)
{
    size_t from = at_share(0.4, 0.8);
    double over = uniform(30, 0.1 * (double)steps);
    level *= turn();
    noise(scale(0.0005, 0.004));
    for (size_t i = from; i < steps; i++)
        diff[i] += level * fmin(1, (double)(i - from) / over);
}

static void late_large(void)
{
    late(scale(0.03, 0.3));
}

static void late_small(void)
{
    late(uniform(0.01, 0.019));
}

static void divergence(void)
{
    size_t from = at_share(0.1, 0.9);
    int form = (int)uniform(0, 2.999);
    double height = turn() * scale(0.1, 5);
    noise(scale(0.0005, 0.01));
    for (size_t i = from; i < steps; i++) {
        double x = (double)(i - from) / (double)(steps - from);
        diff[i] += height * (form == 0 ? x : form == 1 ? (exp(4 * x) - 1) / (exp(4) - 1) : sqrt(x));
    }
}

static void record(struct series *s, int64_t step, double loss)
{
    struct log_record r = {.step = step, .has = 1 << LOG_LOSS | 1 << LOG_LR | 1 << LOG_NORM};
    r.value[LOG_LOSS] = digit > 0 ? digit * round(loss / digit) : loss;
    r.value[LOG_LR] = 1e-4;
    r.value[LOG_NORM] = 1;
    vec_push(&s->records, r);
}

static void judge(void)
{
    c = (struct curves){.runs = golden_spread > 0 ? 3 : 2};
    for (size_t k = 0; k < c.runs; k++)
        c.run[k].interval = 1, c.run[k].digit[LOG_LOSS] = digit;
    if (c.runs > 2)
        c.golden[2] = mem_resize_array(NULL, steps, sizeof **c.golden);
    for (size_t i = 0; i < steps; i++) {
        double golden = 2.5 + 5 * exp(-(double)i / 300) + normal(0.05);
        record(&c.run[0], (int64_t)i + 1, golden + (i ? diff[i] : 0));
        record(&c.run[1], (int64_t)i + 1, golden);
        struct curve_point p = {.step = (int64_t)i + 1, .at = {(uint32_t)i, (uint32_t)i}, .usable = true};
        vec_push(&c.points, p);
        vec_push(&c.usable, (uint32_t)i);
        vec_push(&c.diff, c.run[0].records.v[i].value[LOG_LOSS] - c.run[1].records.v[i].value[LOG_LOSS]);
        if (c.runs > 2) {
            record(&c.run[2], (int64_t)i + 1, golden + (i % 2 ? golden_spread : -golden_spread));
            c.golden[2][i] = (uint32_t)i;
        }
    }
    curves_judge(&c, &tol.curves);
}

/* How many of the drawn pairs are told `kind`, and that it goes beyond the limit (diverges_at); noise from step 2 on is
 * no jump there. */
static size_t told(void (*draw)(void), enum curve_departure_kind kind, bool beyond, bool not_around_zero)
{
    static const size_t lengths[] = {1000, 1200, 2000, 3000, 5000};
    size_t right = 0;
    state = 20261128;
    for (int i = 0; i < DRAWN; i++) {
        golden_spread = digit = 0;
        jumps = false;
        steps = i % 20 == 0 ? MOST : lengths[i % 5];
        draw();
        judge();
        bool ok = c.departure.kind == kind && (c.diverges_at >= 0) == beyond && (c.apart_at < 0 || jumps);
        right += ok && !(not_around_zero && c.around_zero == 1);
        curves_release(&c);
    }
    return right;
}

static void none_is_called(void (*draw)(void))
{
    size_t right = told(draw, DEPARTURE_NONE, false, false);
    if (right < DRAWN - DRAWN / 100)
        fail_msg("%zu of %d are called a departure", DRAWN - right, DRAWN);
}

static void all_are_found(void (*draw)(void), enum curve_departure_kind kind, bool beyond)
{
    size_t right = told(draw, kind, beyond, false);
    if (right < DRAWN - DRAWN / 50)
        fail_msg("%zu of %d are missed", DRAWN - right, DRAWN);
}

static void correct_kinds(void **unused)
{
    (void)unused;
    none_is_called(only_noise);
    none_is_called(slow_swing);
    none_is_called(autoregressive);
    none_is_called(one_sided);
    none_is_called(spikes);
    none_is_called(restart);
    none_is_called(few_digits);
}

static void departures(void **unused)
{
    (void)unused;
    all_are_found(late_large, DEPARTURE_STABLE, true);
    all_are_found(late_small, DEPARTURE_STABLE, false);
    all_are_found(divergence, DEPARTURE_GROWING, true);
}

/* Inside the band but on one side is not around zero. */
static void one_side_is_said(void **unused)
{
    (void)unused;
    assert_int_equal(told(one_sided, DEPARTURE_NONE, false, true), DRAWN);
}

static int setup(void **unused)
{
    (void)unused;
    thresholds_init(&tol);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_kinds),
        cmocka_unit_test(departures),
        cmocka_unit_test(one_side_is_said),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
