/* Programs started on files whose names come from dumps: a name stays a name, whatever it begins with. */
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "ui/external_tool.h"

/* What the tool was given, a line each. */
static void arguments(const char *arg, const char *file, struct buf *out)
{
    struct buf tool = {0};
    struct err e;
    const char *dir = scratch();
    const char *script = put_text(dir, "tool.sh", "out=$1; shift; for x; do echo \"$x\"; done >\"$out\"\n");
    char *log = path_in(dir, "log");
    buf_fmt(&tool, "sh %s %s", script, log);
    assert_int_equal(external_tool_run(tool.p, arg, file), 0);
    buf_clear(out);
    assert_int_equal(file_slurp(log, 1000, out, &e), 0);
    buf_release(&tool);
}

static void names_that_look_like_options(void **state)
{
    static const char *const names[] = {"+!touch x", "-x", "--version", "+3", "-", "a.py", "a/b.py", "./+q"};
    struct buf b = {0}, want = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        arguments("+7", names[i], &b);
        buf_clear(&want);
        buf_fmt(&want, "+7\n./%s\n", names[i]);
        assert_string_equal(b.p, want.p);
    }
    arguments(NULL, "/a b/-x", &b);
    assert_string_equal(b.p, "/a b/-x\n");
    buf_release(&b);
    buf_release(&want);
}

/* A program whose path has blanks, without arguments. */
static void blanks_in_its_path(void **state)
{
    struct buf tool = {0}, log = {0};
    struct err e;
    (void)state;
    char *out = path_in(scratch(), "blanks.log");
    buf_fmt(&log, "#!/bin/sh\necho \"$1\" >'%s'\n", out);
    buf_fmt(&tool, "%s", put_text(scratch(), "my tool.sh", log.p));
    assert_int_equal(chmod(tool.p, 0700), 0);
    assert_int_equal(external_tool_run(tool.p, NULL, "/x"), 0);
    buf_clear(&log);
    assert_int_equal(file_slurp(out, 1000, &log, &e), 0);
    assert_string_equal(log.p, "/x\n");
    buf_release(&tool);
    buf_release(&log);
}

/* What a dump calls a row is a variable's value, never a part of the text that the shell reads. */
static void a_command_of_the_user(void **state)
{
    struct buf text = {0}, log = {0};
    struct err e;
    (void)state;
    char *out = path_in(scratch(), "shell.log");
    char hostile[] = "ROW=$(touch x); `id`\n'\"", *const more[] = {hostile, NULL};
    buf_fmt(&text, "printf %%s \"$ROW\" >'%s'; exit 3", out);
    assert_int_equal(external_tool_shell(text.p, more), 3);
    assert_int_equal(file_slurp(out, 1000, &log, &e), 0);
    assert_string_equal(log.p, hostile + strlen("ROW="));
    buf_release(&text);
    buf_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_that_look_like_options),
                                       cmocka_unit_test(blanks_in_its_path), cmocka_unit_test(a_command_of_the_user)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
