/* Decisions on the workspace: taken back and done again one by one without end, also those of an earlier sitting; what
 * is not in the file is not called done. */
#include "sessions.h"

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/workspace_refresh.h"

struct table {
    struct session *s;
    struct investigation inv;
    struct workspace d;
};

static void begin(struct table *x, const char *path)
{
    x->s = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    investigation_init(&x->inv);
    x->inv.path = path;
    workspace_init(&x->d, x->s, &x->inv);
}

static void release(struct table *x)
{
    workspace_release(&x->d);
    shut(x->s);
    investigation_release(&x->inv);
}

static const char *run(struct table *x, const char *command)
{
    session_lock(x->d.s);
    command_run(&x->d, command);
    session_unlock(x->d.s);
    return x->d.message.n ? x->d.message.p : "";
}

static void mark(struct table *x, int i)
{
    char text[200];
    snprintf(text, sizeof text, "mark Functional.linear.%d.forward.output.0 Functional.linear.%d.forward.output.0",
             i % 8, i / 8 % 8);
    assert_string_equal(run(x, text), "marked; z undoes it");
}

static void taken_back_and_done_again_without_end(void **state)
{
    enum { BEFORE = 3, NOW = 140 };
    struct table x;
    (void)state;
    begin(&x, NULL);
    for (int i = 0; i < BEFORE; i++) { /* of an earlier sitting: the workspace was not there */
        struct decision q = {.kind = DECIDE_MARK, .step = (uint32_t)i + 1, .side = {"a", "b"}, .view = ""};
        decisions_add(&x.inv.decisions, q);
    }
    for (int i = 0; i < NOW; i++)
        mark(&x, i);
    run(&x, "bookmark"); /* other things are taken back in their turn */
    assert_int_equal(x.inv.decisions.now, BEFORE + NOW);
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            run(&x, "undo");
        for (size_t left = BEFORE + NOW; left-- > 0;) {
            assert_non_null(strstr(run(&x, "undo"), "undone: "));
            assert_int_equal(x.inv.decisions.now, left);
        }
        assert_string_equal(run(&x, "undo"), "nothing to undo");
        for (size_t there = 1; there <= BEFORE + NOW; there++) {
            assert_non_null(strstr(run(&x, "redo"), "redone: "));
            assert_int_equal(x.inv.decisions.now, there);
        }
    }
    /* something new ends what was taken back */
    run(&x, "undo");
    run(&x, "undo");
    mark(&x, 1);
    size_t now = x.inv.decisions.now;
    run(&x, "redo");
    assert_int_equal(x.inv.decisions.now, now);
    assert_int_equal(x.inv.decisions.log.n, now);
    release(&x);
}

static void what_is_not_saved_is_said(void **state)
{
    static const char *const commands[] = {
        "mark Functional.linear.0.forward.output.0 Functional.linear.1.forward.output.0",
        "view golden transpose",
        "unpair",
        "rule (.*)linear@0(.*) <-> \\1linear@1\\2",
        "rule-apply anyway",
        "rule-off 3",
        "rule-on 3",
        "undo",
        "redo",
    };
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct table x;
        begin(&x, way ? NULL : "/no/such/folder/t.investigation.json");
        x.inv.holder = way ? "elsewhere, process 7" : NULL;
        x.inv.read_only = way;
        uint32_t row = dump_find_row(&x.s->now->side[0].dump, STR("Functional.linear.4.forward.output.0"));
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            session_lock(x.s);
            workspace_refresh(&x.d);
            workspace_go(&x.d, x.s->now->pairing->line_of[TARGET][row]);
            session_unlock(x.s);
            const char *said = run(&x, commands[i]);
            if (strncmp(commands[i], "rule (", 6) == 0)
                continue;
            if (way && (strcmp(commands[i], "undo") == 0 || strcmp(commands[i], "redo") == 0))
                continue; /* the table's own are not in any file: only what fails is said */
            if (strncmp(said, way ? "read-only: " : "not saved: ", 11) != 0 || !x.d.message_is_error)
                fail_msg("%s: \"%s\"", commands[i], said);
            assert_non_null(strstr(said, way ? "elsewhere, process 7" : "/no/such/folder"));
            struct err e;
            assert_int_equal(session_wait(x.s, &e), 0);
        }
        release(&x);
    }
}

/* A pattern that is none, or that explodes, is not what rule-apply applies. */
static void broken_rules_are_not_applied(void **state)
{
    static const char *const bad[] = {"rule ( <-> x", "rule (?:(?:[^!]+)+)+[!?] <-> x", "rule x"};
    struct table x;
    (void)state;
    begin(&x, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run(&x, "rule (.*) <-> \\1");
        assert_non_null(x.d.rule[0]);
        run(&x, bad[i]);
        assert_true(x.d.message_is_error);
        if (i == 2)
            continue; /* it was never read */
        assert_string_equal(run(&x, "rule-apply"), "no rule is proposed; c on a pair proposes one");
        assert_int_equal(x.inv.decisions.log.n, 0);
    }
    release(&x);
}

/* After x … x the cursor is on the pair, so that c speaks of it. */
static void the_cursor_follows_the_mark(void **state)
{
    struct table x;
    struct err e;
    (void)state;
    begin(&x, NULL);
    uint32_t t = dump_find_row(&x.s->now->side[0].dump, STR("Functional.linear.0.forward.output.0"));
    uint32_t g = dump_find_row(&x.s->now->side[1].dump, STR("Functional.linear.3.forward.output.0"));
    session_lock(x.s);
    workspace_refresh(&x.d);
    workspace_go(&x.d, x.s->now->pairing->line_of[TARGET][t]);
    session_unlock(x.s);
    run(&x, "mark");
    session_lock(x.s);
    workspace_go(&x.d, x.s->now->pairing->line_of[GOLDEN][g]);
    session_unlock(x.s);
    assert_non_null(strstr(run(&x, "mark"), "press x again")); /* their sizes differ */
    assert_int_equal(x.inv.decisions.now, 0);
    run(&x, "mark");
    assert_int_equal(session_wait(x.s, &e), 0);
    session_lock(x.s);
    workspace_refresh(&x.d);
    uint32_t row[2];
    workspace_rows(&x.d, x.d.cursor, row);
    session_unlock(x.s);
    assert_int_equal(row[0], t);
    assert_int_equal(row[1], g);
    release(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_back_and_done_again_without_end),
        cmocka_unit_test(what_is_not_saved_is_said),
        cmocka_unit_test(broken_rules_are_not_applied),
        cmocka_unit_test(the_cursor_follows_the_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
