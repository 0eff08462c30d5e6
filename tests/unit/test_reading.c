/* Fields as texts and as JSON: there, absent, or there and not readable. */
#include "support.h"

#include <math.h>

#include "base/json_read.h"
#include "base/reading.h"
#include "log/series_builder.h"

static void numbers(void **state)
{
    static const struct {
        const char *text;
        enum reading how;
        double v;
    } cases[] = {
        {"1.5", READING_VALUE, 1.5},      {" -2e-3 ", READING_VALUE, -2e-3}, {"+7", READING_VALUE, 7},
        {"inf", READING_VALUE, INFINITY}, {"-Infinity", READING_VALUE, -INFINITY},
        {"", READING_ABSENT, 0},          {"null", READING_ABSENT, 0},       {"None", READING_ABSENT, 0},
        {"N/A", READING_ABSENT, 0},       {"-", READING_ABSENT, 0},          {"1,5", READING_UNREADABLE, 0},
        {"#NUM!", READING_UNREADABLE, 0}, {"1e-3x", READING_UNREADABLE, 0},  {"4,985", READING_UNREADABLE, 0},
        {"0x10", READING_UNREADABLE, 0},  {"nan(7)", READING_UNREADABLE, 0}, {"1 2", READING_UNREADABLE, 0},
        {"e5", READING_UNREADABLE, 0},    {"--1", READING_UNREADABLE, 0},    {"true", READING_UNREADABLE, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double v = 99;
        if (reading_number(str_of(cases[i].text), &v) != cases[i].how ||
            (cases[i].how == READING_VALUE ? v != cases[i].v : v != 99))
            fail_msg("\"%s\" gives %g", cases[i].text, v);
    }
    double v;
    assert_int_equal(reading_number(STR("NaN"), &v), READING_VALUE);
    assert_true(isnan(v));
}

static void counts_and_sizes(void **state)
{
    static const struct {
        const char *text;
        enum reading how;
        int n;
    } cases[] = {
        {"[2, 3]", READING_VALUE, 2},   {"(4,)", READING_VALUE, 1},     {"()", READING_VALUE, 0},
        {"[]", READING_VALUE, 0},       {"", READING_ABSENT, 0},        {"2x3", READING_UNREADABLE, 0},
        {"[2, x]", READING_UNREADABLE, 0}, {"[2", READING_UNREADABLE, 0}, {"[2,,3]", READING_UNREADABLE, 0},
        {"[-1]", READING_UNREADABLE, 0},   {"[1,2,3,4,5]", READING_UNREADABLE, 0}, {"[", READING_UNREADABLE, 0},
        {"(2]", READING_UNREADABLE, 0},    {"[2.5]", READING_UNREADABLE, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t dim[4];
        int n;
        if (reading_sizes(str_of(cases[i].text), 4, dim, &n) != cases[i].how ||
            (cases[i].how == READING_VALUE && n != cases[i].n))
            fail_msg("\"%s\"", cases[i].text);
    }
    uint64_t c;
    assert_int_equal(reading_count(STR(" 12 "), &c), READING_VALUE);
    assert_int_equal(c, 12);
    assert_int_equal(reading_count(STR("-1"), &c), READING_UNREADABLE);
    assert_int_equal(reading_count(STR("null"), &c), READING_ABSENT);
}

static void values_of_json(void **state)
{
    static const struct {
        const char *text;
        enum reading number, sizes;
    } cases[] = {
        {"1.5", READING_VALUE, READING_UNREADABLE},         {"NaN", READING_VALUE, READING_UNREADABLE},
        {"null", READING_ABSENT, READING_ABSENT},           {"\"1.5\"", READING_UNREADABLE, READING_UNREADABLE},
        {"true", READING_UNREADABLE, READING_UNREADABLE},   {"[2, 3]", READING_UNREADABLE, READING_VALUE},
        {"[]", READING_UNREADABLE, READING_VALUE},          {"[2, \"3\"]", READING_UNREADABLE, READING_UNREADABLE},
        {"[2.5]", READING_UNREADABLE, READING_UNREADABLE},  {"[-1]", READING_UNREADABLE, READING_UNREADABLE},
        {"{\"a\": 1}", READING_UNREADABLE, READING_UNREADABLE},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err e;
        double v;
        int64_t dim[4];
        int n;
        cJSON *j = json_parse(str_of(cases[i].text), true, "x", 0, &e);
        assert_non_null(j);
        if (reading_json_number(j, &v) != cases[i].number || reading_json_sizes(j, 4, dim, &n) != cases[i].sizes)
            fail_msg("%s", cases[i].text);
        cJSON_Delete(j);
    }
    double v;
    assert_int_equal(reading_json_number(NULL, &v), READING_ABSENT);
}

/* A long text is shortened between characters. */
static void what_was_found(void **state)
{
    char out[READING_FOUND];
    (void)state;
    assert_string_equal(reading_found(out, STR("1,5")), "\"1,5\"");
    assert_string_equal(reading_found(out, STR("a-------------------------------------\u00e9\u00e9----")),
                        "\"a-------------------------------------\u00e9…\"");
}

/* Logs have a faster scanner, which also tells the printed resolution: what is a number there is one here. */
static void logs_read_the_same_numbers(void **state)
{
    static const char *const texts[] = {
        "1",   "-1",    "+1",   "1.5",      ".5",    "5.",  "1e5",    "1E-5",  "1e",   "1e+", "e5",  "1,5",
        "--1", "1.2.3", "1x",   "0x10",     "1_000", "nan", "NaN",    "inf",   "-inf", "-",   ".",   "",
        "1 2", "1e400", "0.1",  "Infinity", "1d5",   "1.0f", "nan(1)", "#NUM!", "\"1\"", "1e-400",
        "123456789012345678901234567890", "2.2250738585072011e-308"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        double a = 0, b = 0, digit;
        bool here = reading_number(str_of(texts[i]), &a) == READING_VALUE;
        bool there = scan_number(str_of(texts[i]), &b, &digit);
        if (here != there || (here && a != b && !(isnan(a) && isnan(b))))
            fail_msg("\"%s\": %d %g, %d %g", texts[i], here, a, there, b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_read_the_same_numbers),
        cmocka_unit_test(numbers),
        cmocka_unit_test(counts_and_sizes),
        cmocka_unit_test(values_of_json),
        cmocka_unit_test(what_was_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
