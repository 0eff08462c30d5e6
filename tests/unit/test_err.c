/* Messages are complete sentences with file and place, and never overflow. */
#include "support.h"

#include <errno.h>

#include "base/err.h"

static void sets(void **state)
{
    struct err e = {0};
    (void)state;
    assert_int_equal(err_set(&e, ERR_USAGE, "step %d", 7), -1);
    assert_int_equal(e.code, ERR_USAGE);
    assert_string_equal(e.text, "step 7");
}

static void names_places(void **state)
{
    struct err e = {0};
    (void)state;
    assert_int_equal(err_at(&e, "rank3/dump.json", 88213, "expected %s", "':'"), -1);
    assert_int_equal(e.code, ERR_DATA);
    assert_string_equal(e.text, "rank3/dump.json: byte 88213: expected ':'");
    assert_int_equal(err_line(&e, "keys.conf", 12, "what"), -1);
    assert_string_equal(e.text, "keys.conf: line 12: what");
    err_at(&e, "f", UINT64_MAX, "x");
    assert_string_equal(e.text, "f: byte 18446744073709551615: x");
}

static void says_what_the_system_says(void **state)
{
    struct err e = {0};
    (void)state;
    errno = ENOENT;
    assert_int_equal(err_system(&e, "a/b"), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_string_equal(e.text, "a/b: No such file or directory");
    errno = 123456;
    err_system(&e, "f");
    assert_memory_equal(e.text, "f: ", 3);
    assert_true(strlen(e.text) > 3);
}

static void prefixes(void **state)
{
    struct err e = {0};
    (void)state;
    err_set(&e, ERR_DATA, "inner");
    assert_int_equal(err_prefix(&e, "outer %d", 1), -1);
    assert_string_equal(e.text, "outer 1: inner");
    assert_int_equal(e.code, ERR_DATA);
}

/* A percent sign in a name is no format. */
static void names_are_no_formats(void **state)
{
    struct err e = {0};
    (void)state;
    err_at(&e, "100%s%n", 1, "%s", "x%dy");
    assert_string_equal(e.text, "100%s%n: byte 1: x%dy");
    err_prefix(&e, "%s", "%s");
    assert_string_equal(e.text, "%s: 100%s%n: byte 1: x%dy");
}

static void long_texts_are_cut(void **state)
{
    struct err e = {0};
    char big[5000];
    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    err_set(&e, ERR_DATA, "%s", big);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    err_at(&e, big, 1, "%s", big);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    err_line(&e, big, 1, "why");
    assert_non_null(strstr(e.text, "why")); /* a long name does not push the reason out */
    err_prefix(&e, "%s", big);
    assert_true(strlen(e.text) < sizeof e.text);
    err_set(&e, ERR_DATA, "reason");
    err_prefix(&e, "%s", big);
    assert_non_null(strstr(e.text, "reason"));
    errno = ENOENT;
    err_system(&e, big);
    assert_true(strlen(e.text) < sizeof e.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets),     cmocka_unit_test(names_places),
        cmocka_unit_test(says_what_the_system_says), cmocka_unit_test(prefixes),
        cmocka_unit_test(names_are_no_formats), cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
