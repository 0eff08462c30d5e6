/* Reads the affinity from the system and the quota from cgroup files; anything unreadable sets no limit. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

#include "base/cgroup.h"

#define MOST_PROCESSORS 65536 /* the largest affinity mask requested */

/* A quota "200000 100000" (microseconds per period), rounded up; "max …" and -1 mean no limit. 0: none. */
static uint64_t rounded_up(struct str quota, struct str period)
{
    unsigned long long q, p;
    if (!str_u64(str_trim(quota), &q) || !str_u64(str_trim(period), &p) || !q || !p || q / p >= MOST_PROCESSORS)
        return 0;
    return (q + p - 1) / p;
}

static uint64_t quota_of(const char *folder)
{
    struct buf quota = {0}, period = {0};
    struct str first, rest;
    uint64_t n = 0;
    if (cgroup_file(folder, "cpu.max", &quota)) {
        str_split(buf_view(&quota), ' ', &first, &rest);
        n = rounded_up(first, rest);
    } else if (cgroup_file(folder, "cpu.cfs_quota_us", &quota) && cgroup_file(folder, "cpu.cfs_period_us", &period)) {
        n = rounded_up(buf_view(&quota), buf_view(&period));
    }
    buf_release(&quota);
    buf_release(&period);
    return n;
}

int processors_quota(struct str list, const char *root)
{
    return (int)cgroup_least(list, root, "cpu", quota_of);
}

/* 0 if the system does not report it. */
static int by_affinity(void)
{
    cpu_set_t *set = CPU_ALLOC(MOST_PROCESSORS);
    size_t size = CPU_ALLOC_SIZE(MOST_PROCESSORS);
    int n = set && sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    if (set)
        CPU_FREE(set);
    return n;
}

int processors_usable(void)
{
    int n = by_affinity();
    if (n < 1)
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int quota = (int)cgroup_own_least("cpu", quota_of);
    n = quota && quota < n ? quota : n;
    return n < 1 ? 1 : n;
}
