/* Lines of a text file, over the edges of the chunks they are read in. */
#include "support.h"

#include "base/lines.h"

static const char *file_of(const char *bytes, size_t n)
{
    return put_bytes(scratch(), "f", bytes, n);
}

static void ends_of_lines(void **state)
{
    static const char text[] = "one\ntwo\r\n\n\r\nfive";
    static const struct {
        const char *text;
        uint64_t at;
    } want[] = {{"one", 0}, {"two", 4}, {"", 9}, {"", 10}, {"five", 12}};
    struct lines l;
    struct str line;
    struct err e;
    (void)state;
    assert_int_equal(lines_open(&l, file_of(text, sizeof text - 1), 100, false, &e), 0);
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        assert_int_equal(lines_next(&l, &line, &e), 1);
        assert_true(str_is(line, want[i].text));
        assert_int_equal(l.offset, want[i].at);
        assert_int_equal(l.number, i + 1);
    }
    assert_int_equal(lines_next(&l, &line, &e), 0);
    assert_int_equal(lines_next(&l, &line, &e), 0);
    lines_close(&l);
}

static void empty_files(void **state)
{
    struct lines l;
    struct str line;
    struct err e;
    (void)state;
    assert_int_equal(lines_open(&l, file_of("", 0), 100, false, &e), 0);
    assert_int_equal(lines_next(&l, &line, &e), 0);
    lines_close(&l);
    assert_int_equal(lines_open(&l, "/nowhere/at/all", 100, false, &e), -1);
    assert_int_equal(e.code, ERR_IO);
}

/* Lines of growing length, so that the chunk's edge falls at every place of one. */
static void chunk_edges(void **state)
{
    struct buf b = {0};
    struct lines l;
    struct str line;
    struct err e;
    (void)state;
    for (int i = 0; i < 1200; i++) {
        for (int k = 0; k < i; k++)
            buf_char(&b, (char)('a' + (i + k) % 26));
        buf_char(&b, '\n');
    }
    assert_int_equal(lines_open(&l, file_of(b.p, b.n), 2000, false, &e), 0);
    for (int i = 0; i < 1200; i++) {
        assert_int_equal(lines_next(&l, &line, &e), 1);
        assert_int_equal(line.n, i);
        if (i)
            assert_int_equal(line.p[i - 1], 'a' + (i + i - 1) % 26);
    }
    assert_int_equal(lines_next(&l, &line, &e), 0);
    lines_close(&l);
    buf_release(&b);
}

static void long_lines(void **state)
{
    struct buf b = {0};
    struct lines l;
    struct str line;
    struct err e;
    (void)state;
    buf_cstr(&b, "first\n");
    for (int i = 0; i < 3000000; i++)
        buf_char(&b, 'x');
    buf_cstr(&b, "\nlast\n");
    const char *path = file_of(b.p, b.n);
    assert_int_equal(lines_open(&l, path, 1000, false, &e), 0);
    assert_int_equal(lines_next(&l, &line, &e), 1);
    assert_int_equal(lines_next(&l, &line, &e), -1);
    assert_non_null(strstr(e.text, "line 2"));
    lines_close(&l);
    assert_int_equal(lines_open(&l, path, 1000, true, &e), 0);
    assert_int_equal(lines_next(&l, &line, &e), 1);
    assert_int_equal(lines_next(&l, &line, &e), 1);
    assert_int_equal(line.n, 1000);
    assert_int_equal(l.offset, 6);
    assert_true(l.window.cap < 2000000); /* the line was not held */
    assert_int_equal(lines_next(&l, &line, &e), 1);
    assert_true(str_is(line, "last"));
    assert_int_equal(l.offset, 6 + 3000001);
    assert_int_equal(l.number, 3);
    assert_int_equal(lines_next(&l, &line, &e), 0);
    lines_close(&l);
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_lines),
        cmocka_unit_test(empty_files),
        cmocka_unit_test(chunk_edges),
        cmocka_unit_test(long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
