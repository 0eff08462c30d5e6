/* What a person decided, as a list that can be walked back and forth, and what of it holds. */
#include "support.h"

#include "pair/decision.h"

static void add(struct decisions *d, enum decision_kind kind, uint32_t step, const char *target, const char *golden)
{
    struct decision x = {.kind = (uint8_t)kind, .step = step, .side = {target, golden}, .view = ""};
    decisions_add(d, x);
}

static void turn(struct decisions *d, bool on, uint32_t rule)
{
    struct decision x = {.kind = on ? DECIDE_RULE_ON : DECIDE_RULE_OFF,
                         .step = decisions_step(d),
                         .rule = rule,
                         .side = {"", ""},
                         .view = ""};
    decisions_add(d, x);
}

/* "a=b c=d -e=f rule2: g=h" of what holds. */
static const char *holds(const struct decisions *d)
{
    static struct buf out;
    struct decisions_in_force r;
    buf_clear(&out);
    buf_cstr(&out, "");
    decisions_in_force_read(&r, d);
    for (size_t i = 0; i < r.marks.n; i++)
        buf_fmt(&out, "%s=%s ", r.marks.v[i].side[0], r.marks.v[i].side[1]);
    for (size_t i = 0; i < r.rejects.n; i++)
        buf_fmt(&out, "-%s=%s ", r.rejects.v[i].side[0], r.rejects.v[i].side[1]);
    for (size_t i = 0; i < r.rules.n; i++)
        buf_fmt(&out, "%s%u:%s=%s ", r.rules.v[i].on ? "rule" : "off", r.rules.v[i].number, r.rules.v[i].side[0],
                r.rules.v[i].side[1]);
    decisions_in_force_release(&r);
    return out.p;
}

static void nothing_yet(void **state)
{
    struct decisions d = {0};
    (void)state;
    assert_int_equal(decisions_step(&d), 1);
    assert_false(decisions_undo(&d, false));
    assert_false(decisions_undo(&d, true));
    assert_string_equal(holds(&d), "");
    decisions_release(&d);
}

static void back_and_forth_by_steps(void **state)
{
    struct decisions d = {0};
    (void)state;
    add(&d, DECIDE_MARK, decisions_step(&d), "a", "A");
    uint32_t step = decisions_step(&d);
    assert_int_equal(step, 2);
    add(&d, DECIDE_MARK, step, "b", "B"); /* a range is one step */
    add(&d, DECIDE_MARK, step, "c", "C");
    add(&d, DECIDE_REJECT, decisions_step(&d), "d", "D");
    assert_string_equal(holds(&d), "a=A b=B c=C -d=D ");
    assert_true(decisions_undo(&d, false));
    assert_string_equal(holds(&d), "a=A b=B c=C ");
    assert_true(decisions_undo(&d, false));
    assert_string_equal(holds(&d), "a=A ");
    assert_true(decisions_undo(&d, false));
    assert_false(decisions_undo(&d, false));
    assert_string_equal(holds(&d), "");
    assert_int_equal(d.log.n, 4); /* nothing is lost by it */
    for (int i = 0; i < 3; i++)
        assert_true(decisions_undo(&d, true));
    assert_false(decisions_undo(&d, true));
    assert_string_equal(holds(&d), "a=A b=B c=C -d=D ");
    decisions_release(&d);
}

static void a_new_decision_ends_what_was_taken_back(void **state)
{
    struct decisions d = {0};
    (void)state;
    for (int i = 0; i < 3; i++)
        add(&d, DECIDE_MARK, decisions_step(&d), i == 0 ? "a" : i == 1 ? "b" : "c", "X");
    decisions_undo(&d, false);
    decisions_undo(&d, false);
    assert_int_equal(decisions_step(&d), 2); /* steps go on from what holds */
    add(&d, DECIDE_MARK, decisions_step(&d), "n", "X");
    assert_string_equal(holds(&d), "a=X n=X ");
    assert_false(decisions_undo(&d, true));
    assert_int_equal(d.log.n, 2);
    decisions_release(&d);
}

static void the_last_about_a_pair_holds(void **state)
{
    struct decisions d = {0};
    (void)state;
    add(&d, DECIDE_MARK, 1, "a", "A");
    add(&d, DECIDE_REJECT, 2, "a", "A");
    assert_string_equal(holds(&d), "-a=A ");
    add(&d, DECIDE_MARK, 3, "a", "A");
    assert_string_equal(holds(&d), "a=A ");
    decisions_undo(&d, false);
    assert_string_equal(holds(&d), "-a=A ");
    decisions_undo(&d, false);
    assert_string_equal(holds(&d), "a=A ");
    /* names that run together the same way are not the same pair */
    add(&d, DECIDE_REJECT, 2, "aA", "");
    assert_string_equal(holds(&d), "a=A -aA= ");
    decisions_release(&d);
}

static void one_alone_is_withdrawn(void **state)
{
    struct decisions d = {0};
    struct buf text = {0};
    struct decision x = {.kind = DECIDE_WITHDRAW, .step = 4, .rule = 0, .side = {"", ""}, .view = ""};
    (void)state;
    add(&d, DECIDE_MARK, 1, "a", "A");
    add(&d, DECIDE_MARK, 2, "b", "B");
    add(&d, DECIDE_RULE, 3, "p", "t");
    decisions_add(&d, x);
    assert_string_equal(holds(&d), "b=B rule2:p=t ");
    assert_false(decision_holds(&d, 0));
    assert_true(decision_holds(&d, 1));
    decision_text(&d, 0, false, &text);
    assert_non_null(strstr(text.p, "(withdrawn)"));
    x = (struct decision){.kind = DECIDE_WITHDRAW, .step = 5, .rule = 2, .side = {"", ""}, .view = ""};
    decisions_add(&d, x);
    assert_string_equal(holds(&d), "b=B ");
    x.rule = 3; /* what was withdrawn holds again */
    x.step = 6;
    decisions_add(&d, x);
    assert_string_equal(holds(&d), "a=A b=B ");
    decisions_undo(&d, false);
    decisions_undo(&d, false);
    assert_string_equal(holds(&d), "b=B rule2:p=t ");
    x.rule = 900; /* of a hostile file: nothing, and itself */
    decisions_add(&d, x);
    x.rule = (uint32_t)d.now;
    decisions_add(&d, x);
    assert_string_equal(holds(&d), "b=B rule2:p=t ");
    buf_release(&text);
    decisions_release(&d);
}

static void a_mark_may_get_another_view(void **state)
{
    struct decisions d = {0};
    struct decisions_in_force r;
    (void)state;
    add(&d, DECIDE_MARK, 1, "a", "A");
    struct decision x = {.kind = DECIDE_MARK, .step = 2, .side = {"a", "A"}, .view = "golden transpose"};
    decisions_add(&d, x);
    decisions_in_force_read(&r, &d);
    assert_int_equal(r.marks.n, 1);
    assert_string_equal(r.marks.v[0].view, "golden transpose");
    decisions_in_force_release(&r);
    decisions_release(&d);
}

static void rules_go_off_and_on(void **state)
{
    struct decisions d = {0};
    (void)state;
    add(&d, DECIDE_MARK, 1, "a", "A");
    add(&d, DECIDE_RULE, 2, "p", "t");
    add(&d, DECIDE_RULE, 3, "p", "t"); /* the same words are another rule */
    assert_string_equal(holds(&d), "a=A rule1:p=t rule2:p=t ");
    turn(&d, false, 1);
    assert_string_equal(holds(&d), "a=A off1:p=t rule2:p=t ");
    turn(&d, true, 1);
    turn(&d, false, 2);
    assert_string_equal(holds(&d), "a=A rule1:p=t off2:p=t ");
    turn(&d, false, 0); /* a mark's number, and one there is not: nothing */
    turn(&d, false, 4000000000u);
    assert_string_equal(holds(&d), "a=A rule1:p=t off2:p=t ");
    for (int i = 0; i < 4; i++)
        decisions_undo(&d, false);
    assert_string_equal(holds(&d), "a=A off1:p=t rule2:p=t ");
    decisions_release(&d);
}

/* Steps of a file a hand has edited: equal numbers far apart, none, the largest. */
static void odd_steps(void **state)
{
    struct decisions d = {0};
    (void)state;
    add(&d, DECIDE_MARK, 7, "a", "A");
    add(&d, DECIDE_MARK, 3, "b", "B");
    add(&d, DECIDE_MARK, 7, "c", "C");
    add(&d, DECIDE_MARK, UINT32_MAX, "d", "D");
    add(&d, DECIDE_MARK, decisions_step(&d), "e", "E");
    for (int i = 5; i-- > 0;) {
        assert_true(decisions_undo(&d, false));
        assert_int_equal(d.now, i);
    }
    decisions_release(&d);
}

/* Against a list that is copied at every step. */
static void random_walks(void **state)
{
    enum { STEPS = 400 };
    static size_t mark[STEPS + 1]; /* how many hold after so many steps */
    uint32_t seed = 7;
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct decisions d = {0};
        size_t at = 0, end = 0;
        for (int i = 0; i < STEPS; i++) {
            seed = seed * 1664525 + 1013904223;
            switch (seed >> 16 & 3) {
            case 0:
                assert_int_equal(decisions_undo(&d, false), at > 0);
                at -= at > 0;
                break;
            case 1:
                assert_int_equal(decisions_undo(&d, true), at < end);
                at += at < end;
                break;
            default: {
                uint32_t step = decisions_step(&d);
                for (uint32_t k = 0; k <= (seed >> 20 & 3); k++)
                    add(&d, DECIDE_MARK, step, "x", "y");
                end = ++at;
                mark[at] = d.now;
            }
            }
            assert_int_equal(d.now, mark[at]);
            assert_int_equal(d.log.n, mark[end]);
        }
        decisions_release(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_yet),
        cmocka_unit_test(back_and_forth_by_steps),
        cmocka_unit_test(a_new_decision_ends_what_was_taken_back),
        cmocka_unit_test(the_last_about_a_pair_holds),
        cmocka_unit_test(one_alone_is_withdrawn),
        cmocka_unit_test(a_mark_may_get_another_view),
        cmocka_unit_test(rules_go_off_and_on),
        cmocka_unit_test(odd_steps),
        cmocka_unit_test(random_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
