/* Rules: what a pattern and its template say of an address, what is proposed of two rows, and patterns made to hurt. */
#include "sides.h"

#include "pair/pair_rule.h"

/* The golden address, "-" where the rule does not speak of it, "!" where it is no rule. */
static const char *applied(const char *pattern, const char *template, const char *address)
{
    static struct buf out;
    struct pair_rule_match m;
    struct err e = {0};
    if (pair_rule_compile(&m, pattern, template, &e)) {
        assert_int_equal(e.code, ERR_USAGE);
        assert_true(strlen(e.text) > 5);
        return "!";
    }
    bool speaks = pair_rule_apply(&m, str_of(address), &out);
    pair_rule_release(&m);
    return speaks ? out.p : "-";
}

static void groups_and_series(void **state)
{
    static const char *const cases[][4] = {
        {"layers.(\\d+).wq/x@0/f.o", "blocks.\\1.q/y@0/f.o", "layers.11.wq/x@0/f.o", "blocks.11.q/y@0/f.o"},
        {"layers.(\\d+).wq/x@0/f.o", "b\\1", "layers.11.wq/x@0/f.o.0", "-"}, /* the whole address */
        {"layers.(\\d+).wq/x@0/f.o", "b\\1", "xlayers.11.wq/x@0/f.o", "-"},
        {"a@<2+4i>/f", "b@<0+1i>/f", "a@2/f", "b@0/f"},
        {"a@<2+4i>/f", "b@<0+1i>/f", "a@14/f", "b@3/f"},
        {"a@<2+4i>/f", "b@<0+1i>/f", "a@3/f", "-"},
        {"a@<2+4i>/f", "b@<0+1i>/f", "a@1/f", "-"},
        {"a@<2+4i>/f", "b@<0+1i>/f", "a@/f", "-"},
        {"a@<0+1i>/f", "b@<5+3i>/f", "a@4/f", "b@17/f"},
        {"l<4+1i>.e(\\d+)", "m<0+1i>.f\\2", "l6.e9", "m2.f9"}, /* a series is a group too */
        {"(x|y)<0+2i>(z)", "\\1\\2\\3<1+1i>", "y6z", "y6z4"},
        {"<0+1i>:<10+2i>", "<0+1i>", "3:16", "3"}, /* one i for all */
        {"<0+1i>:<10+2i>", "<0+1i>", "3:18", "-"},
        {"a(b)?c", "[\\1]", "ac", "[]"},
        {"(a|ab)(c|bcd)", "\\1-\\2", "abcd", "a-bcd"},
        {"a", "\\0\\1\\9", "a", "a"},
        {"a", "x\\", "a", "x\\"},
        {"", "", "", ""},
        {"a.b", "x", "a+b", "x"},
        {"(?i)LAYERS.(\\d)", "\\1", "layers.4", "4"},
        {"<1+0i>", "x", "1", "-"}, /* no series: a step of nothing */
        {"<999999999+1i>", "<0+1i>", "999999999", "0"},
        {"<0+1i>", "<999999999+999999999i>", "999999999", "999999999000000000"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *is = applied(cases[i][0], cases[i][1], cases[i][2]);
        if (strcmp(is, cases[i][3]) != 0)
            fail_msg("%s <-> %s of %s: \"%s\", not \"%s\"", cases[i][0], cases[i][1], cases[i][2], is, cases[i][3]);
    }
}

/* A series is the group PCRE2 makes of it, whatever stands before it. */
static void series_behind_odd_groups(void **state)
{
    static const char *const patterns[] = {
        "[(]x<2+3i>",           "[()(]x<2+3i>",      "\\(x<2+3i>",       "\\\\?\\(x<2+3i>",   "(?:\\()x<2+3i>",
        "(?<n>\\()x<2+3i>",     "(?P<n>\\()x<2+3i>", "(?'n'\\()x<2+3i>", "(?=\\()\\(x<2+3i>", "\\Q(x\\E<2+3i>",
        "(?|(\\()|(y))x<2+3i>", "(?#(()\\(x<2+3i>",  "(\\()x<2+3i>",
    };
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const char *is = applied(patterns[i], "y<0+1i>", "(x8");
        if (strcmp(is, "y2") != 0)
            fail_msg("%s: \"%s\"", patterns[i], is);
        assert_string_equal(applied(patterns[i], "y<0+1i>", "(x7"), "-");
    }
}

/* What must stand for itself, does: a template's backslash, a name that looks like a series. */
static void signs_that_stand_for_themselves(void **state)
{
    (void)state;
    assert_string_equal(applied("a", "C:\\\\1x\\\\y", "a"), "C:\\1x\\y");
    assert_string_equal(applied("a\\<0+1i>", "b\\<0+1i>", "a<0+1i>"), "-"); /* "0+" means noughts, in a pattern */
    assert_string_equal(applied("a\\<0\\+1i>", "b\\<0+1i>", "a<0+1i>"), "b<0+1i>");
}

static void what_is_no_rule(void **state)
{
    static const char *const bad[] = {"(",  "a)", "[",    "a{2,1}",       "(?<n",
                                      "\\", "*",  "(?z)", "\\p{Nothing}", "(?<series0>x)(?<series0>y)"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strcmp(applied(bad[i], "x", "x"), "!") != 0)
            fail_msg("%s is taken for a rule", bad[i]);
    assert_string_equal(applied("(((((((((((((((x)))))))))))))))", "\\9", "x"), "x"); /* 15 groups */
    assert_string_equal(applied("((((((((((((((((x))))))))))))))))", "\\9", "x"), "!");
    struct buf many = {0};
    for (int i = 0; i < 40; i++)
        buf_cstr(&many, "<0+1i>.");
    assert_string_equal(applied(many.p, "x", "x"), "!");
    buf_clear(&many);
    for (int i = 0; i < 3000; i++)
        buf_char(&many, '(');
    assert_string_equal(applied(many.p, "x", "x"), "!");
    buf_release(&many);
}

/* A pattern that explodes is given up, soon, for good, and says so. */
static void patterns_that_explode(void **state)
{
    static const char *const bad[] = {"(a+)+b",  "(a|aa)+$x", "(.*)*(.*)*(.*)*b",
                                      "(a|a)*b", "((a*)*)*b", "(?:a?){40}a{40}b"};
    char text[200];
    struct buf out = {0};
    (void)state;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pair_rule_match m;
        struct err e;
        uint64_t tried = 0;
        assert_int_equal(pair_rule_compile(&m, bad[i], "x", &e), 0);
        while (!pattern_explodes(m.pattern) && tried < 100000) {
            assert_false(pair_rule_apply(&m, str_of(text), &out));
            tried++;
        }
        if (tried > 100 && pattern_explodes(m.pattern))
            fail_msg("%s was tried %llu times", bad[i], (unsigned long long)tried);
        for (int k = 0; k < 300000 && pattern_explodes(m.pattern); k++) /* a dump's rows: nothing more is tried */
            assert_false(pair_rule_apply(&m, str_of(text), &out));
        pair_rule_release(&m);
    }
    buf_release(&out);
}

/* ---- proposing ---- */

struct sides {
    struct dump d[2];
    struct addresses at[2];
};

static void begin(struct sides *x)
{
    side_start(&x->d[TARGET], "mindspore");
    side_start(&x->d[GOLDEN], "pytorch");
}

static void ready(struct sides *x)
{
    for (int s = 0; s < 2; s++) {
        side_end(&x->d[s]);
        addresses_build(&x->at[s], &x->d[s]);
    }
}

static void release(struct sides *x)
{
    for (int s = 0; s < 2; s++) {
        addresses_release(&x->at[s]);
        dump_release(&x->d[s]);
    }
}

/* What the rule of two rows pairs: "t=g t=g" in row numbers of output rows; "?" without a partner. */
static const char *pairs_of(struct sides *x, uint32_t t, uint32_t g, const char *pattern, const char *template)
{
    static struct buf out;
    struct buf p = {0}, q = {0}, here = {0}, there = {0};
    struct pair_rule_match m;
    struct err e;
    buf_clear(&out);
    bool open = pair_rule_propose(&x->at[TARGET], t, &x->at[GOLDEN], g, &p, &q);
    assert_string_equal(p.p, pattern);
    assert_string_equal(q.p, template);
    if (pair_rule_compile(&m, p.p, q.p, &e))
        fail_msg("%s: %s", p.p, e.text);
    /* whatever it generalises, it holds for the two it was made of */
    address_of_row(&x->at[TARGET], t, &here);
    assert_true(pair_rule_apply(&m, buf_view(&here), &there));
    assert_int_equal(address_find(&x->at[GOLDEN], buf_view(&there)), g);
    buf_cstr(&out, open ? "" : "alone ");
    for (uint32_t r = 0; r < x->d[TARGET].rows.n; r++) {
        address_of_row(&x->at[TARGET], r, &here);
        if (!pair_rule_apply(&m, buf_view(&here), &there))
            continue;
        uint32_t found = address_find(&x->at[GOLDEN], buf_view(&there));
        if (found == NONE)
            buf_fmt(&out, "%u=? ", r);
        else
            buf_fmt(&out, "%u=%u ", r, found);
    }
    pair_rule_release(&m);
    buf_release(&p);
    buf_release(&q);
    buf_release(&here);
    buf_release(&there);
    return out.p;
}

static void pass(struct dump *d, const char *op, int number, const char *scope, int a, int b)
{
    char name[80], path[80];
    snprintf(name, sizeof name, "Functional.%s.%d.forward", op, number);
    if (scope) { /* up to two numbers in it */
        char *at = path, *end = path + sizeof path;
        for (const char *p = scope; *p && at < end - 12; p++)
            if (*p == '#' || *p == '@')
                at += snprintf(at, (size_t)(end - at), "%d", *p == '#' ? a : b);
            else
                *at++ = *p;
        *at = 0;
    }
    side_pass(d, name, scope ? path : NULL, "2,8");
}

static void layers(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    for (int i = 0; i < 3; i++) {
        pass(&x.d[TARGET], "MatMul", i, "model.layers.#.wq", i, 0);
        pass(&x.d[GOLDEN], "linear", i, "layers.#.q_proj", i, 0);
    }
    pass(&x.d[TARGET], "MatMul", 3, "model.layers.#.wq", 7, 0); /* a layer the other side has not */
    ready(&x);
    assert_string_equal(pairs_of(&x, 3, 3, "model.layers.(\\d+).wq/MatMul@0/forward.output.0",
                                 "layers.\\1.q_proj/linear@0/forward.output.0"),
                        "1=1 3=3 5=5 7=? ");
    release(&x);
}

static void experts(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            pass(&x.d[TARGET], "MatMul", i * 2 + k, "layers.#.experts.@.w1", i, k);
            pass(&x.d[GOLDEN], "linear", i * 2 + k, "h.#.mlp.e.@.up", i, k);
        }
    ready(&x);
    assert_string_equal(pairs_of(&x, 3, 3, "layers.(\\d+).experts.(\\d+).w1/MatMul@0/forward.output.0",
                                 "h.\\1.mlp.e.\\2.up/linear@0/forward.output.0"),
                        "1=1 3=3 5=5 7=7 ");
    release(&x);
}

/* The second stage of a pipeline counts its layers from nought; its experts are counted alike. */
static void a_shifted_stage(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    for (int i = 0; i < 3; i++) {
        pass(&x.d[TARGET], "MatMul", i, "layers.#.experts.@.w", i, 1);
        pass(&x.d[GOLDEN], "linear", i, "layers.#.experts.@.w", i + 4, 1);
    }
    ready(&x);
    assert_string_equal(pairs_of(&x, 3, 3, "layers.<0+1i>.experts.(\\d+).w/MatMul@0/forward.output.0",
                                 "layers.<4+1i>.experts.\\2.w/linear@0/forward.output.0"),
                        "1=1 3=3 5=5 ");
    release(&x);
}

/* Two numbers that both differ: only the first may be moved, the other stays what it is. */
static void two_that_differ(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    for (int i = 0; i < 2; i++) {
        pass(&x.d[TARGET], "MatMul", i, "layers.#.experts.@.w", i, 3);
        pass(&x.d[GOLDEN], "linear", i, "layers.#.experts.@.w", i + 1, 5);
    }
    ready(&x);
    assert_string_equal(pairs_of(&x, 1, 1, "layers.<0+1i>.experts.3.w/MatMul@0/forward.output.0",
                                 "layers.<1+1i>.experts.5.w/linear@0/forward.output.0"),
                        "1=1 3=3 ");
    release(&x);
}

/* One side has no paths: its call number is the other's layer. */
static void a_path_against_a_count(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    for (int i = 0; i < 3; i++) {
        pass(&x.d[TARGET], "MatMul", i, "layers.#.wq", i, 0);
        pass(&x.d[GOLDEN], "linear", i, NULL, 0, 0);
    }
    ready(&x);
    assert_string_equal(pairs_of(&x, 3, 3, "layers.(\\d+).wq/MatMul@0/forward.output.0",
                                 "[2,8]/linear@\\1/forward.output.0"),
                        "1=1 3=3 5=5 ");
    assert_string_equal(pairs_of(&x, 1, 3, "layers.<0+1i>.wq/MatMul@0/forward.output.0",
                                 "[2,8]/linear@<1+1i>/forward.output.0"),
                        "1=3 3=5 5=? ");
    release(&x);
}

/* Calls that only counting tells apart: four a layer on one side, two on the other. */
static void call_numbers_with_strides(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    for (int i = 0; i < 8; i++)
        pass(&x.d[TARGET], "MatMul", i, NULL, 0, 0);
    for (int i = 0; i < 4; i++)
        pass(&x.d[GOLDEN], "linear", i, NULL, 0, 0);
    ready(&x);
    assert_string_equal(pairs_of(&x, 3, 1, "\\[2,8\\]/MatMul@<1+2i>/forward.output.0",
                                 "[2,8]/linear@<0+1i>/forward.output.0"),
                        "3=1 7=3 11=5 15=7 ");
    assert_string_equal(pairs_of(&x, 9, 5, "\\[2,8\\]/MatMul@<0+2i>/forward.output.0",
                                 "[2,8]/linear@<0+1i>/forward.output.0"),
                        "1=1 5=3 9=5 13=7 ");
    /* out of step: the one side began later */
    assert_string_equal(pairs_of(&x, 5, 1, "\\[2,8\\]/MatMul@<2+1i>/forward.output.0",
                                 "[2,8]/linear@<0+1i>/forward.output.0"),
                        "5=1 7=3 9=5 11=7 13=? 15=? ");
    release(&x);
    begin(&x);
    for (int i = 0; i < 3; i++) {
        pass(&x.d[TARGET], "mul", i, NULL, 0, 0);
        pass(&x.d[GOLDEN], "mul", i, NULL, 0, 0);
    }
    ready(&x);
    assert_string_equal(pairs_of(&x, 3, 3, "\\[2,8\\]/mul@(\\d+)/forward.output.0", "[2,8]/mul@\\1/forward.output.0"),
                        "1=1 3=3 5=5 ");
    assert_string_equal(pairs_of(&x, 1, 3, "\\[2,8\\]/mul@<0+1i>/forward.output.0",
                                 "[2,8]/mul@<1+1i>/forward.output.0"),
                        "1=3 3=5 5=? ");
    release(&x);
}

/* Numbers written with noughts in front are taken as they are written, or left alone. */
static void noughts_in_front(void **state)
{
    static const char *const cases[][3] = {
        {"layers.007.w", "h.007.w", "layers.(\\d+).w"}, {"layers.007.w", "h.7.w", "layers.<0+1i>.w"}, {"layers.7.w", "h.07.w", "layers.7.w"},
        {"layers.9.w", "h.07.w", "layers.9.w"},
        {"layers.0000000007.w", "h.w", "layers.0000000007.w"}, {"layers.12345678901.w", "h.12345678901.w", "layers.12345678901.w"}, {"layers.0.w", "h.0.w", "layers.(\\d+).w"}, {"layers.1.w", "h.0.w", "layers.<1+1i>.w"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sides x;
        char pattern[80];
        struct buf p = {0}, q = {0};
        begin(&x);
        side_pass(&x.d[0], "Mint.a.0.forward", cases[i][0], "4");
        side_pass(&x.d[1], "Torch.a.0.forward", cases[i][1], "4");
        ready(&x);
        pair_rule_propose(&x.at[0], 1, &x.at[1], 1, &p, &q);
        snprintf(pattern, sizeof pattern, "%s/a@0/forward.output.0", cases[i][2]);
        assert_string_equal(p.p, pattern);
        char template[80];
        snprintf(template, sizeof template, "%s", q.p);
        assert_string_equal(pairs_of(&x, 1, 1, pattern, template) +
                                (cases[i][2][7] == '<' || cases[i][2][7] == '(' ? 0 : 6),
                            "1=1 ");
        buf_release(&p);
        buf_release(&q);
        release(&x);
    }
}

static void nothing_to_generalise(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    pass(&x.d[TARGET], "MatMul", 0, "model.head", 0, 0);
    pass(&x.d[GOLDEN], "linear", 0, "lm_head", 0, 0);
    ready(&x);
    assert_string_equal(pairs_of(&x, 1, 1, "model.head/MatMul@0/forward.output.0", "lm_head/linear@0/forward.output.0"),
                        "alone 1=1 ");
    release(&x);
}

/* Names full of what patterns and templates mean something by. */
static void names_like_patterns(void **state)
{
    static const char *const names[] = {"a(b",   "a)b",    "[x",     "x{3}", "a|b",       "a?b*c+", "^a$",
                                        "a\\1b", "C:\\1x", "<0+1i>", "\\",   "a\\<3+4i>", "\\Qx",   "(?i)"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sides x;
        struct buf p = {0}, q = {0}, here = {0}, there = {0};
        struct pair_rule_match m;
        struct err e;
        char scope[60];
        begin(&x);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 2; k++) {
                snprintf(scope, sizeof scope, "layers.%d.%s", k, names[i]);
                side_pass(&x.d[s], k ? "Functional.mul.1.forward" : "Functional.mul.0.forward", scope, "2,8");
            }
        ready(&x);
        assert_true(pair_rule_propose(&x.at[TARGET], 1, &x.at[GOLDEN], 1, &p, &q));
        if (pair_rule_compile(&m, p.p, q.p, &e))
            fail_msg("%s: %s", p.p, e.text);
        for (uint32_t r = 1; r < 4; r += 2) {
            address_of_row(&x.at[TARGET], r, &here);
            if (!pair_rule_apply(&m, buf_view(&here), &there) || address_find(&x.at[GOLDEN], buf_view(&there)) != r)
                fail_msg("%s: the rule %s <-> %s does not hold for it", names[i], p.p, q.p);
        }
        pair_rule_release(&m);
        buf_release(&p);
        buf_release(&q);
        buf_release(&here);
        buf_release(&there);
        release(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_series),
        cmocka_unit_test(series_behind_odd_groups),
        cmocka_unit_test(signs_that_stand_for_themselves),
        cmocka_unit_test(what_is_no_rule),
        cmocka_unit_test(patterns_that_explode),
        cmocka_unit_test(layers),
        cmocka_unit_test(experts),
        cmocka_unit_test(a_shifted_stage),
        cmocka_unit_test(two_that_differ),
        cmocka_unit_test(a_path_against_a_count),
        cmocka_unit_test(call_numbers_with_strides),
        cmocka_unit_test(noughts_in_front),
        cmocka_unit_test(nothing_to_generalise),
        cmocka_unit_test(names_like_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
