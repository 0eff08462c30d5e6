/* Lines of a file around one, read in the background. */
#include "support.h"

#include <limits.h>

#include "base/file_lines.h"
#include "base/str.h"

static char source[PATH_MAX];

static void write_source(int lines)
{
    struct buf b = {0};
    for (int i = 1; i <= lines; i++)
        buf_fmt(&b, "line %d\n", i);
    strcpy(source, put_text(scratch(), "model.py", b.p));
    buf_release(&b);
}

static void says(const struct file_lines *f, uint32_t n, const char *want)
{
    struct str line;
    assert_true(file_lines_at(f, n, &line));
    assert_int_equal(line.n, strlen(want));
    assert_memory_equal(line.p, want, line.n);
}

static void test_around(void **state)
{
    struct file_lines f;
    struct str line;
    (void)state;
    write_source(200);
    file_lines_init(&f, NULL, NULL);
    file_lines_ask(&f, source, 100);
    file_lines_wait(&f);
    assert_int_equal(file_lines_ask(&f, source, 100), FILE_LINES_HERE);
    says(&f, 100, "line 100");
    says(&f, 100 - FILE_LINES_AROUND, "line 60");
    assert_false(file_lines_at(&f, 100 - FILE_LINES_AROUND - 1, &line));
    file_lines_ask(&f, source, 2); /* the last of several asked for in a row */
    file_lines_ask(&f, source, 200);
    file_lines_wait(&f);
    says(&f, 200, "line 200");
    assert_false(file_lines_at(&f, 201, &line));
    file_lines_release(&f);
}

static void test_absent(void **state)
{
    struct file_lines f;
    struct str line;
    (void)state;
    write_source(3);
    file_lines_init(&f, NULL, NULL);
    const char *const not_there[] = {path_in(scratch(), "none.py"), scratch(), source};
    for (size_t i = 0; i < 3; i++) { /* nothing, a folder, too few lines */
        file_lines_ask(&f, not_there[i], 4);
        file_lines_wait(&f);
        assert_int_equal(file_lines_ask(&f, not_there[i], 4), FILE_LINES_ABSENT);
        assert_false(file_lines_at(&f, 1, &line));
    }
    file_lines_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_around),
        cmocka_unit_test(test_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
