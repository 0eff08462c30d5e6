/* Numbers as text: exact round trips, cells that fit, counts and sizes. */
#include "support.h"

#include <float.h>
#include <math.h>

#include "base/num.h"

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static double from_bits(uint64_t u)
{
    double v;
    memcpy(&v, &u, sizeof v);
    return v;
}

static void same_double(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void exact_reads_back(void **state)
{
    uint64_t seed = 0x1234567;
    char t[NUM_MAX];
    (void)state;
    for (int i = 0; i < 200000; i++) {
        double v = from_bits(next(&seed));
        if (!isfinite(v))
            continue;
        assert_ptr_equal(num_exact(t, v), t);
        assert_true(strlen(t) < NUM_MAX);
        same_double(strtod(t, NULL), v);
    }
    for (int i = 0; i < 100000; i++) { /* the sizes a dump holds */
        double v = ((double)(next(&seed) >> 11) * 0x1p-53 - 0.5) * pow(10, (int)(next(&seed) % 16) - 8);
        same_double(strtod(num_exact(t, v), NULL), v);
    }
}

static void exact_is_short(void **state)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0, "0"},         {-0.0, "-0.0"},      {1, "1"},
        {0.1, "0.1"},     {0.3, "0.3"},        {1e22, "1e+22"},
        {65504, "65504"}, {-2.5, "-2.5"},      {0.1 + 0.2, "0.30000000000000004"},
        {1e-5, "1e-05"},  {1.0 / 3, "0.3333333333333333"}, {123456789012345680.0, "1.2345678901234568e+17"},
    };
    char t[NUM_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(num_exact(t, cases[i].v), cases[i].text);
}

/* Digits that say something: "0.00120" and "1.2e-3" have two. */
static int significant(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && !n))
            continue;
        n++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

/* No decimal of fewer digits reads back as the same double. */
static void exact_is_shortest(void **state)
{
    uint64_t seed = 99;
    char t[NUM_MAX], shorter[400];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t exponent = (uint64_t)(900 + i % 250) << 52;
        double v = from_bits((next(&seed) & ~(0xfffULL << 52)) | exponent);
        if (i % 3 == 0) /* one that has few digits */
            v = strtod(num_cell(t, v, 1 + i % 15), NULL);
        int d = 0;
        do
            snprintf(shorter, sizeof shorter, "%.*g", ++d, v);
        while (strtod(shorter, NULL) != v);
        assert_int_equal(significant(num_exact(t, v)), d);
    }
}

/* A dump written by Python says 5e-324; those are its digits. */
static void exact_is_shortest_for_denormals(void **state)
{
    char t[NUM_MAX];
    (void)state;
    same_double(strtod(num_exact(t, 5e-324), NULL), 5e-324);
    same_double(strtod(num_exact(t, DBL_MIN), NULL), DBL_MIN);
    same_double(strtod(num_exact(t, DBL_MAX), NULL), DBL_MAX);
    assert_string_equal(num_exact(t, 5e-324), "5e-324");
}

static void names_special_values(void **state)
{
    char t[NUM_MAX];
    (void)state;
    assert_string_equal(num_exact(t, NAN), "NaN");
    assert_string_equal(num_exact(t, -NAN), "NaN");
    assert_string_equal(num_exact(t, INFINITY), "Inf");
    assert_string_equal(num_exact(t, -INFINITY), "-Inf");
    assert_string_equal(num_cell(t, NAN, 3), "NaN");
    assert_string_equal(num_cell(t, -INFINITY, 3), "-Inf");
    assert_string_equal(num_error(t, INFINITY), "Inf");
    assert_string_equal(num_error(t, NAN), "NaN");
    assert_string_equal(num_error(t, 0), "0");
    assert_string_equal(num_cell(t, -0.0, 4), "0");
}

static void cells(void **state)
{
    static const struct {
        double v;
        int digits;
        const char *text;
    } cases[] = {
        {2.1e-7, 2, "2.1e-7"},      {-2.1e-7, 2, "-2.1e-7"}, {1e-10, 3, "1e-10"},
        {1.5e300, 2, "1.5e300"},    {1e7, 3, "1e7"},         {1e100, 3, "1e100"},
        {0.4231, 4, "0.4231"},      {123456, 6, "123456"},   {123456, 3, "1.23e5"},
        {0.0001, 2, "0.0001"},      {0.00001, 2, "1e-5"},    {2.3301, 3, "2.33"},
    };
    char t[NUM_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(num_cell(t, cases[i].v, cases[i].digits), cases[i].text);
}

static void errors(void **state)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {2.1e-7, "2.1e-7"}, {1.1e-4, "1.1e-4"}, {0.0099, "9.9e-3"}, {0.01, "0.01"},
        {0.25, "0.25"},     {0.123, "0.12"},    {1.234, "1.23"},    {12.34, "12.3"},
        {999, "999"},       {1000, "1.0e3"},    {1.5e9, "1.5e9"},   {-3.25e-5, "-3.2e-5"},
        {1e-300, "1.0e-300"},
    };
    char t[NUM_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(num_error(t, cases[i].v), cases[i].text);
}

/* An error's column is eight cells wide. */
static void errors_fit_their_column(void **state)
{
    uint64_t seed = 5;
    char t[NUM_MAX];
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double v = fabs(from_bits(next(&seed)));
        assert_true(strlen(num_error(t, v)) <= 8);
    }
}

static void counts(void **state)
{
    char t[NUM_MAX];
    (void)state;
    assert_string_equal(num_count(t, 0), "0");
    assert_string_equal(num_count(t, 999), "999");
    assert_string_equal(num_count(t, 1000), "1,000");
    assert_string_equal(num_count(t, 1104), "1,104");
    assert_string_equal(num_count(t, 123456), "123,456");
    assert_string_equal(num_count(t, 1234567), "1,234,567");
    assert_string_equal(num_count(t, 18446744073709551615ULL), "18,446,744,073,709,551,615");
}

static void sizes(void **state)
{
    char t[NUM_MAX];
    (void)state;
    assert_string_equal(num_bytes(t, 0), "0 B");
    assert_string_equal(num_bytes(t, 999), "999 B");
    assert_string_equal(num_bytes(t, 1000), "1.0 kB");
    assert_string_equal(num_bytes(t, 1500), "1.5 kB");
    assert_string_equal(num_bytes(t, 12345), "12 kB");
    assert_string_equal(num_bytes(t, 1300000000), "1.3 GB");
    assert_string_equal(num_bytes(t, 2500000000000ULL), "2.5 TB");
    assert_string_equal(num_bytes(t, 18446744073709551615ULL), "18447 PB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_reads_back),
        cmocka_unit_test(exact_is_short),
        cmocka_unit_test(exact_is_shortest),
        cmocka_unit_test(exact_is_shortest_for_denormals),
        cmocka_unit_test(names_special_values),
        cmocka_unit_test(cells),
        cmocka_unit_test(errors),
        cmocka_unit_test(errors_fit_their_column),
        cmocka_unit_test(counts),
        cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
