/* The checklist as data, and the language of its expressions: every function on values there and not there. */
#include "support.h"

#include "base/msg.h"
#include "config/checklist.h"

static struct settings side[2];
static struct arena arena;

static struct value none(struct scope *s, struct str name)
{
    (void)s;
    return str_is(name, "ten") ? value_of_text(STR("10")) : (struct value){.state = VALUE_NONE};
}

static void add(int at, const char *key, const char *value)
{
    struct err e;
    settings_add(&side[at], str_of(key), str_of(key), str_of(value),
                 settings_null(str_of(value)) ? SETTING_NULL : SETTING_TEXT, 1, &e);
}

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        side[i] = (struct settings){.path = "made", .dialect = DIALECT_MINDFORMERS};
    add(0, "a", "4");
    add(0, "b", "True");
    add(0, "c", "1.e-8");
    add(0, "text", "RMSNorm");
    add(0, "nothing", "None");
    add(0, "flag", "off");
    add(0, "list", "[0]*2+[1]*2");
    add(0, "split", "\"1, 0, 0\"");
    add(0, "dtype", "torch.bfloat16");
    add(1, "a", "5");
    struct err e;
    settings_add(&side[0], STR("open"), STR("open"), STR("$X"), SETTING_OPEN, 1, &e);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    settings_release(&side[0]);
    settings_release(&side[1]);
    arena_release(&arena);
    return 0;
}

static struct value value(const char *text)
{
    struct scope s = {.side = {&side[0], &side[1]}, .arena = &arena, .entry = none};
    size_t bad;
    struct node *n = expr_parse(&arena, str_of(text), &bad);
    if (!n)
        fail_msg("%s: byte %zu", text, bad);
    return expr_value(&s, n);
}

static void is(const char *text, const char *expected)
{
    struct value v = value(text);
    if (v.state != VALUE_SET || !str_is(v.text, expected))
        fail_msg("%s is %d %.*s, not %s", text, v.state, STR_ARG(v.text), expected);
}

static void state_is(const char *text, enum value_state expected)
{
    struct value v = value(text);
    if (v.state != expected)
        fail_msg("%s is in state %d, not %d", text, v.state, expected);
}

static void data_is_whole(void **state)
{
    (void)state;
    const char *bad = checklist_bad();
    if (bad)
        fail_msg("%s", bad);
    const struct checklist *c = checklist_get();
    size_t checks = 0;
    for (size_t i = 0; i < c->row.n; i++)
        checks += c->row.v[i].id.n > 0;
    assert_true(checks > 160);
    assert_non_null(checklist_find(STR("C142")));
    assert_ptr_equal(checklist_find(STR("c045")), checklist_find(STR("weight_decay")));
    assert_null(checklist_find(STR("moe"))); /* of use to others only */
    assert_null(checklist_find(STR("C000")));
}

static void both_languages(void **state)
{
    (void)state;
    const struct check_row *r = checklist_find(STR("num_layers"));
    assert_true(str_starts(checklist_text(r), "Transformer depth"));
    msg_language("zh_CN.UTF-8");
    assert_true(str_has(checklist_text(r), "\xe5\xb1\x82"));
    msg_language("en");
}

static void paths_and_alternatives(void **state)
{
    (void)state;
    is("a", "4");
    is("missing | a", "4");
    is("missing | 'x'", "x");
    is("missing | @ten", "10");
    is("nothing | 2.5", "2.5");
    state_is("missing", VALUE_NONE);
    state_is("nothing", VALUE_NONE);
    state_is("open", VALUE_OPEN);
    state_is("env:HOME", VALUE_CLOSED);
    state_is("env:HOME | 'x'", VALUE_CLOSED); /* nobody looked, so the default is not known to hold */
    assert_false(value("missing | a").dflt);
    assert_true(value("missing | 'x'").dflt);
    assert_true(value("missing | @ten").dflt);
    assert_true(str_is(value("c").text, "1.e-8")); /* the source's digits */
    assert_true(value("c").num == 1e-8);
}

static void choices(void **state)
{
    (void)state;
    is("if(b, 'yes', 'no')", "yes");
    is("if(missing, 'yes', 'no')", "no");
    state_is("if(missing, 'yes')", VALUE_NONE);
    state_is("if(open, 'yes', 'no')", VALUE_OPEN);
    is("or(missing, b)", "True");
    is("or(missing, flag)", "False");
    state_is("or(missing, open)", VALUE_OPEN);
    is("or(open, b)", "True");
    is("and(b, a)", "True");
    is("and(b, flag, open)", "False");
    is("not(missing)", "True");
    is("bool(flag)", "False");
    is("set(missing)", "False");
    is("set(open)", "True");
    is("told(a)", "True");
    is("told(missing | 3)", "False");
    is("any(eq(a, 5))", "True");
    is("both(gt(a, 3))", "True");
    is("both(eq(a, 5))", "False");
    is("other(a)", "5");
    is("closed(env:HOME)", "True");
    is("closed(a)", "False");
}

static void texts(void **state)
{
    (void)state;
    is("eq(text, 'LayerNorm', 'rmsnorm')", "True");
    is("eq(c, 1e-08)", "True");
    is("eq(missing, 'x')", "False");
    is("has(text, 'norm')", "True");
    is("has(missing, 'norm')", "False");
    is("map(text, 'RMSNorm', 'rms', 'x', 'y')", "rms");
    is("map(text, 'x', 'y')", "RMSNorm");
    assert_true(str_is(value("map(text, 'RMSNorm', 'rms')").how, "RMSNorm"));
    is("tail(dtype)", "bfloat16");
    is("dtype('fp32')", "float32");
    is("dtype(dtype)", "bfloat16");
    is("agree(a, missing)", "4");
    is("agree(a, 4)", "4");
    is("agree(a, c)", "4 / 1.e-8");
}

static void numbers(void **state)
{
    (void)state;
    const struct value infinite = value_of_text(STR("1e999")), one = value_of_text(STR("1.0"));
    assert_false(value_equal(&infinite, &one));
    assert_true(value_equal(&infinite, &infinite));
    is("product(a, 3)", "12");
    assert_true(str_is(value("product(a, 3)").how, "4*3"));
    is("product(a, 0, missing)", "0"); /* whatever the rest is */
    state_is("product(a, missing)", VALUE_NONE);
    state_is("product(a, open)", VALUE_OPEN);
    state_is("product(a, text)", VALUE_NONE);
    is("div(a, 8)", "0.5");
    state_is("div(a, 0)", VALUE_NONE);
    is("floor(div(a, 3))", "1");
    is("max(a, c)", "4");
    is("gt(a, 3)", "True");
    is("gt(text, 3)", "False");
    is("positive(a)", "4");
    is("positive(0)", "none");
    is("pad(a, 128)", "128");
    is("pad(128, 128)", "128");
    state_is("derived(missing)", VALUE_OPEN);
    is("derived(a)", "4");
    assert_true(value("default(a)").dflt);
    is("follow(missing, 7)", "7");
    assert_true(value("follow(a, 4)").dflt);  /* says what follows anyway */
    assert_false(value("follow(a, 7)").dflt);
    is("llama_ffn(4096, 1, 256)", "11008");
    is("llama_ffn(8192, 1.3, 4096)", "28672");
    is("swiglu_ffn(4096)", "10880");
}

static void lists(void **state)
{
    (void)state;
    is("layers(list, 4)", "0,0,1,1");
    is("layers(2, 4)", "1,0,1,0");
    is("layers('([0]*1+[1]*3)', 4)", "0,1,1,1");
    is("layers('[0, 1, 1]', 3)", "0,1,1");
    is("layers('[[0,1]*2]', 4)", "0,1,0,1");
    is("dense_first(2, 4)", "0,0,1,1");
    is("dense_first('True', 3)", "0,1,1");
    is("shares(split)", "1");
    is("shares('100,0,0')", "1");
    is("shares('80, 10, 10')", "0.8,0.1,0.1");
    /* what is no list stays what it is, and nothing grows without bound */
    is("layers('x*y', 4)", "x*y");
    is("layers('[0]*99999999', 4)", "[0]*99999999");
    is("layers('[[[[[[[[[[0]]]]]]]]]]', 4)", "[[[[[[[[[[0]]]]]]]]]]");
    is("layers('[0', 4)", "[0");
}

static void mistakes(void **state)
{
    static const char *const wrong[] = {"",    "a |", "f(a)", "if(a)", "gt(a, b, c)", "'a",
                                        "a b", "a)",  "(a)",  "@",     "product(a,",  "a | | b"};
    (void)state;
    size_t bad;
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        if (expr_parse(&arena, str_of(wrong[i]), &bad))
            fail_msg("\"%s\" was taken for an expression", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_is_whole),    cmocka_unit_test(both_languages),
        cmocka_unit_test(paths_and_alternatives), cmocka_unit_test(choices), cmocka_unit_test(texts),
        cmocka_unit_test(numbers),          cmocka_unit_test(lists), cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
