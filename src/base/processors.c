/* Reads the affinity from the system, the quota from the files of cgroups; what cannot be read sets no limit. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

#include "base/io.h"

#define MOST_PROCESSORS 65536 /* the affinity of so many is asked for */
#define SMALL_FILE 65536      /* bytes of a cgroup file */

static bool read_small(const char *folder, const char *name, struct buf *out)
{
    struct buf path = {0};
    buf_clear(out);
    path_join(&path, folder, name);
    buf_reserve(out, SMALL_FILE);
    struct str got = file_head(path.p, out->p, SMALL_FILE); /* these files have bytes and a size of 0 */
    buf_release(&path);
    out->n = got.n;
    return got.p != NULL;
}

/* "200000 100000": microseconds in each period; "max …" and -1 are no limit. 0: none. */
static int rounded_up(struct str quota, struct str period)
{
    unsigned long long q, p;
    if (!str_u64(str_trim(quota), &q) || !str_u64(str_trim(period), &p) || !q || !p || q / p >= MOST_PROCESSORS)
        return 0;
    return (int)((q + p - 1) / p);
}

static int quota_of(const char *folder)
{
    struct buf quota = {0}, period = {0};
    struct str first, rest;
    int n = 0;
    if (read_small(folder, "cpu.max", &quota)) {
        str_split(buf_view(&quota), ' ', &first, &rest);
        n = rounded_up(first, rest);
    } else if (read_small(folder, "cpu.cfs_quota_us", &quota) && read_small(folder, "cpu.cfs_period_us", &period)) {
        n = rounded_up(buf_view(&quota), buf_view(&period));
    }
    buf_release(&quota);
    buf_release(&period);
    return n;
}

static int lesser(int a, int b)
{
    return !a || (b && b < a) ? b : a;
}

/* Of a group and all above it: in a container its path may be the host's, and only the root is there. */
static int least_quota(const char *root, struct str group)
{
    struct buf folder = {0};
    int least = 0;
    for (;;) {
        buf_clear(&folder);
        buf_cstr(&folder, root);
        buf_str(&folder, group);
        least = lesser(least, quota_of(folder.p));
        ptrdiff_t up = str_rfind(group, '/');
        if (up < 0)
            break;
        group = str_n(group.p, (size_t)up);
    }
    buf_release(&folder);
    return least;
}

static bool names_cpu(struct str controllers)
{
    struct str one;
    while (controllers.n) {
        str_split(controllers, ',', &one, &controllers);
        if (str_is(one, "cpu"))
            return true;
    }
    return false;
}

int processors_quota(struct str list, const char *root)
{
    struct str line, number, controllers, group;
    struct buf below = {0};
    int least = 0;
    while (list.n) {
        str_split(list, '\n', &line, &list);
        str_split(line, ':', &number, &group);
        str_split(group, ':', &controllers, &group);
        if (controllers.n && !names_cpu(controllers))
            continue;
        buf_clear(&below);
        buf_cstr(&below, root);
        buf_cstr(&below, controllers.n ? "/cpu" : "");
        least = lesser(least, least_quota(below.p, group));
    }
    buf_release(&below);
    return least;
}

/* 0 where the system does not tell. */
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
    struct buf list = {0};
    int n = by_affinity();
    if (n < 1)
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (read_small("/proc/self", "cgroup", &list))
        n = lesser(n, processors_quota(buf_view(&list), "/sys/fs/cgroup"));
    buf_release(&list);
    return n < 1 ? 1 : n;
}
