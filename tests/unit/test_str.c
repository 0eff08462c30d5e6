/* Views and growing text: comparison, cutting, parsing, appending. */
#include "support.h"

#include <math.h>

#include "base/mem.h"
#include "base/str.h"

static void compares(void **state)
{
    (void)state;
    struct str none = {NULL, 0}, head, rest;
    assert_false(str_split(none, '.', &head, &rest));
    assert_true(!head.n && !rest.n);
    assert_true(str_eq(none, STR("")));
    assert_true(str_eq(STR("abc"), str_n("abcd", 3)));
    assert_false(str_eq(STR("abc"), STR("abd")));
    assert_false(str_eq(STR("abc"), STR("abcd")));
    assert_true(str_is(str_n("forward.0", 7), "forward"));
    assert_false(str_is(STR("forward"), "forwar"));
    assert_true(str_ieq(STR("BFloat16"), STR("bfloat16")));
    assert_false(str_ieq(STR("bfloat16"), STR("bfloat1")));
    /* only letters fold: '[' and '{' are 32 apart too */
    assert_false(str_ieq(STR("["), STR("{")));
    assert_false(str_ieq(STR("\xc4"), STR("\xe4")));
}

static void orders(void **state)
{
    (void)state;
    assert_true(str_cmp(STR("a"), STR("b")) < 0);
    assert_true(str_cmp(STR("b"), STR("a")) > 0);
    assert_true(str_cmp(STR("a"), STR("ab")) < 0);
    assert_true(str_cmp(STR("ab"), STR("a")) > 0);
    assert_int_equal(str_cmp(STR("ab"), STR("ab")), 0);
    assert_int_equal(str_cmp((struct str){NULL, 0}, STR("")), 0);
    assert_true(str_cmp((struct str){NULL, 0}, STR("x")) < 0);
}

static void finds_parts(void **state)
{
    (void)state;
    struct str s = STR("Module.layers.0.mlp");
    assert_true(str_starts(s, "Module."));
    assert_false(str_starts(s, "Cell."));
    assert_false(str_starts(STR("Mod"), "Module"));
    assert_true(str_starts(s, ""));
    assert_true(str_ends(s, ".mlp"));
    assert_false(str_ends(STR("mlp"), ".mlp"));
    assert_true(str_has(s, "layers.0"));
    assert_true(str_has(s, "mlp"));
    assert_false(str_has(s, "mlp2"));
    assert_false(str_has(s, "LAYERS"));
    assert_true(str_ihas(s, "LAYERS"));
    assert_true(str_has(s, ""));
    assert_false(str_has(STR(""), "a"));
    assert_int_equal(str_find(s, '.'), 6);
    assert_int_equal(str_rfind(s, '.'), 15);
    assert_int_equal(str_find(s, '#'), -1);
    assert_int_equal(str_rfind(s, '#'), -1);
    assert_int_equal(str_find((struct str){NULL, 0}, 'a'), -1);
    assert_int_equal(str_rfind((struct str){NULL, 0}, 'a'), -1);
}

static void cuts(void **state)
{
    (void)state;
    assert_true(str_is(str_cut(STR("abcd"), 2), "cd"));
    assert_int_equal(str_cut(STR("abcd"), 4).n, 0);
    assert_int_equal(str_cut(STR("abcd"), 99).n, 0);
    assert_true(str_is(str_trim(STR(" \t\r\n a b \n")), "a b"));
    assert_int_equal(str_trim(STR("  \n ")).n, 0);
    assert_true(str_is(str_trim(STR("\v")), "\v")); /* not one of the four blanks */
}

static void splits(void **state)
{
    (void)state;
    struct str head, rest;
    assert_true(str_split(STR("a.b.c"), '.', &head, &rest));
    assert_true(str_is(head, "a"));
    assert_true(str_is(rest, "b.c"));
    assert_true(str_split(STR(".x"), '.', &head, &rest));
    assert_int_equal(head.n, 0);
    assert_true(str_is(rest, "x"));
    assert_true(str_split(STR("x."), '.', &head, &rest));
    assert_int_equal(rest.n, 0);
    assert_false(str_split(STR("abc"), '.', &head, &rest));
    assert_true(str_is(head, "abc"));
    assert_int_equal(rest.n, 0);
    /* the loops over lines split into the string they split */
    struct str line, text = STR("one\ntwo\n");
    str_split(text, '\n', &line, &text);
    assert_true(str_is(line, "one"));
    str_split(text, '\n', &line, &text);
    assert_true(str_is(line, "two"));
    assert_int_equal(text.n, 0);
}

static void reads_integers(void **state)
{
    (void)state;
    unsigned long long v = 77;
    assert_true(str_u64(STR("0"), &v));
    assert_int_equal(v, 0);
    assert_true(str_u64(STR("007"), &v));
    assert_int_equal(v, 7);
    assert_true(str_u64(STR("18446744073709551615"), &v));
    assert_true(v == 18446744073709551615ULL);
    v = 77;
    static const char *const bad[] = {"", "18446744073709551616", "99999999999999999999", "-1", "+1",
                                      " 1", "1 ", "1.0", "0x1", "1e3", "\xb2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(str_u64(str_of(bad[i]), &v));
    assert_int_equal(v, 77);
}

static void reads_doubles(void **state)
{
    (void)state;
    double v;
    assert_true(str_double(STR(" 1.5e3 "), &v));
    assert_true(v == 1500);
    assert_true(str_double(STR("-0"), &v));
    assert_true(v == 0 && signbit(v));
    assert_true(str_double(STR("nan"), &v));
    assert_true(isnan(v));
    assert_true(str_double(STR("-inf"), &v));
    assert_true(isinf(v) && v < 0);
    assert_true(str_double(STR("4.9e-324"), &v));
    assert_true(v > 0);
    assert_false(str_double(STR(""), &v));
    assert_false(str_double(STR("   "), &v));
    assert_false(str_double(STR("1,5"), &v));
    assert_false(str_double(STR("1.5x"), &v));
    assert_false(str_double(STR("null"), &v));
    assert_false(str_double(str_n("1\0002", 3), &v)); /* whole of s, NUL included */
    char digits[65];
    memset(digits, '1', sizeof digits);
    assert_false(str_double(str_n(digits, 64), &v)); /* longer than any number written for reading */
    assert_true(str_double(str_n(digits, 63), &v));
}

static void grows(void **state)
{
    (void)state;
    struct buf b = {0};
    assert_true(str_is(buf_view(&b), "")); /* a view of nothing is "", not NULL */
    for (int i = 0; i < 10000; i++) {
        buf_char(&b, (char)('a' + i % 26));
        assert_int_equal(b.p[b.n], 0);
        assert_true(b.n < b.cap);
    }
    assert_int_equal(b.n, 10000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(b.p[i], 'a' + i % 26);
    char *kept = b.p;
    buf_clear(&b);
    assert_int_equal(b.n, 0);
    assert_string_equal(b.p, "");
    assert_ptr_equal(b.p, kept); /* the room stays */
    buf_release(&b);
    assert_null(b.p);
    buf_clear(&b); /* of nothing: nothing */
    buf_release(&b);
}

static void appends(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_cstr(&b, "");
    assert_string_equal(b.p, "");
    buf_str(&b, (struct str){NULL, 0});
    buf_cstr(&b, "row ");
    buf_count(&b, 0);
    buf_char(&b, ' ');
    buf_count(&b, 18446744073709551615ULL);
    buf_fmt(&b, " %s:%d", "x", -3);
    buf_fmt(&b, "%s", ""); /* nothing to write */
    buf_add(&b, "\0z", 2);
    assert_int_equal(b.n, strlen("row 0 18446744073709551615 x:-3") + 2);
    assert_memory_equal(b.p, "row 0 18446744073709551615 x:-3\0z", b.n + 1);
    buf_release(&b);
}

/* Calls that differ by numbers alone are of one kind. */
static void leaves_numbers_out(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_numberless(&b, STR("Module.layers.12.Linear.forward.3"));
    buf_numberless(&b, STR("7x"));
    assert_string_equal(b.p, "Module.layers.#.Linear.forward.##x");
    buf_release(&b);
}

/* An empty buffer too, so that what a caller cuts off again has an end to write. */
static void formats_nothing(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_fmt(&b, "%s", "");
    assert_string_equal(b.p, "");
    buf_release(&b);
}

static void formats_long_text(void **state)
{
    (void)state;
    struct buf b = {0};
    char big[5000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    buf_fmt(&b, "<%s>", big);
    assert_int_equal(b.n, sizeof big + 1);
    assert_int_equal(b.p[0], '<');
    assert_int_equal(b.p[b.n - 1], '>');
    assert_int_equal(b.p[b.n], 0);
    buf_release(&b);
}

static void finds_words(void **state)
{
    (void)state;
    assert_true(str_is_word_of(STR("mean"), STR("sum mean none")));
    assert_true(str_is_word_of(STR("none"), STR("sum mean none")));
    assert_false(str_is_word_of(STR("me"), STR("sum mean none")));
    assert_false(str_is_word_of(STR("mean"), STR("")));
}

static void quotes_for_a_shell(void **state)
{
    static const char *const cases[][2] = {
        {"a/b_1.pt", "a/b_1.pt"}, {"", "''"},           {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},   {"$(x)", "'$(x)'"},   {"a\x1b[2J", "'a?[2J'"},
        {"a\nb", "'a?b'"},        {"数据/x", "数据/x"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = {0};
        buf_shell_word(&b, str_of(cases[i][0]));
        assert_string_equal(b.p, cases[i][1]);
        buf_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),      cmocka_unit_test(orders),
        cmocka_unit_test(finds_parts),   cmocka_unit_test(cuts),
        cmocka_unit_test(splits),        cmocka_unit_test(reads_integers),
        cmocka_unit_test(reads_doubles), cmocka_unit_test(grows),
        cmocka_unit_test(appends),       cmocka_unit_test(leaves_numbers_out),
        cmocka_unit_test(formats_nothing), cmocka_unit_test(formats_long_text),
        cmocka_unit_test(finds_words),   cmocka_unit_test(quotes_for_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
