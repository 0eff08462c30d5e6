/* The one writer: whole or not at all, with the permissions and links of what was there, and nothing left beside it. */
#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_write.h"

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void replaces_whole(void **state)
{
    const char *dir = scratch(), *path = path_in(dir, "f");
    struct err e = {0};
    struct file old;
    char seen[8] = "";
    (void)state;
    assert_int_equal(file_replace(path, STR("first"), &e), 0);
    assert_int_equal(file_open(&old, path, &e), 0);
    assert_int_equal(file_replace(path, STR("second, longer"), &e), 0);
    assert_int_equal(file_read_some(&old, 0, seen, sizeof seen, &e), 5); /* who had it open keeps the old one */
    assert_memory_equal(seen, "first", 5);
    file_close(&old);
    check_content(path, "second, longer");
    assert_int_equal(file_replace(path, (struct str){NULL, 0}, &e), 0);
    check_content(path, "");
    assert_int_equal(entries(dir), 1); /* nothing beside it stays */
}

static void appears_only_at_the_end(void **state)
{
    const char *dir = scratch(), *path = path_in(dir, "f");
    struct file_write w;
    struct err e = {0};
    (void)state;
    assert_int_equal(file_write_begin(&w, path, &e), 0);
    assert_int_equal(file_write_add(&w, STR("half"), &e), 0);
    assert_false(path_is_file(path));
    file_write_drop(&w);
    file_write_drop(&w);
    assert_int_equal(entries(dir), 0);
    assert_int_equal(file_write_begin(&w, path, &e), 0);
    assert_int_equal(file_write_add(&w, STR("whole"), &e), 0);
    assert_int_equal(file_write_end(&w, &e), 0);
    check_content(path, "whole");
}

/* What another program put where ours would have its name stays, and so does what it leads to. */
static void leaves_what_is_not_its_own(void **state)
{
    const char *dir = scratch();
    char name[100];
    struct err e = {0};
    (void)state;
    put_bytes(dir, "precious", "kept", 4);
    snprintf(name, sizeof name, "f.tmp%ld", (long)getpid());
    assert_int_equal(symlink("precious", path_in(dir, name)), 0);
    assert_int_equal(file_replace(path_in(dir, "f"), STR("text"), &e), 0);
    check_content(path_in(dir, "precious"), "kept");
    check_content(path_in(dir, "f"), "text");
    assert_int_equal(entries(dir), 3);
}

static void keeps_permissions(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0664, 0755};
    const char *dir = scratch(), *path = path_in(dir, "f");
    struct err e = {0};
    (void)state;
    put_bytes(dir, "f", "old", 3);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        chmod(path, modes[i]);
        assert_int_equal(file_replace(path, STR("new"), &e), 0);
        assert_int_equal(mode_of(path), modes[i]);
    }
    mode_t was = umask(027);
    assert_int_equal(file_replace(path_in(dir, "fresh"), STR("new"), &e), 0);
    umask(was);
    assert_int_equal(mode_of(path_in(dir, "fresh")), 0640);
}

static void keeps_the_owner_where_it_may(void **state)
{
    const char *dir = scratch(), *path = path_in(dir, "f");
    struct err e = {0};
    struct stat st;
    (void)state;
    if (geteuid() != 0)
        skip();
    put_bytes(dir, "f", "old", 3);
    assert_int_equal(chown(path, 12345, 23456), 0);
    assert_int_equal(file_replace(path, STR("new"), &e), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_uid, 12345);
    assert_int_equal(st.st_gid, 23456);
}

static void writes_where_links_lead(void **state)
{
    const char *dir = scratch();
    struct err e = {0};
    struct stat st;
    (void)state;
    put_bytes(dir, "real/file", "old", 3);
    mkdir(path_in(dir, "links"), 0755);
    assert_int_equal(symlink("../real/file", path_in(dir, "links/one")), 0);
    assert_int_equal(symlink(path_in(dir, "links/one"), path_in(dir, "two")), 0);
    assert_int_equal(symlink("real/to-be", path_in(dir, "new")), 0);
    assert_int_equal(file_replace(path_in(dir, "two"), STR("by links"), &e), 0);
    check_content(path_in(dir, "real/file"), "by links");
    assert_int_equal(file_replace(path_in(dir, "new"), STR("there now"), &e), 0);
    check_content(path_in(dir, "real/to-be"), "there now");
    assert_int_equal(lstat(path_in(dir, "two"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(path_in(dir, "links/one"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink("round", path_in(dir, "round")), 0);
    assert_int_equal(file_replace(path_in(dir, "round"), STR("x"), &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_int_equal(entries(path_in(dir, "real")), 2);
}

/* A device is written into, never replaced. */
static void writes_into_devices(void **state)
{
    struct err e = {0};
    struct stat st;
    (void)state;
    assert_int_equal(file_replace("/dev/null", STR("gone"), &e), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(file_replace("/dev/full", STR("gone"), &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
}

static void a_failure_leaves_the_old_file(void **state)
{
    const char *dir = scratch();
    struct err e = {0};
    (void)state;
    put_bytes(dir, "f/x", "1", 1); /* a folder in the place */
    assert_int_equal(file_replace(path_in(dir, "f"), STR("text"), &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_int_equal(entries(dir), 1);
    memset(&e, 0, sizeof e);
    assert_int_equal(file_replace(path_in(dir, "no/such/folder"), STR("text"), &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_non_null(strstr(e.text, "no/such/folder"));
}

static void a_file_size_limit(void **state)
{
    const char *dir = scratch(), *path = path_in(dir, "f");
    struct err e = {0};
    struct rlimit was, small;
    char many[5000];
    (void)state;
    memset(many, 'x', sizeof many);
    put_bytes(dir, "f", "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = file_replace(path, str_n(many, sizeof many), &e);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(rc, -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    check_content(path, "old");
    assert_int_equal(entries(dir), 1);
}

/* What may not be written is not replaced behind its owner's back. */
static void a_protected_file(void **state)
{
    const char *dir = scratch(), *path = path_in(dir, "f");
    (void)state;
    put_bytes(dir, "f", "old", 3);
    chmod(path, 0444);
    chmod(dir, 0777);
    pid_t pid = fork();
    if (pid == 0) {
        struct err e = {0};
        bool other = geteuid() != 0 || setuid(65534) == 0; /* root may write anything */
        _exit(other && file_replace(path, STR("new"), &e) == 0);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    check_content(path, "old");
    assert_int_equal(entries(dir), 1);
}

/* Killed at the worst moment: the next one clears up. What a living writer has is not touched. */
static void clears_what_the_dead_left(void **state)
{
    const char *dir = scratch(), *path = path_in(dir, "f");
    struct err e = {0};
    struct file_write w;
    (void)state;
    put_bytes(dir, "f.tmp4000001", "half", 4);
    put_bytes(dir, "f.tmp4000001-1", "half", 4);
    put_bytes(dir, "f.tmp", "somebody's", 10);
    put_bytes(dir, "f.tmpfile", "somebody's", 10);
    put_bytes(dir, "of.tmp4000001", "another's", 9);
    put_bytes(dir, "f.tmp4000002", "being written", 13);
    int fd = open(path_in(dir, "f.tmp4000002"), O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(file_replace(path, STR("text"), &e), 0);
    assert_int_equal(entries(dir), 5);
    assert_true(path_is_file(path_in(dir, "f.tmp4000002")));
    close(fd);
    assert_int_equal(file_replace(path, STR("text"), &e), 0);
    assert_int_equal(entries(dir), 4);
    pid_t pid = fork();
    if (pid == 0) {
        file_write_begin(&w, path, &e);
        file_write_add(&w, STR("half"), &e);
        kill(getpid(), SIGKILL);
    }
    waitpid(pid, NULL, 0);
    check_content(path, "text");
    assert_int_equal(file_replace(path, STR("more"), &e), 0);
    assert_int_equal(entries(dir), 4);
}

/* Two write at once: one after the other is there, whole. */
static void two_at_once(void **state)
{
    const char *dir = scratch(), *path = path_in(dir, "f");
    struct file_write a, b;
    struct err e = {0};
    (void)state;
    assert_int_equal(file_write_begin(&a, path, &e), 0);
    assert_int_equal(file_write_begin(&b, path, &e), 0);
    assert_int_equal(file_write_add(&a, STR("first"), &e), 0);
    assert_int_equal(file_write_add(&b, STR("second"), &e), 0);
    assert_int_equal(file_write_end(&a, &e), 0);
    check_content(path, "first");
    assert_int_equal(file_write_end(&b, &e), 0);
    check_content(path, "second");
    assert_int_equal(entries(dir), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_whole),
        cmocka_unit_test(appears_only_at_the_end),
        cmocka_unit_test(leaves_what_is_not_its_own),
        cmocka_unit_test(keeps_permissions),
        cmocka_unit_test(keeps_the_owner_where_it_may),
        cmocka_unit_test(writes_where_links_lead),
        cmocka_unit_test(writes_into_devices),
        cmocka_unit_test(a_failure_leaves_the_old_file),
        cmocka_unit_test(a_file_size_limit),
        cmocka_unit_test(a_protected_file),
        cmocka_unit_test(clears_what_the_dead_left),
        cmocka_unit_test(two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
