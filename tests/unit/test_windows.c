/* Coordinates of windows and what lies beyond an axis. */
#include "support.h"

#include "oracle/windows.h"

static void digits(void **state)
{
    static const int64_t base[] = {2, 3, 4};
    int64_t out[3], n = 0;
    (void)state;
    for (int64_t a = 0; a < 2; a++)
        for (int64_t b = 0; b < 3; b++)
            for (int64_t c = 0; c < 4; c++) {
                window_digits(n++, base, 3, out);
                assert_true(out[0] == a && out[1] == b && out[2] == c);
            }
    window_digits(3, base + 2, 1, out);
    assert_int_equal(out[0], 3);
}

/* Each row: the elements read from index -3 to 6 of an axis of four; "." is none. */
static void margins(void **state)
{
    static const char *const rows[MARGINS] = {
        [MARGIN_CONSTANT] = "...0123...",
        [MARGIN_REFLECT] = "3210123210",
        [MARGIN_REPLICATE] = "0000123333",
        [MARGIN_CIRCULAR] = "1230123012",
    };
    (void)state;
    for (int m = 0; m < MARGINS; m++)
        for (int64_t i = -3; i <= 6; i++) {
            int64_t is = margin_source(i, 4, (enum margin)m);
            char want = rows[m][i + 3];
            if (is != (want == '.' ? -1 : want - '0'))
                fail_msg("margin %d at %d: %d", m, (int)i, (int)is);
        }
    for (int m = 0; m < MARGINS; m++)
        assert_int_equal(margin_source(0, 0, (enum margin)m), -1); /* nothing is there */
    assert_int_equal(margin_source(-4, 4, MARGIN_REFLECT), -1); /* further than the axis is long */
    assert_int_equal(margin_source(7, 4, MARGIN_REFLECT), -1);
    assert_int_equal(margin_source(1, 1, MARGIN_REFLECT), -1);
    assert_int_equal(margin_source(9, 1, MARGIN_REPLICATE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digits), cmocka_unit_test(margins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
