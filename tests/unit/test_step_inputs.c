/* Which rows are taken for inputs of the step, and as what. */
#include "scenes.h"
#include "sides.h"

#include <math.h>

#include "judge/step_inputs.h"

/* A square row of one embedding or product of both sides, by its figures. */
static int found_of(const char *op, enum family family, const char *slot, const char *sizes, enum dtype type,
                    const double *figures)
{
    struct scene s;
    step_input_list found = {0};
    char name[60];
    scene_start(&s);
    for (int i = 0; i < 2; i++) {
        struct dump *d = &s.d[i];
        snprintf(name, sizeof name, "Functional.%s.0.forward", op);
        uint32_t call = side_call(d, name, NULL);
        d->calls.v[call].family = (uint8_t)family;
        uint32_t row = side_row(d, call, slot, sizes);
        struct row *r = &d->rows.v[row];
        r->dtype = (uint8_t)type;
        r->has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
        r->stat[STAT_MAX] = figures[0];
        r->stat[STAT_MIN] = figures[1];
        r->stat[STAT_MEAN] = figures[2];
        r->stat[STAT_NORM] = figures[3];
        side_end(d);
    }
    scene_build(&s);
    step_inputs_find(&s.m, s.m.state, s.flow, &found);
    int what = found.n ? (int)found.v[0].what : -1;
    vec_release(&found);
    scene_end(&s);
    return what;
}

static int found_as(const char *op, enum family family, const char *slot, enum dtype type, const double *figures)
{
    return found_of(op, family, slot, "4,4", type, figures);
}

/* Images and spectra are float; hidden states and weights are no inputs of the step. */
static void samples(void **state)
{
    static const double figures[] = {2.5, -2.1, 0.05, 110};
    static const struct {
        const char *op;
        enum family family;
        const char *slot, *sizes;
        bool yes;
    } cases[] = {
        {"conv2d", FAMILY_CONV, "input.0", "4,3,32,32", true},
        {"conv2d", FAMILY_CONV, "input.0", "4,32,32,3", true},
        {"conv2d", FAMILY_CONV, "input.0", "2,1,28,28", true},
        {"conv3d", FAMILY_CONV, "input.0", "1,3,8,32,32", true},
        {"conv1d", FAMILY_CONV, "input.0", "4,80,3000", true},
        {"conv1d", FAMILY_CONV, "input.0", "4,512,1500", false},
        {"conv2d", FAMILY_CONV, "input.0", "4,64,16,16", false},
        {"conv2d", FAMILY_CONV, "input.1", "64,3,7,7", false}, /* a weight */
        {"linear", FAMILY_LINEAR, "input.0", "4,16,64", false},
        {"Net", FAMILY_MODULE, "input.pixel_values", "4,3,32,32", true},
        {"Net", FAMILY_MODULE, "input.input_features", "4,80,3000", true},
        {"Net", FAMILY_MODULE, "input.image_embeds", "4,196,64", false},
        {"Net", FAMILY_MODULE, "input.hidden_states", "4,196,64", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (found_of(cases[i].op, cases[i].family, cases[i].slot, cases[i].sizes, DTYPE_F32, figures) !=
            (cases[i].yes ? (int)INPUT_OTHER : -1))
            fail_msg("%s %s %s", cases[i].op, cases[i].slot, cases[i].sizes);
}

static void by_values_and_use(void **state)
{
    static const double pattern[] = {1, 0, 0.625, 3.1622777}, probabilities[] = {1, 0, 0.25, 1.9},
                        added[] = {0, -10000, -3750, 24494.897}, numbers[] = {9, 0, 4, 20},
                        types[] = {1, 0, 0.5, 2.8284271};
    (void)state;
    assert_int_equal(found_as("matmul", FAMILY_LINEAR, "input.0", DTYPE_F32, pattern), INPUT_ATTENTION_MASK);
    assert_int_equal(found_as("add", FAMILY_ADD, "input.1", DTYPE_F32, added), INPUT_ATTENTION_MASK);
    assert_int_equal(found_as("matmul", FAMILY_LINEAR, "input.0", DTYPE_F32, probabilities),
                     -1); /* from 0 to 1, between too */
    assert_int_equal(found_as("rotary", FAMILY_ROPE, "input.position_ids", DTYPE_I64, numbers), INPUT_POSITIONS);
    assert_int_equal(found_as("embedding", FAMILY_EMBEDDING, "input.0", DTYPE_I64, numbers), INPUT_IDS);
    assert_int_equal(found_as("view", FAMILY_VIEW, "input.token_type_ids", DTYPE_I64, types), -1); /* no positions */
    assert_int_equal(found_as("cross_entropy", FAMILY_LOSS, "input.1", DTYPE_I64, numbers), INPUT_LABELS);
}

/* Integers are data if they are large and no shape or axis: ids of a module, something else of a call. */
static void integers(void **state)
{
    static const double large[] = {31999, 3, 900, 40000}, small[] = {8, 0, 3, 20}, two[] = {1, 0, 0.5, 2.8284271},
                        unknown[] = {1, 0, NAN, NAN}, overflowed[] = {1, 0, 0.5, INFINITY};
    static const struct {
        const char *op;
        enum family family;
        const char *slot, *sizes;
        const double *figures;
        int what;
    } cases[] = {
        {"gather", FAMILY_OTHER, "input.1", "2,16", large, INPUT_OTHER},
        {"gather", FAMILY_OTHER, "input.1", "2,16", small, -1},
        {"view", FAMILY_VIEW, "input.1", "2,16", large, -1},
        {"embedding", FAMILY_EMBEDDING, "input.0", "2,16", small, INPUT_IDS},
        {"cross_entropy", FAMILY_LOSS, "input.1", "2,16", small, INPUT_LABELS},
        {"add", FAMILY_ADD, "input.1", "2,16", small, -1},
        {"add", FAMILY_ADD, "input.attention_mask", "4,4", two, INPUT_ATTENTION_MASK},
        {"add", FAMILY_ADD, "input.1", "4,4", two, INPUT_ATTENTION_MASK},
        {"add", FAMILY_ADD, "input.1", "4,4", unknown, INPUT_ATTENTION_MASK},
        {"add", FAMILY_ADD, "input.1", "4,4", overflowed, INPUT_ATTENTION_MASK},
        {"add", FAMILY_ADD, "input.1", "4,5", two, -1}, /* queries and keys are as many */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int what = found_of(cases[i].op, cases[i].family, cases[i].slot, cases[i].sizes, DTYPE_I64, cases[i].figures);
        if (what != cases[i].what)
            fail_msg("case %zu, %s %s: %d", i, cases[i].op, cases[i].slot, what);
    }
}

/* Token numbers of which only figures were recorded: equal, or not. */
static void figures_that_differ(void **state)
{
    (void)state;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        for (int differs = 0; differs < 2; differs++) {
            static const double stats[STAT_COUNT] = {31999, 3, 900, 40000};
            struct scene s;
            step_input_list found = {0};
            scene_start(&s);
            for (int i = 0; i < 2; i++) {
                uint32_t call = side_call(&s.d[i], "Functional.embedding.0.forward", NULL);
                s.d[i].calls.v[call].family = FAMILY_EMBEDDING;
                uint32_t row = side_row(&s.d[i], call, "input.0", "2,16");
                struct row *r = &s.d[i].rows.v[row];
                r->dtype = DTYPE_I64;
                r->has |= HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
                memcpy(r->stat, stats, sizeof stats);
                r->stat[stat] += i && differs ? 1 : 0;
                side_end(&s.d[i]);
            }
            scene_build(&s);
            step_inputs_find(&s.m, s.m.state, s.flow, &found);
            assert_int_equal(found.n, 1);
            assert_int_equal(found.v[0].equal, !differs);
            vec_release(&found);
            scene_end(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_values_and_use), cmocka_unit_test(integers),
                                       cmocka_unit_test(samples), cmocka_unit_test(figures_that_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
