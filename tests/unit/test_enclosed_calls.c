/* Calls without a partner between calls that agree. */
#include "sides.h"

#include "judge/enclosed_calls.h"
#include "judge/thresholds.h"
#include "judge/verdict.h"

static struct dump d;

static void row(uint32_t call, const char *slot, double max)
{
    uint32_t r = side_row(&d, call, slot, "4,4");
    struct row *x = &d.rows.v[r];
    x->has |= HAS_MAX | HAS_MIN | HAS_NORM;
    x->stat[STAT_MAX] = max;
    x->stat[STAT_NORM] = max + 1;
}

/* A call that makes `makes` from `from` (0: from nothing recorded). */
static uint32_t step(double from, double makes)
{
    uint32_t c = side_call(&d, "Torch.mul.0.forward", NULL);
    if (from > 0)
        row(c, "input.0", from);
    row(c, "output.0", makes);
    return c;
}

static void between(void **state)
{
    (void)state;
    side_start(&d, "pytorch");
    uint32_t first = step(0, 1), inner = step(1, 2), last = step(2, 3);
    uint32_t loose = step(1, 4);    /* nobody reads it */
    uint32_t other = step(0, 5);    /* nothing is known of what goes in */
    uint32_t wrong = step(1, 6), behind = step(6, 7), end = step(7, 8);
    row(end, "input.1", 5);
    side_end(&d);
    bool agrees[16] = {false};
    uint8_t paired[16] = {0};
    const uint32_t alike[] = {first, last, end};
    for (size_t i = 0; i < ARRAY_LEN(alike); i++)
        agrees[alike[i]] = (paired[alike[i]] = true);
    paired[wrong] = 1; /* and does not agree */
    struct dataflow flow;
    dataflow_build(&flow, &d);
    bool *is = enclosed_calls_find(&d, &flow, agrees, paired);
    assert_true(is[inner]);
    assert_false(is[first] || is[last] || is[end]);
    assert_false(is[loose]);
    assert_false(is[other]);
    assert_false(is[wrong] || is[behind]);
    free(is);
    dataflow_release(&flow);
    dump_release(&d);
}

/* Slices and a stack that nobody recorded, between a call that agrees and one that does: then their calls are read in
 * what they come to, else not. */
static void behind_unrecorded_steps(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        side_start(&d, "pytorch");
        uint32_t first = step(0, 1), slice = step(2, 3), on = step(3, 4), last = step(5, 6);
        side_end(&d);
        bool agrees[4] = {false};
        uint8_t paired[4] = {0};
        paired[first] = paired[last] = 1;
        agrees[first] = true;
        agrees[last] = !wrong;
        struct dataflow flow;
        dataflow_build(&flow, &d);
        bool *is = enclosed_calls_find(&d, &flow, agrees, paired);
        assert_int_equal(is[slice], !wrong);
        assert_int_equal(is[on], !wrong);
        free(is);
        dataflow_release(&flow);
        dump_release(&d);
    }
}

/* What stands between calls that agree counts beside calls that were judged, never alone. */
static void counts_beside_judged_calls(void **state)
{
    struct thresholds tol;
    struct judge_options o = {.tol = &tol};
    struct judgement j = {.first = NONE, .sum = {.pairs = 20, .compute = {20, 20}, .enclosed = 12}};
    (void)state;
    thresholds_init(&tol);
    assert_int_equal(judgement_unjudged(&j, &o), UNJUDGED_FEW);
    j.sum.judged = 1;
    assert_int_equal(judgement_unjudged(&j, &o), UNJUDGED_NOT);
}

/* The same of what a module gives, when steps nobody recorded put its results together; not of what the last call
 * inside it gave. */
static void behind_a_module(void **state)
{
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        side_start(&d, "pytorch");
        uint32_t first = step(0, 1), slice = step(2, 3), module = side_call(&d, "Module.rnn.LSTM.forward.0", "rnn");
        row(module, "input.0", 1);
        row(module, "output.0", recorded ? 1 : 5);
        uint32_t last = step(recorded ? 1 : 5, 6);
        side_end(&d);
        bool agrees[4] = {false};
        uint8_t paired[4] = {0};
        agrees[first] = agrees[last] = agrees[module] = true;
        paired[first] = paired[last] = paired[module] = 1;
        struct dataflow flow;
        dataflow_build(&flow, &d);
        bool *is = enclosed_calls_find(&d, &flow, agrees, paired);
        assert_int_equal(is[slice], !recorded);
        free(is);
        dataflow_release(&flow);
        dump_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_a_module),
        cmocka_unit_test(behind_unrecorded_steps),
        cmocka_unit_test(between),
        cmocka_unit_test(counts_beside_judged_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
