/* The rules of other tools, held against what those tools say of the same dumps. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(dropout_by_each),
        cmocka_unit_test(statistics_by_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
