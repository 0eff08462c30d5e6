/* Accepted differences: what they take out of a judgement, what is told of entries that are over or not needed, files
 * that are not as they should be. */
#include "scenes.h"
#include "sides.h"

#include "base/io.h"
#include "judge/verdict_text.h"
#include "judge/accepted.h"
#include "compare/input_doubts.h"
#include "sessions.h"

static void refused(void **state)
{
    static const char *const bad[][2] = {
        {"{}", "a list \"known\""},
        {"{\"known\":[{\"row\":\"a\"}]}", "entry 1: expected \"row\""},
        {"{\"known\":[{\"row\":\"a\",\"reason\":\"r\",\"kind\":\"match\"}]}", "found \"match\""},
        {"{\"known\":[{\"row\":\"a\",\"reason\":\"r\"},{\"row\":\"b\",\"reason\":\"r\",\"until\":\"soon\"}]}", "entry 2: \"until\""},
        {"{\"known\":[{\"row\":\"b\",\"reason\":\"r\",\"until\":\"2026-13-01\"}]}", "entry 1: \"until\""},
        {"{\"known\":[{\"row\":\"b\",\"reason\":\"r\",\"until\":\"2026-04-31\"}]}", "entry 1: \"until\""},
        {"{\"known\":[{\"row\":\"(\",\"reason\":\"r\"}]}", "entry 1: pattern"},
        {"[", "known.json"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct accepted_list l = {0};
        struct err e = {0};
        assert_int_equal(accepted_load(&l, put_text(scratch(), "known.json", bad[i][0]), "2026-01-01", &e), -1);
        if (!strstr(e.text, bad[i][1]))
            fail_msg("%s does not say %s", e.text, bad[i][1]);
        accepted_release(&l);
    }
}

/* The comparison with these differences accepted on that day. */
static struct session *accepting(struct accepted_list *l, const char *text, const char *today)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {sample("tt_rope/target"), sample("tt_rope/bench")},
                                .of.step = {-1, -1},
                                .of.rank = {-1, -1},
                                .of.known = l};
    struct err e;
    thresholds_init(&o.of.tol);
    if (accepted_load(l, put_text(scratch(), "known.json", text), today, &e) || session_start(s, &o, &e) ||
        session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

static const char two[] = "{\"known\":[{\"row\":\"Torch\\\\.outer\\\\..*\",\"kind\":\"deviate\",\"reason\":\"agreed\","
                          "\"until\":\"2026-03-01\"},"
                          "{\"row\":\"none of them\",\"reason\":\"once\"}]}";

static void taken_out(void **state)
{
    struct accepted_list l = {0};
    struct session *s = accepting(&l, two, "2026-03-01"),
                   *without = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    const struct judgement *j = s->now->judged;
    uint32_t was = without->now->judged->first;
    struct arena a = {0};
    struct buf why = {0};
    input_doubt_list doubts = {0};
    (void)state;
    assert_int_equal(j->sum.known, 2);
    assert_int_equal(judge_summary_bad(&j->sum) + 2, judge_summary_bad(&without->now->judged->sum));
    assert_int_equal(j->sum.by[VERDICT_SKIP], without->now->judged->sum.by[VERDICT_SKIP]);
    assert_int_equal(j->sum.pairs, without->now->judged->sum.pairs);
    assert_true(j->first != NONE && j->first > was); /* the next one that nobody accepted */
    explain_verdict(j, &s->now->measure, was, &why);
    assert_string_equal(why.p, "known difference, accepted (deviates): agreed, until 2026-03-01");
    assert_null(accepted_of(j, j->first));
    assert_string_equal(accepted_warning(j, 0, &a), "accepted difference no longer occurs: none of them (once)");
    assert_null(accepted_warning(j, 1, &a));
    input_doubts_find(s->now, &a, &doubts);
    assert_true(doubts.n > 0);
    vec_release(&doubts);
    buf_release(&why);
    arena_release(&a);
    shut(s);
    shut(without);
    accepted_release(&l);
}

/* Every row that deviates is looked for in the list, the first and the last too, and none that agrees. */
static void every_row(void **state)
{
    struct accepted_list l = {0};
    struct scene s;
    struct err e;
    static const char all[] = "{\"known\":[{\"row\":\".*\",\"reason\":\"agreed\"}]}";
    (void)state;
    assert_int_equal(accepted_load(&l, put_text(scratch(), "known.json", all), "2026-03-01", &e), 0);
    scene_start(&s);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) {
            char name[40];
            snprintf(name, sizeof name, "Functional.linear.%d.forward", c);
            uint32_t call = side_call(&s.d[i], name, NULL);
            s.d[i].calls.v[call].family = FAMILY_LINEAR;
            uint32_t row = side_row(&s.d[i], call, "output.0", "4,4");
            struct row *r = &s.d[i].rows.v[row];
            r->has |= HAS_MAX | HAS_MIN | HAS_NORM;
            r->stat[STAT_MAX] = c == 1 ? 1 : 1 + i;
            r->stat[STAT_MIN] = -1;
            r->stat[STAT_NORM] = 3;
        }
    for (int i = 0; i < 2; i++)
        side_end(&s.d[i]);
    scene_build(&s);
    scene_judge(&s);
    assert_int_equal(s.j.first, 0);
    s.o.known = &l;
    scene_judge(&s);
    assert_int_equal(s.j.first, NONE);
    assert_int_equal(s.j.known_hits.n, 2);
    assert_int_equal(s.j.line[0].rule, RULE_ACCEPTED);
    assert_int_equal(s.j.line[0].was, VERDICT_DEVIATE);
    assert_int_equal(s.j.line[1].verdict, VERDICT_MATCH);
    assert_int_equal(s.j.line[2].rule, RULE_ACCEPTED);
    scene_end(&s);
    accepted_release(&l);
}

static void over(void **state)
{
    struct accepted_list l = {0};
    struct session *s = accepting(&l, two, "2026-03-02");
    struct arena a = {0};
    (void)state;
    assert_int_equal(s->now->judged->sum.known, 0);
    assert_non_null(strstr(accepted_warning(s->now->judged, 0, &a), "expired on 2026-03-01"));
    arena_release(&a);
    shut(s);
    accepted_release(&l);
}

/* A pattern that explodes is soon given up, said so, and takes nothing from the entries beside it. */
static void exploding(void **state)
{
    struct accepted_list l = {0};
    struct session *s = accepting(&l,
                                  "{\"known\":[{\"row\":\"(?:(?:[^!]+)+)+[!?]\",\"reason\":\"odd\"},{\"row\":"
                                  "\"Torch\\\\.outer\\\\..*\",\"reason\":\"agreed\"}]}",
                                  "2026-03-02");
    struct arena a = {0};
    (void)state;
    assert_int_equal(s->now->judged->sum.known, 2);
    assert_true(pattern_explodes(l.entries.v[0].row));
    assert_false(pattern_explodes(l.entries.v[1].row));
    assert_non_null(strstr(accepted_warning(s->now->judged, 0, &a), "exceeds the step limit"));
    assert_null(accepted_warning(s->now->judged, 1, &a));
    arena_release(&a);
    shut(s);
    accepted_release(&l);
}

/* No text is tried any more, also one that would be quick. */
static void given_up(void **state)
{
    struct err e;
    struct pattern *p = pattern_compile(STR("(?:(?:[^!]+)+)+[!?]"), PATTERN_WHOLE, &e);
    (void)state;
    assert_int_equal(pattern_match(p, STR("a!")), 1);
    for (int i = 0; i < 100; i++)
        assert_int_equal(pattern_match(p, STR("Torch.outer.0.forward.output.0")), -1);
    assert_int_equal(pattern_match(p, STR("a!")), -1);
    pattern_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused),   cmocka_unit_test(taken_out),
                                       cmocka_unit_test(every_row), cmocka_unit_test(over),
                                       cmocka_unit_test(exploding), cmocka_unit_test(given_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
