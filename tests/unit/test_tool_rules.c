/* The rules of other tools, held against what those tools say of the same dumps. */
#include "scenes.h"
#include "sessions.h"

#include <math.h>

#include "judge/tool_rules.h"

static uint32_t verdicts(struct session *s, enum verdict v)
{
    return s->now->judged->sum.by[v];
}

static void judge_by(struct session *s, const char *name)
{
    struct err e;
    session_lock(s);
    s->opt.of.preset = tool_rules_find(str_of(name));
    session_set_tol(s, &s->opt.of.tol);
    session_unlock(s);
    assert_int_equal(session_wait(s, &e), 0);
}

static void names(void **state)
{
    (void)state;
    assert_int_equal(tool_rules_find(STR("diverge")), 0);
    assert_string_equal(tool_rules_name(tool_rules_find(STR("ptdbg"))), "ptdbg");
    assert_int_equal(tool_rules_find(STR("msprob")), -1);
    assert_null(tool_rules_name(99));
    assert_null(tool_rules_name(-1));
}

/* What msprobe 26.2 prints for this pair: 1 error (the dropout's output), 1 warning (its probability is a scalar
 * that differs: our own rule keeps that); inputs that deviate pass. */
static void dropout_by_each(void **state)
{
    (void)state;
    struct session *s = open_paths(sample("tt_dropout/target"), sample("tt_dropout/bench"));
    uint32_t own = verdicts(s, VERDICT_DEVIATE) + verdicts(s, VERDICT_INHERITED);
    assert_true(own > 100);
    judge_by(s, "msprobe");
    assert_in_range(verdicts(s, VERDICT_DEVIATE), 1, 2);
    assert_int_equal(verdicts(s, VERDICT_DRIFT), 1);
    judge_by(s, "ptdbg");
    assert_in_range(verdicts(s, VERDICT_DEVIATE), 50, own);
    judge_by(s, "msprobe-xlsx");
    assert_in_range(verdicts(s, VERDICT_DEVIATE), 1, 20);
    judge_by(s, "diverge");
    assert_int_equal(verdicts(s, VERDICT_DEVIATE) + verdicts(s, VERDICT_INHERITED), own);
    shut(s);
}

/* A 2 % wrong kernel under honest noise, statistics only: no rule of theirs sees it. */
static void statistics_by_each(void **state)
{
    (void)state;
    struct session *s = open_paths(sample("overflow_stat/ms"), sample("overflow_stat/torch"));
    uint32_t nonfinite = verdicts(s, VERDICT_NONFINITE);
    assert_true(nonfinite > 0);
    judge_by(s, "msprobe");
    assert_int_equal(verdicts(s, VERDICT_NONFINITE), nonfinite); /* stays what it is under every rule */
    shut(s);
}

struct limit_case {
    const char *preset;
    double in[2][3], out[2][3]; /* max, min, norm of each side */
    enum verdict verdict;       /* of the output */
};

static uint32_t figured(struct dump *d, uint32_t call, const char *slot, const double *stats)
{
    struct row r = {.slot = dump_slot(d, str_of(slot)), .extra = NONE, .kind = ROW_TENSOR, .dtype = DTYPE_F32,
                    .io = str_starts(str_of(slot), "output") ? IO_OUTPUT : IO_INPUT,
                    .has = HAS_SHAPE | HAS_MAX | HAS_MIN | HAS_NORM};
    r.shape = dump_shape(d, &(int64_t){64}, 1);
    r.stat[STAT_MAX] = stats[0];
    r.stat[STAT_MIN] = stats[1];
    r.stat[STAT_NORM] = stats[2];
    return dump_add_row(d, call, r);
}

/* Their rules say "above": a figure that is the limit passes. */
static void limits_themselves_pass(void **state)
{
    static const struct limit_case cases[] = {
        {"msprobe", {{1, -1, 4}, {1, -1, 4}}, {{1, -1, 6}, {1, -1, 4}}, VERDICT_DRIFT}, /* norm off by 0.5, input by 0 */
        {"msprobe", {{1, -1, 4}, {1, -1, 4}}, {{1, -1, 6.5}, {1, -1, 4}}, VERDICT_DEVIATE},
        {"msprobe-xlsx", {{2, -1, 4}, {1, -1, 4}}, {{64, -64, 64}, {53, -64, 64}}, VERDICT_MATCH}, /* input off by 1 */
        {"msprobe-xlsx", {{2.5, -1, 4}, {1, -1, 4}}, {{68, -64, 64}, {52, -64, 64}}, VERDICT_DRIFT},
        {"ptdbg", {{1, -1, 4}, {1, -1, 4}}, {{1.5, -1, 4}, {1, -1, 4}}, VERDICT_MATCH},
        {"ptdbg", {{1, -1, 4}, {1, -1, 4}}, {{1.6, -1, 4}, {1, -1, 4}}, VERDICT_DEVIATE},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        uint32_t out = NONE;
        scene_start(&s);
        for (int k = 0; k < 2; k++) {
            uint32_t c = dump_add_call(&s.d[k], STR("Functional.mul.0.forward"), CALL_API, PHASE_FORWARD);
            figured(&s.d[k], c, "input.0", cases[i].in[k]);
            out = figured(&s.d[k], c, "output.0", cases[i].out[k]);
        }
        s.o.preset = tool_rules_find(str_of(cases[i].preset));
        scene_build(&s);
        scene_judge(&s);
        enum verdict v = (enum verdict)s.j.line[scene_line(&s, out)].verdict;
        if (v != cases[i].verdict)
            fail_msg("case %zu, %s: %s", i, cases[i].preset, verdict_name(v));
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(dropout_by_each),
        cmocka_unit_test(statistics_by_each),
        cmocka_unit_test(limits_themselves_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
