/* The gradient of max pooling where a window holds its largest value twice. */
#include "elements.h"
#include "judge/conditioning.h"
#include "judge/pool_ties.h"

enum { PLANE = 8, CHANNELS = 2, N = PLANE * CHANNELS };
#define SIZES ((const int64_t[]){1, CHANNELS, 2, 4, 0})

/* Windows of two by two; the second holds 0.75 twice, in the other channel 0.75 stands as well. */
static const double seen[N] = {0.1, 0.9, 0.75, 0.2, 0.3, 0.4, 0.75, 0.5, 0.75, 0.2, 0.1, 0.4, 0.5, 0.3, 0.6, 0.2};
static const double golden[N] = {0, 2, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0};

static const struct {
    const char *name;
    int from, to;
    double by; /* what arrives, of what left */
    bool tied;
} cases[] = {
    {"to the other of two equal values", 2, 6, 1, true},
    {"less arrives", 2, 6, 0.5, false},
    {"to another value", 2, 7, 1, false},
    {"to an equal value of another channel", 2, 8, 1, false},
};

static void move(size_t i, double out[N])
{
    memcpy(out, golden, sizeof golden);
    out[cases[i].from] = 0;
    out[cases[i].to] += golden[cases[i].from] * cases[i].by;
}

static void of_elements(void **state)
{
    double target[N];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        move(i, target);
        if (pool_ties_of(target, golden, seen, N, PLANE, 1e-3) != cases[i].tied)
            fail_msg("%s", cases[i].name);
    }
    assert_false(pool_ties_of(golden, golden, seen, N, PLANE, 1e-3)); /* nothing moved: nothing is explained */
}

/* Nobody's first deviation; what comes of it has its error to expect. */
static void judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double target[N];
        move(i, target);
        scene_start(&s);
        both_call("max_pool2d", PHASE_FORWARD);
        uint32_t in = both_rows("input.0", DTYPE_F32, SIZES, seen, seen);
        both_call("max_pool2d", PHASE_BACKWARD);
        uint32_t out = both_rows("output.0", DTYPE_F32, SIZES, target, golden);
        elements_readable();
        elements_compared(in);
        elements_compared(out);
        scene_judge(&s);
        if ((s.j.first == NONE) != cases[i].tied)
            fail_msg("%s: the first deviation is line %d", cases[i].name, (int)s.j.first);
        assert_int_equal(s.j.line[scene_line(&s, out)].was, cases[i].tied ? CONDITION_POOL_TIE : 0);
        elements_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_elements), cmocka_unit_test(judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
