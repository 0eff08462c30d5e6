/* Parameters after a step of Adam: steps that noise inverted are no deviation, another learning rate, decay or a slice
 * that moved otherwise is one. */
#include "measure/element_sample.h" /* before a scene is called s */

#include "draws.h"
#include "elements.h"
#include "judge/conditioning.h"
#include "judge/optimizer_noise.h"

enum { ROWS = 32, WIDTH = 64, N = ROWS * WIDTH };
#define SIZES ((const int64_t[]){ROWS, WIDTH, 0})
#define RATE 1e-3

static double w[2][N], other[2][N], tokens[2][ROWS];

enum change { INVERTED, RATE_HIGHER, DECAYED, ROW, MANY, ONE, BROKEN };

static const struct {
    const char *name;
    enum change change;
    bool noise;
} cases[] = {
    {"one element in a hundred is inverted", INVERTED, true},
    {"and all steps are a tenth longer", RATE_HIGHER, false},
    {"and all weights decay more", DECAYED, false},
    {"and one row made the opposite step", ROW, false},
    {"one in five is inverted", MANY, false},
    {"one element alone is inverted", ONE, true},
    {"one element is another one", BROKEN, false},
};

static void make(enum change change)
{
    uint64_t seed = 11;
    for (int i = 0; i < N; i++) {
        double before = 0.1 * draw_normal(&seed), step = draw_share(&seed) < 0.5 ? RATE : -RATE;
        double share = change == MANY ? 0.2 : change == ONE || change == BROKEN ? 0 : 0.01;
        bool inverted = draw_share(&seed) < share || (change == ROW && i / WIDTH == 3) || (change == ONE && i == 99);
        other[GOLDEN][i] = other[TARGET][i] = before;
        w[GOLDEN][i] = before + step;
        w[TARGET][i] = before + (inverted ? -step : step) * (change == RATE_HIGHER ? 1.1 : 1) -
                       (change == DECAYED ? 1e-4 * before : 0) + (change == BROKEN && i == 99 ? 0.5 : 0);
        other[TARGET][i] += i == 7 ? 1e-6 : 0; /* a gradient of noise's size has part of a step */
    }
}

static void of_elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        make(cases[i].change);
        if (optimizer_noise_in(w[TARGET], w[GOLDEN], N, WIDTH, 2 * RATE, 0.05) != cases[i].noise)
            fail_msg("%s", cases[i].name);
    }
}

static void judged(int step, size_t i)
{
    make(cases[i].change);
    scene_start(&s);
    for (int side = 0; side < 2; side++)
        s.d[side].step = step;
    both_call("embedding", PHASE_FORWARD);
    uint32_t before = both_rows("input.0", DTYPE_BF16, (const int64_t[]){ROWS, 0}, tokens[0], tokens[1]);
    uint32_t beside = both_rows("input.weight", DTYPE_F32, SIZES, other[TARGET], other[GOLDEN]);
    both_call("embedding", PHASE_FORWARD);
    uint32_t given = both_rows("input.0", DTYPE_BF16, (const int64_t[]){ROWS, 0}, tokens[0], tokens[1]);
    uint32_t row = both_rows("input.weight", DTYPE_F32, SIZES, w[TARGET], w[GOLDEN]);
    elements_readable();
    elements_compared(before);
    elements_compared(beside);
    elements_compared(given);
    elements_compared(row);
    scene_judge(&s);
    bool noise = step > 0 && cases[i].noise;
    if ((s.j.first == NONE) != noise)
        fail_msg("step %d, %s: the first deviation is line %d", step, cases[i].name, (int)s.j.first);
    assert_int_equal(s.j.line[scene_line(&s, row)].was, noise ? CONDITION_OPTIMIZER : 0);
    elements_end();
}

/* Before the first step, weights must be equal. */
static void in_a_step(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        tokens[0][i] = tokens[1][i] = i;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        judged(1, i);
    judged(0, 0);
}

/* Keys whose second half is not rotated: their bias has a gradient of rounding alone, and steps of either sign. */
static void without_a_gradient(void **state)
{
    enum { KEYS = 24 };
    double bias[2][KEYS], gradient[2][KEYS];
    uint64_t seed = 5;
    (void)state;
    for (int off = -1; off < KEYS; off++) { /* one element moves though it has a gradient; -1: none does */
        for (int i = 0; i < KEYS; i++) {
            bool rotated = i < KEYS / 2;
            bias[GOLDEN][i] = 0.1 * draw_normal(&seed);
            bias[TARGET][i] = bias[GOLDEN][i] + (rotated && i != off ? 0 : RATE);
            for (int side = 0; side < 2; side++)
                gradient[side][i] = rotated ? 0.07 * cos(i / 8.0) : 3e-9 * draw_normal(&seed);
        }
        struct element_sample parameter, derivative;
        element_sample_from(&parameter, bias[TARGET], bias[GOLDEN], 1, (const int64_t[]){KEYS});
        element_sample_from(&derivative, gradient[TARGET], gradient[GOLDEN], 1, (const int64_t[]){KEYS});
        bool lacks = optimizer_noise_lacks_gradient(&parameter, &derivative, RATE / 10);
        assert_int_equal(lacks, off < 0 || off >= KEYS / 2);
        element_sample_release(&parameter);
        element_sample_release(&derivative);
    }
}

/* Of many channels that moved few may have a gradient in this step that they lacked in an earlier one. */
static void with_a_gradient_of_late(void **state)
{
    enum { CHANNELS = 96 };
    double weight[2][CHANNELS], gradient[2][CHANNELS];
    (void)state;
    for (int late = 2; late < 5; late++) {
        for (int i = 0; i < CHANNELS; i++)
            for (int side = 0; side < 2; side++) {
                weight[side][i] = 0.1 + (side == TARGET && i >= CHANNELS / 2 ? RATE : 0);
                gradient[side][i] = i < CHANNELS / 2 + late ? 0.07 : 3e-9;
            }
        struct element_sample parameter, derivative;
        element_sample_from(&parameter, weight[TARGET], weight[GOLDEN], 1, (const int64_t[]){CHANNELS});
        element_sample_from(&derivative, gradient[TARGET], gradient[GOLDEN], 1, (const int64_t[]){CHANNELS});
        assert_int_equal(optimizer_noise_lacks_gradient(&parameter, &derivative, RATE / 10), late <= 2);
        element_sample_release(&parameter);
        element_sample_release(&derivative);
    }
}

/* The variance that a batch norm keeps of earlier steps differs by a share of what its values do. */
static void with_a_kept_variance(void **state)
{
    static const struct {
        double off, values; /* of the variance, and of what is normalised, relative */
        bool noise;
    } moved[] = {{4e-5, 5e-4, true}, {4e-4, 5e-4, false}, {4e-5, 1e-6, false}};
    static double x[2][N], kept[2][2][WIDTH];
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(moved); i++) {
        for (int k = 0; k < N; k++) {
            x[GOLDEN][k] = draw_normal(&seed);
            x[TARGET][k] = x[GOLDEN][k] + moved[i].values * draw_normal(&seed);
        }
        for (int k = 0; k < WIDTH; k++)
            for (int side = 0; side < 2; side++) {
                kept[0][side][k] = 0.1;
                kept[1][side][k] = 1 + (side == TARGET ? (k % 2 ? moved[i].off : -moved[i].off) : 0);
            }
        scene_start(&s);
        for (int side = 0; side < 2; side++)
            s.d[side].step = 1;
        both_call("linear", PHASE_FORWARD);
        uint32_t made = both_rows("output.0", DTYPE_F32, SIZES, x[TARGET], x[GOLDEN]);
        both_call("batch_norm", PHASE_FORWARD);
        uint32_t rows[] = {both_rows("input.0", DTYPE_F32, SIZES, x[TARGET], x[GOLDEN]),
                           both_rows("input.1", DTYPE_F32, (const int64_t[]){WIDTH, 0}, kept[0][0], kept[0][1]),
                           both_rows("input.2", DTYPE_F32, (const int64_t[]){WIDTH, 0}, kept[1][0], kept[1][1])};
        for (int side = 0; side < 2; side++) {
            struct row r = {.slot = dump_slot(&s.d[side], STR("input.momentum")), .shape = NONE, .extra = NONE,
                            .io = IO_INPUT, .kind = ROW_FLOAT};
            r.stat[STAT_MAX] = 0.1;
            dump_add_row(&s.d[side], 1, r);
        }
        elements_readable();
        elements_compared(made);
        for (size_t k = 0; k < ARRAY_LEN(rows); k++)
            elements_compared(rows[k]);
        scene_judge(&s);
        assert_int_equal(s.j.line[scene_line(&s, rows[2])].was, moved[i].noise ? CONDITION_OPTIMIZER : 0);
        elements_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_elements), cmocka_unit_test(in_a_step),
                                        cmocka_unit_test(without_a_gradient),
                                        cmocka_unit_test(with_a_gradient_of_late),
                                        cmocka_unit_test(with_a_kept_variance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
