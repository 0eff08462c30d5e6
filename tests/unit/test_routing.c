/* Choices of experts, token by token: sets, ties, and choices by something else than the scores. */
#include "elements.h"
#include "judge/routing.h"

enum { TOKENS = 3, WIDTH = 5, PICKS = 2 };

#define SCORES ((const int64_t[]){TOKENS, WIDTH, 0})
#define CHOICES ((const int64_t[]){TOKENS, PICKS, 0})

static const double scores[TOKENS][WIDTH] = {{0.9, 0.1, 0.5, 0.499, 0.2},
                                             {0.1, 0.2, 0.3, 0.8, 0.7},
                                             {0.6, 0.5, 0.1, 0.2, 0.3}};
static const double picked[TOKENS][PICKS] = {{0, 2}, {3, 4}, {0, 1}};

struct example {
    const char *name;
    double score[TOKENS][WIDTH], picked[TOKENS][PICKS]; /* the target's where they are not the golden ones */
    double noise;
    enum routing is;
};

static const struct example examples[] = {
    {"the same", {{0}}, {{0, 2}, {3, 4}, {0, 1}}, 1e-4, ROUTING_SAME},
    {"a different order", {{0}}, {{2, 0}, {4, 3}, {1, 0}}, 1e-4, ROUTING_SAME},
    {"a tie turned", {{0.9, 0.1, 0.4993, 0.4995, 0.2}}, {{0, 3}, {3, 4}, {0, 1}}, 5e-3, ROUTING_TIED},
    {"more than noise turned it", {{0.9, 0.1, 0.4993, 0.4995, 0.2}}, {{0, 3}, {3, 4}, {0, 1}}, 1e-4, ROUTING_OTHER},
    {"not by its own scores", {{0}}, {{0, 2}, {3, 1}, {0, 1}}, 0.9, ROUTING_OTHER}, /* whatever the noise */
    {"one expert twice", {{0}}, {{0, 0}, {3, 4}, {0, 1}}, 0.9, ROUTING_OTHER},
    {"no such expert", {{0}}, {{0, 5}, {3, 4}, {0, 1}}, 0.9, ROUTING_OTHER},
};

static void fill(const struct example *x, double score[TOKENS][WIDTH])
{
    for (int t = 0; t < TOKENS; t++)
        memcpy(score[t], x->score[t][0] > 0 ? x->score[t] : scores[t], sizeof score[t]);
}

static void sets_of_a_token(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        double score[TOKENS][WIDTH];
        fill(&examples[i], score);
        struct routing_choice c = {.tokens = TOKENS, .width = WIDTH, .picks = PICKS, .score = {score[0], scores[0]},
                                   .picked = {examples[i].picked[0], picked[0]}, .rounding = 1e-6};
        if (routing_of(&c, examples[i].noise) != examples[i].is)
            fail_msg("%s: %d", examples[i].name, routing_of(&c, examples[i].noise));
        c.picked[GOLDEN] = (const double[]){1, 2, 3, 4, 0, 1}; /* picked by something that was not recorded */
        assert_int_equal(routing_of(&c, examples[i].noise), ROUTING_UNKNOWN);
    }
}

/* Keys with equal values, such as experts' numbers, in another order: what was sorted is the same where each side's
 * positions put its own keys in order. */
static void positions_of_a_sort(void **state)
{
    static const double key[2][WIDTH] = {{2, 0, 1, 2, 1}, {1, 2, 2, 1, 0}};
    static const struct {
        double at[WIDTH], noise;
        enum routing is;
    } cases[] = {
        {{1, 2, 4, 0, 3}, 0, ROUTING_SAME},
        {{1, 4, 2, 3, 0}, 0, ROUTING_SAME},    /* equal keys exchanged */
        {{1, 4, 0, 2, 3}, 0, ROUTING_UNKNOWN}, /* not in order */
        {{1, 4, 4, 3, 0}, 0, ROUTING_UNKNOWN}, /* one twice */
        {{1, 4, 5, 3, 0}, 0, ROUTING_UNKNOWN}, /* none such */
        {{1, 4, 0, 2, 3}, 0.5, ROUTING_SAME},  /* keys that noise exchanges */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct routing_choice c = {.tokens = 1, .width = WIDTH, .picks = WIDTH, .score = {key[TARGET], key[GOLDEN]},
                                   .picked = {cases[i].at, (const double[]){4, 0, 3, 1, 2}}};
        assert_int_equal(routing_of(&c, cases[i].noise), cases[i].is);
    }
}

/* ---- in a judgement ---- */

/* Another order is no deviation, neither of the experts nor of what stands in their order; another expert is one where
 * the scores say so, however much noise there is. */
static void judged(void **state)
{
    static const char *const ops[] = {"topk", "max", "argmax"};
    static const double pull[WIDTH] = {1, -1, -0.8, -0.79, 0.7}; /* on each expert's score */
    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(ops) * ARRAY_LEN(examples); n++) {
        size_t i = n % ARRAY_LEN(examples);
        double score[TOKENS][WIDTH], value[2][TOKENS][PICKS], share[2][TOKENS][PICKS], back[2][TOKENS][PICKS];
        fill(&examples[i], score);
        for (int t = 0; t < TOKENS; t++)
            for (int k = 0; k < PICKS; k++) {
                int own = (int)examples[i].picked[t][k] % WIDTH;
                value[0][t][k] =
                    examples[i].is == ROUTING_OTHER && i > 3 ? scores[t][(int)picked[t][k]] : score[t][own];
                value[1][t][k] = scores[t][(int)picked[t][k]];
                for (int side = 0; side < 2; side++)
                    share[side][t][k] = value[side][t][k] * 3;
                back[0][t][k] = pull[own];
                back[1][t][k] = pull[(int)picked[t][k]];
            }
        scene_start(&s);
        both_call(ops[n / ARRAY_LEN(examples)], PHASE_FORWARD);
        uint32_t in = both_rows("input.0", DTYPE_BF16, SCORES, score[0], scores[0]);
        uint32_t best = both_rows("output.0", DTYPE_BF16, CHOICES, value[0][0], value[1][0]);
        uint32_t where = both_rows("output.1", DTYPE_I64, CHOICES, examples[i].picked[0], picked[0]);
        both_call("mul", PHASE_FORWARD);
        uint32_t given = both_rows("input.0", DTYPE_BF16, CHOICES, value[0][0], value[1][0]);
        uint32_t made = both_rows("output.0", DTYPE_BF16, CHOICES, share[0][0], share[1][0]);
        both_call("gather", PHASE_FORWARD);
        uint32_t by = both_rows("input.1", DTYPE_I64, CHOICES, examples[i].picked[0], picked[0]);
        both_call("gather", PHASE_BACKWARD);
        uint32_t gradient = both_rows("input.0", DTYPE_BF16, CHOICES, back[0][0], back[1][0]);
        for (int side = 0; side < 2; side++)
            vec_last(&s.d[side].calls)->twin = (uint32_t)s.d[side].calls.n - 2;
        elements_readable();
        elements_compared(by);
        elements_compared(gradient);
        elements_compared(in);
        elements_compared(best);
        elements_compared(where);
        elements_compared(given);
        elements_compared(made);
        scene_judge(&s);
        uint8_t rule = s.j.line[scene_line(&s, where)].rule;
        bool other =
            examples[i].is == ROUTING_OTHER && i > 3; /* bfloat16's rounding is wider than the examples' noise */
        if ((s.j.first != NONE) != other || (other && s.j.first != scene_line(&s, where)) ||
            (i == 1 && rule != RULE_SAME_PICKS))
            fail_msg("%s of %s: the first deviation is line %d, rule %u", examples[i].name,
                     ops[n / ARRAY_LEN(examples)], (int)s.j.first, rule);
        elements_end();
    }
}

/* One side may reshape the choices where the other does not: who reads them after that reads the same choices. */
static void behind_a_reshape(void **state)
{
    static const double other[TOKENS][PICKS] = {{2, 0}, {4, 3}, {1, 0}};
    double value[2][TOKENS][PICKS];
    (void)state;
    for (int t = 0; t < TOKENS; t++)
        for (int k = 0; k < PICKS; k++) {
            value[0][t][k] = scores[t][(int)other[t][k]];
            value[1][t][k] = scores[t][(int)picked[t][k]];
        }
    scene_start(&s);
    both_call("topk", PHASE_FORWARD);
    uint32_t in = both_rows("input.0", DTYPE_F32, SCORES, scores[0], scores[0]);
    uint32_t best = both_rows("output.0", DTYPE_F32, CHOICES, value[0][0], value[1][0]);
    uint32_t where = both_rows("output.1", DTYPE_I64, CHOICES, other[0], picked[0]);
    both_call("reshape", PHASE_FORWARD);
    uint32_t shaped = both_rows("output.0", DTYPE_I64, CHOICES, other[0], picked[0]);
    both_call("one_hot", PHASE_FORWARD);
    uint32_t by = both_rows("input.0", DTYPE_I64, CHOICES, other[0], picked[0]);
    elements_readable();
    struct line *alone = &s.p.lines.v[scene_line(&s, shaped)]; /* as if the golden side did not reshape */
    alone->pair = alone->row[GOLDEN] = s.p.line_of[GOLDEN][shaped] = NONE;
    const uint32_t rows[] = {in, best, where, by};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        elements_compared(rows[i]);
    scene_judge(&s);
    assert_int_equal(s.j.line[scene_line(&s, by)].rule, RULE_SAME_PICKS);
    assert_int_equal(s.j.first, NONE);
    elements_end();
}

/* A tool that records no integers: of the values picked, which need not be sorted, a token's set is compared. */
static void values_without_positions(void **state)
{
    static const double golden[TOKENS][PICKS] = {{0.9, 0.5}, {0.8, 0.7}, {0.6, 0.5}},
                        target[2][TOKENS][PICKS] = {{{0.5, 0.9}, {0.8, 0.7}, {0.5, 0.6}},
                                                    {{0.5, 0.9}, {0.8, 0.7}, {0.5, 0.3}}};
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        scene_start(&s);
        both_call("topk", PHASE_FORWARD);
        uint32_t in = both_rows("input.0", DTYPE_F32, SCORES, scores[0], scores[0]);
        uint32_t out = both_rows("output.0", DTYPE_F32, CHOICES, target[wrong][0], golden[0]);
        elements_readable();
        elements_compared(in);
        elements_compared(out);
        scene_judge(&s);
        assert_int_equal(s.j.line[scene_line(&s, out)].rule == RULE_SAME_PICKS, !wrong);
        assert_int_equal(s.j.first, wrong ? scene_line(&s, out) : NONE);
        elements_end();
    }
}

/* What is computed from a choice that noise turned may differ by any amount. It is not compared, unless the call can be
 * recomputed: then it agrees, or starts. Where it comes from need not be recorded. */
static void behind_a_turned_choice(void **state)
{
    static const double mask[2][WIDTH] = {{0, 0, 0, 1, 0}, {0, 0, 1, 0, 0}},
                        value[2][WIDTH] = {{5, 4, 3, 2, 1}, {1, 4, 3, 2, 5}},
                        made[2][WIDTH] = {{9, 4, 3, 2, 1}, {1, 4, 3, 2, 9}},
                        last[2][WIDTH] = {{8, 4, 3, 2, 1}, {1, 4, 3, 2, 8}};
    static const struct {
        int example;
        float residual;
        enum cause mask, made;
    } cases[] = {{2, 0.5F, CAUSE_UNKNOWN, CAUSE_AGREES},
                 {2, 40, CAUSE_UNKNOWN, CAUSE_STARTS},
                 {2, NAN, CAUSE_UNKNOWN, CAUSE_UNKNOWN},
                 {0, NAN, CAUSE_STARTS, CAUSE_INHERITED}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct example *x = &examples[cases[i].example];
        double score[TOKENS][WIDTH];
        uint32_t row[4];
        float residual[9];
        fill(x, score);
        scene_start(&s);
        both_call("linear", PHASE_FORWARD);
        uint32_t product = both_rows("output.0", DTYPE_BF16, SCORES, score[0], scores[0]);
        both_call("topk", PHASE_FORWARD);
        uint32_t in = both_rows("input.0", DTYPE_BF16, SCORES, score[0], scores[0]);
        uint32_t picks = both_rows("output.0", DTYPE_I64, CHOICES, x->picked[0], picked[0]);
        both_call("where", PHASE_FORWARD);
        row[0] = both_rows("input.0", DTYPE_I64, (const int64_t[]){WIDTH, 0}, mask[0], mask[1]);
        both_call("mul", PHASE_FORWARD);
        row[1] = both_rows("input.0", DTYPE_F32, (const int64_t[]){WIDTH, 0}, value[0], value[1]);
        row[2] = both_rows("output.0", DTYPE_F32, (const int64_t[]){WIDTH, 0}, made[0], made[1]);
        both_call("mul", PHASE_FORWARD);
        row[3] = both_rows("output.0", DTYPE_F32, (const int64_t[]){WIDTH, 0}, last[0], last[1]);
        elements_readable();
        for (size_t k = 0; k < ARRAY_LEN(residual); k++)
            residual[k] = NAN;
        residual[scene_line(&s, row[2])] = cases[i].residual;
        s.o.residual = residual;
        elements_compared(product);
        elements_compared(in);
        elements_compared(picks);
        for (size_t k = 0; k < ARRAY_LEN(row); k++)
            elements_compared(row[k]);
        scene_judge(&s);
        assert_int_equal(s.j.line[scene_line(&s, row[0])].cause, cases[i].mask);
        assert_int_equal(s.j.line[scene_line(&s, row[2])].cause, cases[i].made);
        if (cases[i].made == CAUSE_UNKNOWN)
            assert_int_equal(s.j.line[scene_line(&s, row[3])].rule, RULE_BEHIND_CHOICE);
        elements_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_of_a_token), cmocka_unit_test(positions_of_a_sort),
                                       cmocka_unit_test(judged),
                                       cmocka_unit_test(behind_a_reshape),
        cmocka_unit_test(values_without_positions),
                                       cmocka_unit_test(behind_a_turned_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
