/* The catalogue that is compiled in: it is found by locale names, falls back to English, and its
 * translations take the same arguments as the texts they stand for. */
#include <ctype.h>
#include <zlib.h>
#include "support.h"

#include "base/embed.h"
#include "base/msg.h"
#include "base/str.h"

static unsigned char mo[4 << 20];

static int unpack(void **state)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)embed_zh_CN_mo_gz.p,
                  .avail_in = (unsigned)embed_zh_CN_mo_gz.n,
                  .next_out = mo,
                  .avail_out = sizeof mo};
    (void)state;
    assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    return inflateEnd(&z);
}

static uint32_t word(uint32_t at)
{
    uint32_t v;
    memcpy(&v, mo + at, sizeof v);
    return v;
}

static uint32_t texts(void)
{
    return word(8);
}

static const char *id(uint32_t i)
{
    return (const char *)mo + word(word(12) + i * 8 + 4);
}

static const char *translation(uint32_t i)
{
    return (const char *)mo + word(word(16) + i * 8 + 4);
}

static void switches_languages(void **state)
{
    static const struct {
        const char *locale, *language;
    } cases[] = {
        {"zh_CN.UTF-8", "zh_CN"}, {"zh", "zh_CN"}, {"zh_CN", "zh_CN"}, {"en", "en"},     {"C", "en"},
        {"zh_CN:en", "zh_CN"},    {"", "en"},      {"de_DE", "en"},    {"en_US.UTF-8", "en"}, {NULL, "en"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(msg_language(cases[i].locale), cases[i].language);
        assert_string_equal(msg_current(), cases[i].language);
    }
}

static void finds_every_text(void **state)
{
    (void)state;
    msg_language("zh_CN");
    for (uint32_t i = 0; i < texts(); i++) {
        if (!*id(i))
            continue;
        if (*translation(i))
            assert_string_equal(msg_get(id(i)), translation(i));
        if (i && *id(i - 1))
            assert_true(strcmp(id(i - 1), id(i)) < 0); /* the search relies on it */
    }
    msg_language("en");
    for (uint32_t i = 0; i < texts(); i++)
        assert_ptr_equal(msg_get(id(i)), id(i));
}

static const char *asked(const char *text) /* -Wformat-nonliteral looks at msg_get's argument */
{
    const char *(*get)(const char *) = msg_get;
    return get(text);
}

static void falls_back(void **state)
{
    static const char *const absent[] = {"", "no such text", "zzzz", "\x01", "A"};
    (void)state;
    msg_language("zh_CN");
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_ptr_equal(asked(absent[i]), absent[i]);
    for (uint32_t i = 0; i < texts(); i++)
        if (*id(i)) { /* one that is there, and with something behind it one that is not */
            struct buf b = {0};
            buf_fmt(&b, "%s\x02", id(i));
            assert_ptr_equal(asked(b.p), b.p);
            buf_release(&b);
        }
    msg_language(NULL);
}

/* What is not translated yet shows in English, never as nothing. */
static void empty_translations_show_the_text(void **state)
{
    (void)state;
    msg_language("zh_CN");
    for (uint32_t i = 0; i < texts(); i++)
        if (*id(i))
            assert_true(*asked(id(i)));
    msg_language(NULL);
}

/* The conversions of a format, each argument's by its number: "%2$s" is s at 2. */
static int conversions(const char *f, char out[32])
{
    int n = 0, most = 0;
    memset(out, 0, 32);
    for (; *f; f++) {
        if (*f != '%')
            continue;
        if (*++f == '%')
            continue;
        size_t flags = strspn(f, "-+ #0123456789.*$");
        if (!isascii((unsigned char)f[flags]) || !isalpha((unsigned char)f[flags]))
            continue; /* of a text that is no format: "20 %." */
        char *end;
        long at = strtol(f, &end, 10);
        bool numbered = end > f && *end == '$';
        if (numbered)
            f = end + 1;
        while (*f && strchr("-+ #0123456789.", *f))
            f++;
        if (*f == '*') {
            out[n++] = '*';
            f++;
        }
        char size = 0;
        for (; *f && strchr("hlzjt", *f); f++)
            size = (char)(size + *f);
        n = numbered ? (int)at : n + 1;
        assert_true(n > 0 && n < 32);
        out[n - 1] = (char)(*f ^ size);
        most = n > most ? n : most;
    }
    return most;
}

static void translations_take_the_same_arguments(void **state)
{
    char a[32], b[32];
    (void)state;
    for (uint32_t i = 0; i < texts(); i++) {
        if (!*id(i) || !*translation(i) || strstr(id(i), " %,") || strstr(id(i), " %;"))
            continue;
        if (conversions(id(i), a) != conversions(translation(i), b) || memcmp(a, b, sizeof a) != 0)
            fail_msg("arguments differ:\n%s\n%s", id(i), translation(i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_languages),
        cmocka_unit_test(finds_every_text),
        cmocka_unit_test(falls_back),
        cmocka_unit_test(empty_translations_show_the_text),
        cmocka_unit_test(translations_take_the_same_arguments),
    };
    return cmocka_run_group_tests(tests, unpack, NULL);
}
