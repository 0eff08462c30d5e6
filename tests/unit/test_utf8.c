/* Text as cells: hostile bytes come out visible, widths are what terminals show, cuts keep both ends. */
#include "support.h"

#include "base/utf8.h"

static uint32_t first(const char *bytes, size_t n, size_t *used)
{
    struct str s = str_n(bytes, n);
    uint32_t c = utf8_next(&s);
    *used = n - s.n;
    return c;
}

static void decodes(void **state)
{
    static const struct {
        const char *bytes;
        uint32_t c;
    } good[] = {
        {"a", 'a'},           {"~", '~'},           {"\xc2\xa0", 0xa0},         {"\xc3\xa9", 0xe9},
        {"\xe4\xb8\xad", 0x4e2d}, {"\xef\xbf\xbd", 0xfffd}, {"\xf0\x9f\x98\x80", 0x1f600},
        {"\xf4\x8f\xbf\xbd", 0x10fffd},
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t used;
        assert_int_equal(first(good[i].bytes, strlen(good[i].bytes), &used), good[i].c);
        assert_int_equal(used, strlen(good[i].bytes));
    }
}

/* Bad bytes go one at a time, so that what follows them is not lost. */
static void bad_bytes(void **state)
{
    static const char *const bad[] = {
        "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe4\xb8", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xfe", "\xff",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t used, n = strlen(bad[i]);
        assert_int_equal(first(bad[i], n, &used), 0xfffd);
        assert_int_equal(used, 1);
        char text[16];
        memcpy(text, bad[i], n);
        text[n] = 'Z';
        struct str s = str_n(text, n + 1);
        uint32_t c = 0;
        while (s.n)
            c = utf8_next(&s);
        assert_int_equal(c, 'Z');
    }
}

static void every_two_bytes_decode_safely(void **state)
{
    (void)state;
    for (unsigned v = 0; v < 65536; v++) {
        char text[3] = {(char)(v >> 8), (char)v, 'x'};
        struct str s = str_n(text, 3);
        while (s.n) {
            size_t n = s.n;
            uint32_t c = utf8_next(&s);
            assert_true(s.n < n && c >= 0x20 && c <= 0x10ffff && c != 0x7f);
            assert_false(c >= 0x80 && c < 0xa0);
        }
    }
}

static void controls_are_visible(void **state)
{
    size_t used;
    char c;
    (void)state;
    for (int i = 0; i < 0x20; i++) {
        c = (char)i;
        assert_int_equal(first(&c, 1, &used), 0x2400 + i);
    }
    assert_int_equal(first("\x7f", 1, &used), 0x2421);
    for (int i = 0x80; i < 0xa0; i++) { /* C1: CSI and its like */
        char two[2] = {(char)0xc2, (char)i};
        assert_int_equal(first(two, 2, &used), 0xfffd);
        assert_int_equal(used, 2);
    }
    /* what reorders or breaks lines: RLO, LRI, LRM, the line and paragraph separators */
    static const char *const marks[] = {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8e", "\xe2\x80\x8f",
                                        "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x81\xa9"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        assert_int_equal(first(marks[i], 3, &used), 0xfffd);
}

/* What nobody sees has its number in text and a cell on the screen: names that differ in it alone must not look
 * alike. */
static void hidden_characters(void **state)
{
    static const struct {
        const char *bytes, *text;
    } hidden[] = {
        {"\xe2\x80\x8b", "\\u200b"}, {"\xe2\x80\x8c", "\\u200c"}, {"\xe2\x80\x8d", "\\u200d"}, {"\xe2\x81\xa0", "\\u2060"},
        {"\xef\xbb\xbf", "\\ufeff"}, {"\xc2\xad", "\\u00ad"}, {"\xe2\x80\xae", "\\u202e"}, {"\xe2\x81\xa6", "\\u2066"},
        {"\xe2\x80\xa8", "\\u2028"}, {"\xc2\x9b", "\\u009b"}, {"\xe3\x85\xa4", "\\u3164"}, {"\xcd\x8f", "\\u034f"},
        {"\xef\xb8\x80", "\\ufe00"}, {"\xf3\xa0\x81\x81", "\\U000e0041"}, {"\xf3\xa0\x84\x80", "\\U000e0100"}, {"\xef\xbf\xb9", "\\ufff9"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        struct str s = str_of(hidden[i].bytes);
        struct buf b = {0};
        uint32_t c = utf8_decode(&s);
        assert_true(utf8_is_hidden(c) && !s.n);
        utf8_clean(&b, str_of(hidden[i].bytes));
        assert_string_equal(b.p, hidden[i].text);
        buf_release(&b);
        assert_int_equal(utf8_cells(str_of(hidden[i].bytes)), 1);
    }
    static const uint32_t seen[] = {'a', 0xa0, 0x301, 0x600, 0x6dd, 0xfe0f, 0x3000, 0x4e2d, 0x1f600};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_false(utf8_is_hidden(seen[i]));
}

static void widths(void **state)
{
    (void)state;
    for (uint32_t c = 0x20; c < 0x7f; c++)
        assert_int_equal(utf8_width(c), 1);
    assert_int_equal(utf8_width(0x4e2d), 2);  /* 中 */
    assert_int_equal(utf8_width(0xff01), 2);  /* fullwidth ! */
    assert_int_equal(utf8_width(0x1f600), 2); /* emoji */
    assert_int_equal(utf8_width(0x0301), 0);  /* combining acute */
    assert_int_equal(utf8_width(0x2713), 1);
    assert_int_equal(utf8_width(0x2026), 1);
    assert_int_equal(utf8_width(0xfffd), 1);
    for (uint32_t c = 0x2400; c <= 0x2421; c++)
        assert_int_equal(utf8_width(c), 1);
    assert_int_equal(utf8_cells(STR("")), 0);
    assert_int_equal(utf8_cells(STR("a\xe4\xb8\xad\xcc\x81z")), 4);
    assert_int_equal(utf8_cells(STR("\x1b[2J\n")), 5);
}

static void puts_what_it_takes(void **state)
{
    (void)state;
    for (uint32_t c = 0x20; c < 0x30000; c += c < 0x300 ? 1 : 37) {
        char tmp[4];
        if (c == 0x7f || utf8_is_hidden(c) || (c >= 0xd800 && c < 0xe000))
            continue;
        size_t n = utf8_put(tmp, c);
        struct str s = str_n(tmp, n);
        assert_int_equal(utf8_next(&s), c);
        assert_int_equal(s.n, 0);
    }
}

static void cleans(void **state)
{
    struct buf b = {0};
    (void)state;
    utf8_clean(&b, STR("a\x1b[31m\n\xff\xe4\xb8\xad"));
    assert_string_equal(b.p, "a\xe2\x90\x9b[31m\xe2\x90\x8a\xef\xbf\xbd\xe4\xb8\xad");
    buf_release(&b);
}

static void middle(const char *text, int cells, const char *expected)
{
    struct buf b = {0};
    int used = utf8_middle(&b, str_of(text), cells, "~");
    assert_string_equal(b.p ? b.p : "", expected);
    assert_int_equal(used, utf8_cells(buf_view(&b)));
    buf_release(&b);
}

static void cuts_in_the_middle(void **state)
{
    (void)state;
    middle("abcdef", 6, "abcdef");
    middle("abcdef", 99, "abcdef");
    middle("", 5, "");
    middle("abcdefghij", 6, "ab~hij"); /* the end says which value it is: it gets more */
    middle("abcdefghij", 3, "~ij");
    middle("abcdefghij", 2, "~j");
    middle("abcdefghij", 1, "a");
    middle("abcdefghij", 0, "");
}

static void cuts_never_overflow(void **state)
{
    static const char *const texts[] = {
        "Module.module.decoder.layers.0.output.0",
        "\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82",
        "a\xe5\xb1\x82z\xe5\xb1\x82z\xe5\xb1\x82z\xe5\xb1\x82z\xe5\xb1\x82z\xe5\xb1\x82zz",
        "e\xcc\x81"
        "e\xcc\x81"
        "e\xcc\x81"
        "e\xcc\x81"
        "e\xcc\x81",
        "\xff\xfe\x01\x02\x1b\x7f\x80\x90 bad",
    };
    static const char *const marks[] = {"~", "\xe2\x80\xa6"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int cells = -1; cells < 45; cells++)
            for (size_t m = 0; m < 2; m++) {
                struct buf b = {0};
                struct str s = str_of(texts[i]);
                int used = utf8_middle(&b, s, cells, marks[m]), all = utf8_cells(s);
                assert_true(used <= (cells < 0 ? 0 : cells));
                assert_int_equal(used, utf8_cells(buf_view(&b)));
                if (all <= cells)
                    assert_int_equal(used, all);
                else if (cells > 1) /* cut: marked, at most one cell lost on each side of the mark */
                    assert_true(str_has(buf_view(&b), marks[m]) && used >= cells - 2);
                buf_release(&b);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes),            cmocka_unit_test(bad_bytes),
        cmocka_unit_test(every_two_bytes_decode_safely), cmocka_unit_test(controls_are_visible),
        cmocka_unit_test(hidden_characters), cmocka_unit_test(widths),             cmocka_unit_test(puts_what_it_takes),
        cmocka_unit_test(cleans),             cmocka_unit_test(cuts_in_the_middle),
        cmocka_unit_test(cuts_never_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
