/* Reports appear whole or not at all, whatever goes wrong on the way. */
#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/out.h"

static void appears_when_closed(void **state)
{
    const char *dir = scratch();
    struct out o;
    struct err e = {0};
    (void)state;
    assert_int_equal(out_file(&o, path_in(dir, "r.csv"), &e), 0);
    buf_cstr(&o.buf, "head\n");
    out_flow(&o);
    assert_false(path_is_file(path_in(dir, "r.csv")));
    buf_cstr(&o.buf, "row\n");
    assert_int_equal(out_close(&o, &e), 0);
    assert_int_equal(e.code, ERR_NONE);
    check_content(path_in(dir, "r.csv"), "head\nrow\n");
    assert_int_equal(entries(dir), 1);
}

static void flows_large_reports(void **state)
{
    const char *dir = scratch();
    struct out o;
    struct err e = {0};
    struct buf all = {0};
    (void)state;
    assert_int_equal(out_file(&o, path_in(dir, "r"), &e), 0);
    for (int i = 0; i < 100000; i++) {
        buf_fmt(&o.buf, "row %d of many\n", i);
        buf_fmt(&all, "row %d of many\n", i);
        out_flow(&o);
        assert_true(o.buf.n < 300 * 1024); /* not gathered in memory */
    }
    assert_int_equal(out_close(&o, &e), 0);
    check_content(path_in(dir, "r"), all.p);
    buf_release(&all);
}

static void replaces_an_old_report(void **state)
{
    const char *dir = scratch();
    struct out o;
    struct err e = {0};
    (void)state;
    assert_int_equal(file_replace(path_in(dir, "r"), STR("old"), &e), 0);
    assert_int_equal(out_file(&o, path_in(dir, "r"), &e), 0);
    buf_cstr(&o.buf, "new");
    check_content(path_in(dir, "r"), "old");
    assert_int_equal(out_close(&o, &e), 0);
    check_content(path_in(dir, "r"), "new");
}

static void no_folder(void **state)
{
    struct out o;
    struct err e = {0};
    (void)state;
    assert_int_equal(out_file(&o, path_in(scratch(), "no/folder/r"), &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_non_null(strstr(e.text, "no/folder/r"));
    assert_null(strstr(e.text, ".tmp")); /* the user's name, not ours */
}

static void failed_rename_leaves_nothing(void **state)
{
    const char *dir = scratch();
    struct out o;
    struct err e = {0};
    (void)state;
    assert_int_equal(out_file(&o, path_in(dir, "r"), &e), 0);
    mkdir(path_in(dir, "r"), 0755); /* meanwhile */
    mkdir(path_in(dir, "r/full"), 0755);
    buf_cstr(&o.buf, "text");
    assert_int_equal(out_close(&o, &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_int_equal(entries(dir), 1);
    assert_true(path_is_dir(path_in(dir, "r")));
}

/* A full disk: every write after some bytes fails. */
static void failed_write_leaves_the_old_report(void **state)
{
    const char *dir = scratch();
    struct out o;
    struct err e = {0};
    struct rlimit was, small;
    (void)state;
    assert_int_equal(file_replace(path_in(dir, "r"), STR("old"), &e), 0);
    assert_int_equal(out_file(&o, path_in(dir, "r"), &e), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 100 * 1024;
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 100000; i++) {
        buf_cstr(&o.buf, "a row of a report\n");
        out_flow(&o);
    }
    int rc = out_close(&o, &e);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(rc, -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_non_null(strstr(e.text, path_in(dir, "r")));
    check_content(path_in(dir, "r"), "old");
    assert_int_equal(entries(dir), 1);
}

static void descriptors(void **state)
{
    int end[2];
    struct out o;
    struct err e = {0};
    char got[16] = "";
    (void)state;
    assert_int_equal(pipe(end), 0);
    out_fd(&o, end[1]);
    buf_cstr(&o.buf, "to a pipe");
    assert_int_equal(out_close(&o, &e), 0);
    assert_int_equal(read(end[0], got, sizeof got), 9);
    assert_string_equal(got, "to a pipe");
    assert_int_equal(write(end[1], "x", 1), 1); /* stays open */
    close(end[0]);
    close(end[1]);
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    out_fd(&o, full);
    buf_cstr(&o.buf, "lost");
    assert_int_equal(out_close(&o, &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_non_null(strstr(e.text, "output"));
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appears_when_closed),
        cmocka_unit_test(flows_large_reports),
        cmocka_unit_test(replaces_an_old_report),
        cmocka_unit_test(no_folder),
        cmocka_unit_test(failed_rename_leaves_nothing),
        cmocka_unit_test(failed_write_leaves_the_old_report),
        cmocka_unit_test(descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
