/* Tokens flattened batch by batch on one side and position by position on the other: a view, for what was computed. */
#include "sessions.h"
#include "tensors.h"

#include "draws.h"

enum { BATCH = 2, SEQ = 12, ROWS = BATCH * SEQ, WIDTH = 6, SIZE = ROWS * WIDTH };

static uint64_t seed = 9;

static void draw(float *v)
{
    for (int i = 0; i < SIZE; i++)
        v[i] = (float)(draw_share(&seed) * 2 - 1);
}

/* The rows of [batch, sequence] in the order of [sequence, batch], or in no such order. */
static void turn_rows(const float *from, float *to, bool tokens)
{
    for (int r = 0; r < ROWS; r++)
        memcpy(to + r * WIDTH, from + (tokens ? r % BATCH * SEQ + r / BATCH : (r * 5 + 3) % ROWS) * WIDTH,
               WIDTH * sizeof *to);
}

static void orders(void **state)
{
    static const struct {
        const char *what;
        bool tokens, weight, viewed; /* weight: read by the call, and nothing recorded made it */
    } cases[] = {
        {"positions before samples", true, false, true},
        {"no order of tokens", false, false, false},
        {"a weight", true, true, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tensor_dump d[2];
        float v[2][SIZE], first[SIZE], last[SIZE];
        draw(first);
        draw(last);
        draw(v[GOLDEN]);
        turn_rows(v[GOLDEN], v[TARGET], cases[i].tokens);
        for (int s = 0; s < 2; s++) {
            tensors_begin_of(&d[s], scratch(), s == GOLDEN ? "pytorch" : "mindspore");
            tensors_add(&d[s], s == GOLDEN ? "Functional.softmax.0.forward" : "Primitive.softmax.Softmax.0.forward",
                        "24,6", first, SIZE);
            const char *call = s == GOLDEN ? "Tensor.__mul__.0.forward" : "Primitive.mul.Mul.0.forward";
            if (cases[i].weight)
                tensors_pass(&d[s], call, "24,6", v[s], last, SIZE);
            else
                tensors_add(&d[s], call, "24,6", v[s], SIZE);
            tensors_end(&d[s]);
        }
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        const struct pairing *p = &s->rows->pairing;
        uint32_t row = dump_find_row(&s->recordings->side[TARGET].dump,
                                     cases[i].weight ? STR("Primitive.mul.Mul.0.forward.input.0")
                                                     : STR("Primitive.mul.Mul.0.forward.output.0"));
        assert_true(row != NONE);
        uint32_t line = p->line_of[TARGET][row];
        assert_true(p->lines.v[line].pair != NONE);
        bool viewed = p->pairs.v[p->lines.v[line].pair].view != NONE;
        if (viewed != cases[i].viewed)
            fail_msg("%s: %s view", cases[i].what, viewed ? "a" : "no");
        if (viewed) {
            assert_int_equal(s->now->judged->line[line].verdict, VERDICT_MATCH);
            assert_true(s->now->judged->line[line].error <= 0);
        }
        shut(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
