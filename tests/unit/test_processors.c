/* Processors this process may use: by affinity, and by the quota of cgroups of both versions. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>

#include "support.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/processors.h"
#include "base/threads.h"

static void quota_file(const char *root, const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s", root);
    for (const char *at = folder; *at;) { /* each folder on the way */
        size_t n = strcspn(at + 1, "/") + 1;
        snprintf(path + strlen(path), sizeof path - strlen(path), "%.*s", (int)n, at);
        mkdir(path, 0700);
        at += n;
    }
    put_text(path, name, text);
}

static void quota_of_version_2(void **state)
{
    const char *root = scratch();
    (void)state;
    assert_int_equal(processors_quota(STR("0::/\n"), root), 0);
    quota_file(root, "/job/step", "cpu.max", "max 100000\n");
    assert_int_equal(processors_quota(STR("0::/job/step\n"), root), 0);
    quota_file(root, "/job", "cpu.max", "400000 100000\n"); /* above the group itself */
    assert_int_equal(processors_quota(STR("0::/job/step\n"), root), 4);
    quota_file(root, "/job/step", "cpu.max", "150000 100000\n");
    assert_int_equal(processors_quota(STR("0::/job/step\n"), root), 2);
    assert_int_equal(processors_quota(STR("0::/not/there\n"), root), 0);
    quota_file(root, "", "cpu.max", "300000 100000"); /* a container's own group lies at the root */
    assert_int_equal(processors_quota(STR("0::/the/path/of/the/host\n"), root), 3);
    quota_file(root, "", "cpu.max", "nothing to read");
    assert_int_equal(processors_quota(STR("0::/the/path/of/the/host"), root), 0);
}

static void quota_of_version_1(void **state)
{
    const char *root = scratch(), *list = "9:name=systemd:/\n4:memory:/job\n3:cpuset:/job\n2:cpu,cpuacct:/job\n0::/\n";
    (void)state;
    quota_file(root, "/cpu/job", "cpu.cfs_period_us", "100000\n");
    quota_file(root, "/cpu/job", "cpu.cfs_quota_us", "-1\n");
    assert_int_equal(processors_quota(str_of(list), root), 0);
    quota_file(root, "/cpu/job", "cpu.cfs_quota_us", "250000\n");
    assert_int_equal(processors_quota(str_of(list), root), 3);
    quota_file(root, "/cpu/job", "cpu.cfs_period_us", "0\n");
    assert_int_equal(processors_quota(str_of(list), root), 0);
}

/* Files of cgroups have bytes and a size of 0, as the one this process's name stands in. */
static void quota_of_a_file_without_size(void **state)
{
    char path[700];
    const char *root = scratch();
    (void)state;
    snprintf(path, sizeof path, "%s/cpu.max", root);
    assert_int_equal(symlink("/proc/self/comm", path), 0);
    assert_int_equal(prctl(PR_SET_NAME, "250000 100000"), 0);
    assert_int_equal(processors_quota(STR("0::/\n"), root), 3);
}

static void affinity(void **state)
{
    cpu_set_t all, one;
    int first = 0;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_true(processors_usable() >= 1 && processors_usable() <= CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(processors_usable(), 1);
    assert_int_equal(threads_wanted(0), 1);
    assert_int_equal(threads_wanted(5), 5);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quota_of_version_2),
        cmocka_unit_test(quota_of_version_1),
        cmocka_unit_test(quota_of_a_file_without_size),
        cmocka_unit_test(affinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
