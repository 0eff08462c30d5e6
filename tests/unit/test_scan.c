/* Scanning of log lines: words at every place, numbers as strtod has them. */
#include "draws.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "log/series_builder.h"

/* The first place by the plainest loop; -1: none. */
static ptrdiff_t place_of(struct str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.p + i, word, n) == 0)
            return (ptrdiff_t)(i + n);
    return -1;
}

static void words_at_every_place(void **state)
{
    static const char *const words[] = {"a", "ab", "aba", "loss:", "abababababababababab"};
    (void)state;
    for (size_t n = 0; n < 70; n++)
        for (size_t w = 0; w < ARRAY_LEN(words); w++)
            for (size_t at = 0; at < n + 2; at++) {
                size_t len = strlen(words[w]);
                char *text = malloc(n ? n : 1); /* of just this size: reading beyond it is seen */
                for (size_t i = 0; i < n; i++)
                    text[i] = "ab:l"[(i * 7 + at) % 4];
                if (at + len <= n)
                    memcpy(text + at, words[w], len);
                struct str s = str_n(text, n), rest = STR("untouched");
                ptrdiff_t wanted = place_of(s, words[w]);
                bool found = scan_behind(s, words[w], &rest);
                if (found != (wanted >= 0) || (found && (rest.p != text + wanted || rest.n != n - (size_t)wanted)))
                    fail_msg("\"%s\" in %.*s", words[w], (int)n, text);
                free(text);
            }
}

static void number_is(const char *text)
{
    double v, digit, wanted = strtod(text, NULL);
    if (!scan_number(str_of(text), &v, &digit))
        fail_msg("%s is no number", text);
    if (memcmp(&v, &wanted, sizeof v) != 0)
        fail_msg("%s: %.17g, not %.17g", text, v, wanted);
}

static void numbers_to_the_bit(void **state)
{
    static const char *const texts[] = {"0",
                                        "-0.0",
                                        "1",
                                        "5.205",
                                        "1.000000E-03",
                                        "9.153210E-01",
                                        "0.1",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "1e22",
                                        "1e23",
                                        "4.35e-22",
                                        "1.7976931348623157e308",
                                        "4.9e-324",
                                        "0.30000000000000004",
                                        "+7.5",
                                        "0000000000000000000000000001.5",
                                        "1e-400",
                                        "2e400"};
    char text[64];
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        number_is(texts[i]);
    for (int i = 0; i < 20000; i++) {
        draw_bits(&random);
        int decimals = (int)(random >> 60), e = (int)(random >> 40 & 63) - 32;
        snprintf(text, sizeof text, i % 2 ? "%.*fe%d" : "%.*e", decimals, (double)(random >> 20) / 1e9, e);
        number_is(text);
    }
}

static void digits(void **state)
{
    static const struct {
        const char *text;
        double digit;
    } cases[] = {{"5.205", 1e-3}, {"1.000000E-03", 1e-9}, {"12", 1}, {"3e4", 1e4}, {"nan", 0}, {"-Infinity", 0}};
    double v, digit;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_true(scan_number(str_of(cases[i].text), &v, &digit));
        assert_true(digit >= cases[i].digit && digit <= cases[i].digit);
    }
    static const char *const bad[] = {"", "-", ".", "e5", "1x", "1..2", "na", "--1"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(scan_number(str_of(bad[i]), &v, &digit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_at_every_place), cmocka_unit_test(numbers_to_the_bit),
                                       cmocka_unit_test(digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
