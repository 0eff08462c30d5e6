/* Decimal text to double: to the bit what strtod says, whichever way the number was read. */
#include "support.h"

#include <math.h>

#include "base/decimal.h"

static void as_strtod(const char *text)
{
    char with[100];
    double v, want = strtod(text, NULL);
    size_t n = strlen(text);
    snprintf(with, sizeof with, "%s,1234567890", text);
    for (size_t more = 0; more <= 1; more++) { /* at the very end of memory, and with something behind it */
        const char *end = decimal_read(with, with + n + 11 * more, &v);
        if (end != with + n || memcmp(&v, &want, sizeof v) != 0)
            fail_msg("%s: %.17g, not %.17g", text, v, want);
    }
}

static void plain_numbers(void **state)
{
    static const char *const numbers[] = {
        "0", "-0", "0.0", "-0.0e5", "1", "-1", "12345678", "123456789012345678", "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999", "0.1", "1e22", "1e23", "9007199254740993", "9007199254740992.5", "9007199254740993e0",
        "2.2250738585072014e-308", "4.9406564584124654e-324", "1e-400", "1e400", "-1e400", "1.7976931348623157e308",
        "0.000000000000000000000000012345678901234567", "0.00000000000000000000000000000000000000000000000000001",
        "1234567890123456789012345678901234567890", "1.00000000000000011102230246251565404236316680908203125",
        "1e+5", "1E-05", "100000000000000000000000e-23", "5e-55", "5e55", "5e56", "1e-54", "1e00000005",
    };
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        as_strtod(numbers[i]);
}

/* What Python and C write of doubles of every size, and digits that lie half way between two. */
static void numbers_of_every_size(void **state)
{
    char text[64];
    uint64_t seed = 7;
    (void)state;
    for (int i = 0; i < 300000; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        int digits = (int)(seed >> 20 & 15) + 2, power = (int)(seed >> 30 & 127) - 64;
        double v = ((double)(seed >> 11) * 0x1p-53 - 0.5) * pow(10, power);
        snprintf(text, sizeof text, i % 2 ? "%.*g" : "%.*e", digits, v);
        as_strtod(text);
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)(seed >> (i & 31)), power);
        as_strtod(text);
        float single = (float)(fabs(v) < 1e30 ? v : 1e30), next = nextafterf(single, INFINITY);
        snprintf(text, sizeof text, "%.19g", ((double)single + (double)next) / 2);
        as_strtod(text);
        v = (double)((seed >> 11) | 1) * 0x1p-1; /* 53 bits and a half: the next double lies as far on both sides */
        snprintf(text, sizeof text, "%.19g", (seed >> 63 ? v : 2 * v) + 0.0);
        as_strtod(text);
    }
    for (unsigned long long n = 9007199254740992; n < 9007199254740992 + 1000; n++) {
        snprintf(text, sizeof text, "%llu", n);
        as_strtod(text);
        snprintf(text, sizeof text, "%llue-3", n * 100 + 50);
        as_strtod(text);
    }
}

static void what_is_no_number(void **state)
{
    static const char *const no[] = {"",   "-",  "+1",  ".5", "1.",  "1.e5", "01", "-01",
                                     "1e", "1e+", "e5", "NaN", "x", " 1",  "--1"};
    double v;
    (void)state;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_null(decimal_read(no[i], no[i] + strlen(no[i]), &v));
    char many[100];
    memset(many, '7', sizeof many);
    assert_null(decimal_read(many, many + 64, &v));
    assert_ptr_equal(decimal_read(many, many + 63, &v), many + 63);
    assert_true(v > 7e62 && v < 8e62);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers),
        cmocka_unit_test(numbers_of_every_size),
        cmocka_unit_test(what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
