/* Decisions while a comparison is open: both sides are paired anew, what was computed of pairs that stay is kept, what
 * a rule would do is shown before, a mark moves only what lies around it; all of it at any moment. */
#include "sessions.h"
#include "tensors.h"

#include <unistd.h>

#include "table/rule_preview.h"
#include "pair/pair_rule.h"
#include "sides.h"

static void decide(struct decisions *d, enum decision_kind kind, const char *target, const char *golden)
{
    struct decision x = {.kind = (uint8_t)kind, .step = decisions_step(d), .side = {target, golden}, .view = ""};
    decisions_add(d, x);
}

static void settle(struct session *s, const struct decisions *d)
{
    struct err e;
    session_lock(s);
    session_decide(s, d);
    assert_false(s->settled);
    session_unlock(s);
    if (session_wait(s, &e))
        fail_msg("%s", e.text);
}

/* Both sides hold calls c.0 … c.(n-1) of 64 values; golden ones are off by 1e-3. */
static struct session *open_calls(int n, struct tensor_dump d[2])
{
    char call[40];
    float v[64];
    for (int s = 0; s < 2; s++) {
        tensors_begin(&d[s]);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 64; k++)
                v[k] = (float)sin(i * 64 + k) * (s ? 1.001f : 1);
            snprintf(call, sizeof call, "Mint.c.%d.forward", i);
            tensors_add(&d[s], call, "64", v, 64);
        }
        tensors_end(&d[s]);
    }
    return open_paths(d[0].dir, d[1].dir);
}

static uint32_t line_of(const struct session *s, int i)
{
    char name[50];
    snprintf(name, sizeof name, "Mint.c.%d.forward.output.0", i);
    return s->now->pairing->line_of[TARGET][dump_find_row(&s->now->side[0].dump, str_of(name))];
}

static const char *golden_of(const struct session *s, int i)
{
    static struct buf b;
    uint32_t g = s->now->pairing->lines.v[line_of(s, i)].row[GOLDEN];
    buf_clear(&b);
    buf_cstr(&b, "");
    if (g != NONE)
        dump_row_name(&s->now->side[1].dump, g, &b);
    return b.p;
}

static void figures_of_pairs_that_stay(void **state)
{
    enum { N = 40 };
    struct tensor_dump d[2];
    struct session *s = open_calls(N, d);
    struct decisions x = {0};
    const struct figures *was[N];
    char path[700];
    (void)state;
    assert_int_equal(s->now->measure.finished, N);
    for (int i = 0; i < N; i++)
        was[i] = s->now->measure.figures[line_of(s, i)];
    /* there is nothing left to read: a tensor that is opened again fails */
    for (int i = 2; i < N; i++) {
        snprintf(path, sizeof path, "%s/dump_tensor_data/Mint.c.%d.forward.output.0.npy", d[0].dir, i);
        assert_int_equal(unlink(path), 0);
    }
    decide(&x, DECIDE_MARK, "Mint.c.0.forward.output.0", "Mint.c.1.forward.output.0");
    decide(&x, DECIDE_MARK, "Mint.c.1.forward.output.0", "Mint.c.0.forward.output.0");
    uint32_t pairings = s->now->pairings;
    settle(s, &x);
    assert_int_equal(s->now->pairings, pairings + 1);
    assert_string_equal(golden_of(s, 0), "Mint.c.1.forward.output.0");
    assert_string_equal(golden_of(s, 1), "Mint.c.0.forward.output.0");
    assert_int_equal(s->now->measure.finished, N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(s->now->measure.state[line_of(s, i)], MEASURE_DONE);
        if (i >= 2)
            assert_ptr_equal(s->now->measure.figures[line_of(s, i)], was[i]);
    }
    assert_true(s->now->measure.worked == s->now->measure.work && s->now->measure.work > 0);
    assert_true(s->now->measure.figures[line_of(s, 0)]->rel_l2 > 0.1);
    assert_int_equal(s->now->judged->line[line_of(s, 0)].verdict, VERDICT_DEVIATE);
    /* taken back: those two are computed again, the others not */
    decisions_undo(&x, false);
    decisions_undo(&x, false);
    settle(s, &x);
    assert_string_equal(golden_of(s, 0), "Mint.c.0.forward.output.0");
    assert_true(s->now->measure.figures[line_of(s, 0)]->rel_l2 < 0.002);
    for (int i = 2; i < N; i++)
        assert_ptr_equal(s->now->measure.figures[line_of(s, i)], was[i]);
    decisions_release(&x);
    shut(s);
}

/* Another view is another question: what was computed through the old one goes. */
static void another_view_is_computed_anew(void **state)
{
    struct tensor_dump d[2];
    struct session *s = open_calls(3, d);
    struct decisions x = {0};
    (void)state;
    decide(&x, DECIDE_MARK, "Mint.c.0.forward.output.0", "Mint.c.0.forward.output.0");
    settle(s, &x);
    assert_true(s->now->measure.figures[line_of(s, 0)]->rel_l2 < 0.002);
    decide(&x, DECIDE_MARK, "Mint.c.0.forward.output.0", "Mint.c.0.forward.output.0");
    x.log.v[1].view = "golden reshape 8,8 transpose reshape 64";
    settle(s, &x);
    assert_true(s->now->measure.state[line_of(s, 0)] == MEASURE_FAILED); /* no strides for that: said */
    x.log.v[1].view = "golden reshape 8,8 transpose";
    settle(s, &x);
    assert_true(s->now->measure.figures[line_of(s, 0)]->rel_l2 > 0.1);
    assert_true(measure_view(&s->now->measure, line_of(s, 0)) != NULL);
    const struct figures *through = s->now->measure.figures[line_of(s, 0)];
    decide(&x, DECIDE_REJECT, "Mint.c.1.forward.output.0", "Mint.c.2.forward.output.0"); /* something else */
    settle(s, &x);
    assert_ptr_equal(s->now->measure.figures[line_of(s, 0)], through); /* the same view, in other memory */
    decisions_release(&x);
    shut(s);
}

/* Their texts belong to different sessions and are compared as texts. */
static void same_summary(const struct judge_summary *a, const struct judge_summary *b)
{
    struct judge_summary x = *a, y = *b;
    assert_string_equal(x.first_unread ? x.first_unread : "", y.first_unread ? y.first_unread : "");
    x.first_unread = y.first_unread = NULL;
    assert_memory_equal(&x, &y, sizeof x);
}

/* Decisions, undo, other limits and pauses while threads compare, and an end in the middle of it. */
static void at_any_moment(void **state)
{
    enum { N = 60 };
    static char names[N][50];
    struct tensor_dump d[2];
    struct err e;
    (void)state;
    shut(open_calls(N, d));
    for (int i = 0; i < N; i++)
        snprintf(names[i], sizeof names[i], "Mint.c.%d.forward.output.0", i);
    for (int round = 0; round < 12; round++) {
        struct session *s = calloc(1, sizeof *s);
        struct session_options o = {.of.path = {d[0].dir, d[1].dir},
                                    .of.step = {-1, -1},
                                    .of.rank = {-1, -1},
                                    .workers = 3};
        struct decisions x = {0};
        thresholds_init(&o.of.tol);
        decide(&x, DECIDE_REJECT, names[5], names[5]);
        o.decisions = &x;
        assert_int_equal(session_start(s, &o, &e), 0);
        for (int i = 0; i < 25; i++) {
            session_lock(s);
            if (i % 5 == 4)
                decisions_undo(&x, false);
            else
                decide(&x, DECIDE_MARK, names[(i * 7 + round) % N], names[(i * 11) % N]);
            session_decide(s, &x);
            if (i % 7 == 3)
                session_set_tol(s, &o.of.tol);
            if (i % 6 == 2)
                session_pause(s, true);
            if (i % 6 == 4)
                session_pause(s, false);
            if (s->now->paired) {
                uint32_t want[] = {0, 3, (uint32_t)s->now->pairing->lines.n};
                session_want(s, want, 3);
                assert_true(s->now->measure.lines == s->now->pairing->lines.n);
            }
            assert_true(!s->now->judged || s->now->judged->lines == s->now->pairing->lines.n);
            if (i % 3 == 0)
                pthread_cond_wait(&s->changed, &s->lock);
            session_unlock(s);
        }
        if (round % 3) {
            session_lock(s);
            session_pause(s, false);
            session_unlock(s);
            assert_int_equal(session_wait(s, &e), 0);
            /* it is what a comparison that begins with these decisions is */
            struct session *t = calloc(1, sizeof *t);
            o.decisions = &x;
            assert_int_equal(session_start(t, &o, &e), 0);
            assert_int_equal(session_wait(t, &e), 0);
            assert_int_equal(s->now->pairing->lines.n, t->now->pairing->lines.n);
            for (size_t i = 0; i < s->now->pairing->lines.n; i++) {
                assert_memory_equal(s->now->pairing->lines.v[i].row, t->now->pairing->lines.v[i].row,
                                    sizeof t->now->pairing->lines.v[i].row);
                assert_int_equal(s->now->measure.state[i], t->now->measure.state[i]);
                assert_int_equal(s->now->judged->line[i].verdict, t->now->judged->line[i].verdict);
            }
            same_summary(&s->now->judged->sum, &t->now->judged->sum);
            shut(t);
        }
        session_stop(s);
        free(s);
        decisions_release(&x);
    }
}

static void one_side_alone(void **state)
{
    struct session *s = open_paths(sample("clean_md5/ms"), NULL);
    struct decisions x = {0};
    struct err e;
    (void)state;
    decide(&x, DECIDE_MARK, "a", "b");
    session_lock(s);
    session_decide(s, &x);
    session_unlock(s);
    assert_int_equal(session_wait(s, &e), 0); /* nothing to wait for */
    shut(s);
    decisions_release(&x);
}

/* ---- what a mark moves ---- */

/* A mark against the order of what was found: behind its neighbours nothing changes. */
static void only_what_lies_around(void **state)
{
    struct session *s = open_paths(sample("llama_rope/ms"), sample("llama_rope/torch"));
    struct decisions x = {0};
    struct buf name[2] = {{0}, {0}};
    struct line *before;
    (void)state;
    size_t n = s->now->pairing->lines.n;
    before = malloc(n * sizeof *before);
    memcpy(before, s->now->pairing->lines.v, n * sizeof *before);
    uint32_t rows[2] = {0};
    /* one pair in the middle is confirmed: the same table */
    for (size_t i = n / 2; i < n; i++)
        if (before[i].pair != NONE && s->now->side[0].dump.rows.v[before[i].row[0]].io == IO_OUTPUT) {
            memcpy(rows, before[i].row, sizeof rows);
            break;
        }
    for (int k = 0; k < 2; k++)
        dump_row_name(&s->now->side[k].dump, rows[k], &name[k]);
    decide(&x, DECIDE_MARK, name[0].p, name[1].p);
    settle(s, &x);
    assert_int_equal(s->now->pairing->lines.n, n);
    for (size_t i = 0; i < n; i++)
        assert_memory_equal(s->now->pairing->lines.v[i].row, before[i].row, sizeof before[i].row);
    assert_int_equal(s->now->pairing->pairs.v[s->now->pairing->lines.v[s->now->pairing->line_of[0][rows[0]]].pair]
                         .origin,
                     ORIGIN_MARK);
    /* and rejected: these two are apart, whatever else holds */
    decide(&x, DECIDE_REJECT, name[0].p, name[1].p);
    settle(s, &x);
    for (size_t i = 0; i < s->now->pairing->lines.n; i++)
        assert_false(s->now->pairing->lines.v[i].row[0] == rows[0] && s->now->pairing->lines.v[i].row[1] == rows[1]);
    decisions_undo(&x, false);
    decisions_undo(&x, false);
    settle(s, &x);
    assert_int_equal(s->now->pairing->lines.n, n);
    for (size_t i = 0; i < n; i++)
        assert_memory_equal(s->now->pairing->lines.v[i].row, before[i].row, sizeof before[i].row);
    for (int k = 0; k < 2; k++)
        buf_release(&name[k]);
    free(before);
    decisions_release(&x);
    shut(s);
}

/* ---- what a rule would do ---- */

static void previews(void **state)
{
    static const char *const rule[3] = {"\\[64\\]/c@<0+2i>/forward.output.0", "[64]/c@<1+2i>/forward.output.0", ""};
    struct tensor_dump d[2];
    struct session *s = open_calls(6, d);
    struct decisions x = {0};
    struct rule_preview p;
    struct buf text = {0};
    struct err e = {0};
    (void)state;
    size_t lines = s->now->pairing->lines.n;
    decide(&x, DECIDE_MARK, "Mint.c.2.forward.output.0", "Mint.c.0.forward.output.0");
    session_lock(s);
    assert_int_equal(rule_preview_make(&p, s->now, &x, rule, &e), 0);
    session_unlock(s);
    assert_int_equal(p.rows.n, 3);
    assert_int_equal(p.pairs, 2);  /* 0 and 4; 2 is marked */
    assert_int_equal(p.held, 1);
    assert_int_equal(p.otherwise, 2);
    assert_int_equal(p.same, 0);
    assert_int_equal(p.rows.v[1].outcome, HIT_HELD);
    assert_true(p.least > 0.001 && p.most >= p.least); /* recorded figures, of other values */
    rule_preview_text(&p, &text);
    assert_non_null(strstr(text.p, "matches 3 rows, pairs 2"));
    rule_preview_release(&p);
    assert_int_equal(s->now->pairing->lines.n, lines); /* nothing was done */
    /* of pairs there are, the computed error is told */
    static const char *const own[3] = {"(.*)/c@(\\d+)/(.*)", "\\1/c@\\2/\\3", ""};
    session_lock(s);
    assert_int_equal(rule_preview_make(&p, s->now, &(struct decisions){.now = 0}, own, &e), 0);
    session_unlock(s);
    assert_true(p.pairs == 6 && p.same == 6 && p.otherwise == 0 && p.held == 0 && p.nobody == 0);
    for (size_t i = 0; i < p.rows.n; i++) {
        uint32_t line = s->now->pairing->line_of[TARGET][p.rows.v[i].t];
        assert_true(p.rows.v[i].error <= s->now->measure.figures[line]->rel_l2 &&
                    p.rows.v[i].error >= s->now->measure.figures[line]->rel_l2);
    }
    rule_preview_release(&p);
    static const char *const nobody[3] = {"(.*)", "nowhere/\\1", ""}, *const none[3] = {"nothing", "x", ""};
    session_lock(s);
    assert_int_equal(rule_preview_make(&p, s->now, &x, nobody, &e), 0);
    session_unlock(s);
    assert_true(p.nobody == 6 && p.pairs == 0 && isnan(p.least));
    rule_preview_release(&p);
    session_lock(s);
    assert_int_equal(rule_preview_make(&p, s->now, &x, none, &e), 0);
    session_unlock(s);
    assert_int_equal(p.rows.n, 0);
    buf_clear(&text);
    rule_preview_text(&p, &text);
    assert_string_equal(text.p, "matches 0 rows, pairs 0");
    rule_preview_release(&p);
    static const char *const bad[][3] = {{"(", "x", ""},
                                         {"((((((((((((((((x))))))))))))))))", "x", ""},
                                         {"(?:(?:[^!]+)+)+[!?]", "x", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e = (struct err){0};
        session_lock(s);
        assert_int_equal(rule_preview_make(&p, s->now, &x, bad[i], &e), -1);
        session_unlock(s);
        assert_true(e.code == ERR_USAGE && strlen(e.text) > 10);
        rule_preview_release(&p);
    }
    buf_release(&text);
    decisions_release(&x);
    shut(s);
}

/* A proposed rule pairs what its preview says it pairs. */
static void previews_come_true(void **state)
{
    struct session *s = open_paths(sample("llama_rope/ms"), sample("llama_rope/torch"));
    struct decisions x = {0};
    struct addresses at[2];
    struct buf rule[2] = {{0}, {0}};
    struct rule_preview p;
    struct err e;
    int tried = 0;
    (void)state;
    for (int k = 0; k < 2; k++)
        addresses_build(&at[k], &s->now->side[k].dump);
    for (size_t i = 0; i < s->now->pairing->lines.n; i += 37) {
        const struct line l = s->now->pairing->lines.v[i];
        if (l.pair == NONE)
            continue;
        pair_rule_propose(&at[0], l.row[0], &at[1], l.row[1], &rule[0], &rule[1]);
        const char *const text[3] = {rule[0].p, rule[1].p, ""};
        session_lock(s);
        assert_int_equal(rule_preview_make(&p, s->now, &x, text, &e), 0);
        session_unlock(s);
        assert_true(p.rows.n > 0 && p.pairs > 0);
        decide(&x, DECIDE_RULE, rule[0].p, rule[1].p);
        settle(s, &x);
        for (size_t k = 0; k < p.rows.n; k++) {
            if (p.rows.v[k].outcome > HIT_SAME)
                continue;
            bool there = false;
            for (uint32_t n = s->now->pairing->line_of[TARGET][p.rows.v[k].t];
                 n < s->now->pairing->lines.n && s->now->pairing->lines.v[n].row[0] == p.rows.v[k].t; n++)
                there = there || s->now->pairing->lines.v[n].row[1] == p.rows.v[k].g;
            assert_true(there);
        }
        decisions_undo(&x, false);
        settle(s, &x);
        rule_preview_release(&p);
        tried++;
    }
    assert_true(tried > 10);
    for (int k = 0; k < 2; k++) {
        addresses_release(&at[k]);
        buf_release(&rule[k]);
    }
    decisions_release(&x);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_pairs_that_stay),
        cmocka_unit_test(another_view_is_computed_anew),
        cmocka_unit_test(at_any_moment),
        cmocka_unit_test(one_side_alone),
        cmocka_unit_test(only_what_lies_around),
        cmocka_unit_test(previews),
        cmocka_unit_test(previews_come_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
