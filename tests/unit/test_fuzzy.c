/* What is typed in lists, and what a mistyped word was meant to be. */
#include "support.h"

#include "base/fuzzy.h"
#include "base/nearest.h"

static void words_match(void **state)
{
    (void)state;
    assert_int_equal(fuzzy_score(STR("max_abs largest"), STR("")), 0);
    assert_int_equal(fuzzy_score(STR("max_abs largest"), STR("MAX")), 3);
    assert_int_equal(fuzzy_score(STR("max_abs largest"), STR("abs")), 3); /* behind what is no letter a word begins */
    assert_int_equal(fuzzy_score(STR("max_abs largest"), STR("rgest")), 2);
    assert_int_equal(fuzzy_score(STR("max_abs largest"), STR("mxst")), 1);
    assert_int_equal(fuzzy_score(STR("max_abs largest"), STR("lar  max ")), 6);
    assert_int_equal(fuzzy_score(STR("max_abs largest"), STR("max q")), -1);
    assert_int_equal(fuzzy_score(STR(""), STR("a")), -1);
    assert_true(fuzzy_inside(STR("max_abs largest"), STR("argest max")));
    assert_false(fuzzy_inside(STR("max_abs largest"), STR("mxst")));
}

static const char *meant(const char *word)
{
    static const char *const names[] = {"filter", "filters", "find", "sort", "set", "i"};
    struct nearest n = {.word = str_of(word)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        nearest_offer(&n, names[i]);
    return n.name ? n.name : "";
}

static void nearest_names(void **state)
{
    (void)state;
    assert_string_equal(meant("fliter"), "filter");
    assert_string_equal(meant("filtres"), "filters"); /* two characters swapped */
    assert_string_equal(meant("sor"), "sort");
    assert_string_equal(meant("sett"), "set");
    assert_string_equal(meant("xyzzy"), "");
    assert_string_equal(meant("q"), ""); /* every character of it would be wrong */
    char longer[200];
    memset(longer, 'f', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_string_equal(meant(longer), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_match), cmocka_unit_test(nearest_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
