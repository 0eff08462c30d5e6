/* Files: only regular ones, only inside the dump, whole replacements, the order people count in. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_stamp.h"
#include "base/held_folders.h"
#include "base/io.h"

static void reads_by_position(void **state)
{
    const char *dir = scratch();
    struct file f;
    struct err e = {0};
    char got[16];
    (void)state;
    put_bytes(dir, "f", "0123456789", 10);
    assert_int_equal(file_open(&f, path_in(dir, "f"), &e), 0);
    assert_int_equal(f.size, 10);
    assert_int_equal(file_read(&f, 3, got, 4, &e), 0);
    assert_memory_equal(got, "3456", 4);
    assert_int_equal(file_read_some(&f, 8, got, 16, &e), 2);
    assert_memory_equal(got, "89", 2);
    assert_int_equal(file_read_some(&f, 10, got, 16, &e), 0);
    assert_int_equal(file_read_some(&f, 1000, got, 16, &e), 0);
    assert_int_equal(e.code, ERR_NONE); /* untouched on success */
    assert_int_equal(file_read(&f, 8, got, 5, &e), -1);
    assert_int_equal(e.code, ERR_DATA);
    assert_non_null(strstr(e.text, "byte 10"));
    assert_non_null(strstr(e.text, "3 more bytes"));
    file_close(&f);
    file_close(&f); /* closed already */
}

static void opens_regular_files_only(void **state)
{
    const char *dir = scratch();
    struct file f;
    struct err e = {0};
    (void)state;
    assert_int_equal(file_open(&f, path_in(dir, "missing"), &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "missing"));
    assert_null(f.name);
    assert_int_equal(file_open(&f, dir, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_int_equal(mkfifo(path_in(dir, "pipe"), 0600), 0); /* nobody writes: a plain open would wait */
    assert_int_equal(file_open(&f, path_in(dir, "pipe"), &e), -1);
    assert_non_null(strstr(e.text, "regular file"));
    assert_int_equal(file_open(&f, "/dev/null", &e), -1);
    assert_int_equal(file_open_inside(&f, dir, "pipe", &e), -1);
}

static void slurps_up_to_a_limit(void **state)
{
    const char *dir = scratch();
    struct buf b = {0};
    struct err e = {0};
    (void)state;
    put_bytes(dir, "f", "hello", 5);
    buf_cstr(&b, ">");
    assert_int_equal(file_slurp(path_in(dir, "f"), 5, &b, &e), 0);
    assert_string_equal(b.p, ">hello");
    assert_int_equal(file_slurp(path_in(dir, "f"), 4, &b, &e), -1);
    assert_int_equal(e.code, ERR_DATA);
    assert_string_equal(b.p, ">hello");
    put_bytes(dir, "empty", "", 0);
    buf_clear(&b);
    assert_int_equal(file_slurp(path_in(dir, "empty"), 5, &b, &e), 0);
    assert_int_equal(b.n, 0);
    buf_release(&b);
}

static int inside(const char *dir, const char *name, struct err *e)
{
    struct file f;
    int rc = file_open_inside(&f, dir, name, e);
    if (rc)
        assert_null(f.name);
    file_close(&f);
    return rc;
}

static void stays_inside(void **state)
{
    static const char *const bad[] = {"", ".", "..", "../secret", "sub/x", "/etc/passwd", "a/../b", "dump/"};
    const char *root = scratch();
    struct err e = {0};
    (void)state;
    mkdir(path_in(root, "dump"), 0755);
    mkdir(path_in(root, "dump2"), 0755);
    char dir[512];
    snprintf(dir, sizeof dir, "%s", path_in(root, "dump"));
    put_bytes(root, "secret", "s", 1);
    put_bytes(root, "dump2/x", "s", 1);
    put_bytes(dir, "x", "1", 1);
    put_bytes(dir, "..x", "1", 1);
    assert_int_equal(inside(dir, "x", &e), 0);
    assert_int_equal(inside(dir, "..x", &e), 0); /* dots alone harm nobody */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&e, 0, sizeof e);
        assert_int_equal(inside(dir, bad[i], &e), -1);
        assert_int_equal(e.code, ERR_DATA);
        assert_non_null(strstr(e.text, "not a file name"));
    }
    assert_int_equal(inside(dir, "missing", &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "missing"));
    mkdir(path_in(dir, "folder"), 0755);
    assert_int_equal(inside(dir, "folder", &e), -1);
}

static void follows_links_that_stay(void **state)
{
    const char *root = scratch();
    struct err e = {0};
    char dir[512], target[600];
    (void)state;
    mkdir(path_in(root, "dump"), 0755);
    mkdir(path_in(root, "dump-other"), 0755); /* its name begins as the dump's */
    snprintf(dir, sizeof dir, "%s", path_in(root, "dump"));
    put_bytes(dir, "x", "1", 1);
    put_bytes(root, "secret", "s", 1);
    put_bytes(root, "dump-other/x", "s", 1);
    assert_int_equal(symlink("x", path_in(dir, "same")), 0);
    assert_int_equal(symlink("same", path_in(dir, "chain")), 0);
    snprintf(target, sizeof target, "%s/x", dir);
    assert_int_equal(symlink(target, path_in(dir, "absolute")), 0);
    assert_int_equal(symlink("../secret", path_in(dir, "out")), 0);
    assert_int_equal(symlink("out", path_in(dir, "out-by-chain")), 0);
    assert_int_equal(symlink("/etc/passwd", path_in(dir, "etc")), 0);
    assert_int_equal(symlink("../dump-other/x", path_in(dir, "neighbour")), 0);
    assert_int_equal(symlink("loop", path_in(dir, "loop")), 0);
    assert_int_equal(symlink("nowhere", path_in(dir, "dangling")), 0);
    assert_int_equal(symlink(".", path_in(dir, "itself")), 0);
    assert_int_equal(inside(dir, "same", &e), 0);
    assert_int_equal(inside(dir, "chain", &e), 0);
    assert_int_equal(inside(dir, "absolute", &e), 0);
    static const char *const out[] = {"out", "out-by-chain", "etc", "neighbour", "loop", "dangling", "itself"};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        memset(&e, 0, sizeof e);
        assert_int_equal(inside(dir, out[i], &e), -1);
        assert_int_equal(e.code, ERR_IO);
    }
    assert_non_null(strstr((inside(dir, "out", &e), e.text), "link to a place outside the dump"));
    /* the folder itself may be reached through a link, and end in a slash */
    assert_int_equal(symlink("dump", path_in(root, "alias")), 0);
    assert_int_equal(inside(path_in(root, "alias"), "same", &e), 0);
    assert_int_equal(inside(path_in(root, "alias/"), "same", &e), 0);
    assert_int_equal(inside(path_in(root, "alias"), "out", &e), -1);
}

static void opens_in_held_folders(void **state)
{
    const char *root = scratch();
    struct err e = {0};
    (void)state;
    put_bytes(root, "h0/f", "h0", 2);
    put_bytes(root, "h1/f", "h1", 2);
    put_bytes(root, "h2/f", "h2", 2);
    held_folders_begin();
    for (int i = 0; i < 6; i++) { /* three in turn, of which two are kept */
        char dir[4] = {'h', (char)('0' + i % 3)}, got[2];
        struct file f;
        assert_int_equal(file_open_inside(&f, path_in(root, dir), "f", &e), 0);
        assert_int_equal(file_read(&f, 0, got, 2, &e), 0);
        assert_memory_equal(got, dir, 2);
        file_close(&f);
    }
    assert_int_equal(inside(path_in(root, "h2"), "../h1/f", &e), -1);
    assert_int_equal(unlink(path_in(root, "h2/f")), 0);
    assert_int_equal(inside(path_in(root, "h2"), "f", &e), -1);
    assert_int_equal(rmdir(path_in(root, "h2")), 0); /* replaced while it is held */
    put_bytes(root, "h2/f", "h2", 2);
    assert_int_equal(inside(path_in(root, "h2"), "f", &e), 0);
    held_folders_end();
    assert_int_equal(held_folder(path_in(root, "h2")), -1);
}

static void looks_at_what_is_there(void **state)
{
    const char *dir = scratch();
    char name[400];
    enum path_what what;
    struct err e = {0};
    (void)state;
    put_bytes(dir, "f", "1", 1);
    assert_int_equal(path_look(path_in(dir, "f"), &what, &e), 0);
    assert_int_equal(what, PATH_FILE);
    assert_int_equal(path_look(dir, &what, &e), 0);
    assert_int_equal(what, PATH_FOLDER);
    assert_int_equal(path_look("/dev/null", &what, &e), 0);
    assert_int_equal(what, PATH_OTHER);
    assert_int_equal(path_look(path_in(dir, "none"), &what, &e), 0);
    assert_int_equal(what, PATH_ABSENT);
    assert_int_equal(path_look(path_in(dir, "f/none"), &what, &e), 0);
    assert_int_equal(what, PATH_ABSENT);
    assert_int_equal(symlink("loop", path_in(dir, "loop")),
                     0); /* the system does not say: no answer is not "nothing" */
    assert_int_equal(path_look(path_in(dir, "loop"), &what, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(path_look(path_in(dir, name), &what, &e), -1);
}

static void paths(void **state)
{
    struct buf b = {0};
    (void)state;
    path_join(&b, "a", "b");
    assert_string_equal(b.p, "a/b");
    path_join(&b, "a/", "b");
    assert_string_equal(b.p, "a/b");
    path_join(&b, "", "b");
    assert_string_equal(b.p, "b");
    path_join(&b, "/", "b");
    assert_string_equal(b.p, "/b");
    buf_release(&b);
    assert_true(str_is(path_base(STR("a/b/c")), "c"));
    assert_true(str_is(path_base(STR("a/b//")), "b"));
    assert_true(str_is(path_base(STR("c")), "c"));
    assert_true(str_is(path_parent(STR("a/b/c/")), "a/b"));
    assert_true(str_is(path_parent(STR("c")), ""));
    assert_true(str_is(path_parent(STR("/c")), "/"));
    assert_true(str_is(path_parent(STR("a//c")), "a"));
    assert_true(path_is_dir("/"));
    assert_false(path_is_file("/"));
    assert_false(path_is_dir("/nowhere"));
}

static void names_in_counting_order(void **state)
{
    static const char *const order[] = {"a", "rank1", "rank1a", "rank2", "rank10", "rank10b2", "rank10b11",
                                        "rank20", "rankA", "step0", "step3", "step12"};
    (void)state;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
            int c = name_cmp(order[i], order[k]);
            assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
        }
    assert_int_equal(name_cmp("rank007", "rank7"), 0);
    assert_true(name_cmp("rank007", "rank8") < 0);
    assert_true(name_cmp("x99999999999999999999998", "x99999999999999999999999") < 0);
    assert_true(name_cmp("", "a") < 0);
    assert_int_equal(name_cmp("", ""), 0);
    assert_true(name_cmp("a0", "a") > 0);
    assert_true(name_cmp("\x7f", "\xc3") < 0); /* bytes, not chars with a sign */
}

static void lists_folders(void **state)
{
    const char *dir = scratch();
    name_list names = {0};
    struct err e = {0};
    (void)state;
    put_bytes(dir, "rank10", "", 0);
    put_bytes(dir, "rank2", "", 0);
    put_bytes(dir, ".hidden", "", 0);
    put_bytes(dir, "rank02", "", 0);
    assert_int_equal(dir_list(dir, 4, &names, &e), 0);
    assert_int_equal(names.n, 4);
    assert_string_equal(names.v[0], ".hidden");
    assert_string_equal(names.v[1], "rank02");
    assert_string_equal(names.v[2], "rank2");
    assert_string_equal(names.v[3], "rank10");
    name_list_release(&names);
    assert_int_equal(dir_list(dir, 3, &names, &e), -1);
    assert_int_equal(e.code, ERR_DATA);
    name_list_release(&names);
    assert_int_equal(dir_list(path_in(dir, "none"), 3, &names, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_int_equal(names.n, 0);
}

static void keeps_what_failed(void **state)
{
    const char *dir = scratch();
    read_failures all = {0};
    struct file f;
    struct err e = {0};
    char got[16];
    (void)state;
    read_failures_keep(&all);
    assert_int_equal(file_open(&f, path_in(dir, "missing"), &e), -1);
    assert_int_equal(all.n, 0); /* nothing there is no failure */
    put_bytes(dir, "f", "0123456789", 10);
    assert_int_equal(file_open(&f, path_in(dir, "f"), &e), 0);
    assert_int_equal(file_read_some(&f, 8, got, 16, &e), 2);
    assert_int_equal(all.n, 0); /* nor is its end */
    assert_int_equal(truncate(path_in(dir, "f"), 5), 0);
    bool before = read_failures_unimportant(true);
    assert_int_equal(file_read_some(&f, 0, got, 10, &e), 5);
    assert_int_equal(all.n, 0);
    read_failures_unimportant(before);
    assert_int_equal(file_read_some(&f, 0, got, 10, &e), 5);
    assert_int_equal(all.n, 1);
    assert_non_null(strstr(all.v[0].text, "byte 5: end of file"));
    assert_true(all.v[0].opened);
    file_close(&f);
    assert_int_equal(symlink("nothing", path_in(dir, "link")), 0);
    assert_false(path_is_file(path_in(dir, "link")));
    assert_int_equal(all.n, 2);
    assert_false(all.v[1].opened);
    read_failures_printed(str_of(all.v[1].text));
    assert_false(all.v[0].said);
    assert_true(all.v[1].said);
    read_failures_keep(NULL);
    read_failures_release(&all);
}

/* Of what one run reads there is one state: who opens a file that was longer before learns it, though it reads all of
 * it. */
static void notices_a_file_cut_between_readers(void **state)
{
    const char *dir = scratch();
    read_failures all = {0};
    struct file f;
    struct err e = {0};
    (void)state;
    put_bytes(dir, "log", "0123456789", 10);
    read_failures_keep(&all);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(file_open(&f, path_in(dir, "log"), &e), 0);
        file_close(&f);
    }
    put_bytes(dir, "log", "0123456789 and more", 19); /* it may grow */
    assert_int_equal(file_open(&f, path_in(dir, "log"), &e), 0);
    file_close(&f);
    assert_int_equal(all.n, 0);
    assert_int_equal(truncate(path_in(dir, "log"), 5), 0);
    assert_int_equal(file_open(&f, path_in(dir, "log"), &e), 0);
    file_close(&f);
    assert_int_equal(all.n, 1);
    assert_non_null(strstr(all.v[0].text, "size 5 bytes, 10 when first opened"));
    read_failures_keep(NULL);
    read_failures_release(&all);
}

/* What its files are is not known of a folder that cannot be listed. */
static void notes_a_folder_without_a_stamp(void **state)
{
    const char *dir = scratch();
    read_failures all = {0};
    struct rlimit files;
    (void)state;
    put_bytes(dir, "f", "0123456789", 10);
    assert_int_equal(symlink("nothing", path_in(dir, "link")), 0);
    read_failures_keep(&all);
    assert_int_equal(file_stamp_of(dir).bytes, 10);
    assert_int_equal(file_stamp_of(path_in(dir, "f")).bytes, 10);
    assert_int_equal(all.n, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, files.rlim_max}), 0);
    assert_int_equal(file_stamp_of(dir).bytes, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(all.n, 1);
    read_failures_keep(NULL);
    read_failures_release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_by_position),
        cmocka_unit_test(opens_regular_files_only),
        cmocka_unit_test(slurps_up_to_a_limit),
        cmocka_unit_test(stays_inside),
        cmocka_unit_test(follows_links_that_stay),
        cmocka_unit_test(opens_in_held_folders),
        cmocka_unit_test(looks_at_what_is_there),
        cmocka_unit_test(paths),
        cmocka_unit_test(names_in_counting_order),
        cmocka_unit_test(lists_folders),
        cmocka_unit_test(keeps_what_failed),
        cmocka_unit_test(notices_a_file_cut_between_readers),
        cmocka_unit_test(notes_a_folder_without_a_stamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
