/* Sizes of memory: what the system allows, what this process holds. */
#include "base/memory.h"

#include <stdatomic.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/cgroup.h"
#include "base/msg.h"
#include "base/num.h"

static _Atomic uint64_t bound;

bool memory_size(struct str text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    unsigned long long n;
    int shift = 0;
    if (text.n > 1 && (text.p[text.n - 1] == 'B' || text.p[text.n - 1] == 'b'))
        text.n--;
    for (int i = 0; text.n && units[i]; i++)
        if ((text.p[text.n - 1] & ~0x20) == units[i])
            shift = 10 * (i + 1);
    text.n -= shift > 0;
    if (!str_u64(text, &n) || !n || n > UINT64_MAX >> (shift + 2))
        return false;
    *bytes = (uint64_t)n << shift;
    return true;
}

/* Of version 2, else of version 1, whose "none" is close to the largest number. */
static uint64_t limit_of(const char *folder)
{
    struct buf text = {0};
    unsigned long long n = 0;
    bool there = cgroup_file(folder, "memory.max", &text) || cgroup_file(folder, "memory.limit_in_bytes", &text);
    if (!there || !str_u64(str_trim(buf_view(&text)), &n) || n >= UINT64_MAX >> 2)
        n = 0;
    buf_release(&text);
    return n;
}

uint64_t memory_limit(struct str list, const char *root)
{
    return cgroup_least(list, root, "memory", limit_of);
}

uint64_t memory_allowed(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0,
             least = cgroup_own_least("memory", limit_of);
    return !all || (least && least < all) ? least : all;
}

void memory_bound_set(uint64_t bytes)
{
    atomic_store(&bound, bytes);
}

/* Resident; 0 if the system does not tell. */
static uint64_t resident_bytes(void)
{
    struct buf text = {0};
    struct str all, resident, rest;
    unsigned long long pages = 0;
    if (cgroup_file("/proc/self", "statm", &text)) {
        str_split(buf_view(&text), ' ', &all, &rest);
        resident = str_next(&rest, ' ');
        if (!str_u64(resident, &pages))
            pages = 0;
    }
    buf_release(&text);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t memory_left(void)
{
    uint64_t most = atomic_load(&bound);
    if (!most)
        return UINT64_MAX;
    uint64_t now = resident_bytes();
#ifdef __GLIBC__
    if (now >= most && malloc_trim(0)) /* what was freed may still be the process's */
        now = resident_bytes();
#endif
    return now < most ? most - now : 0;
}

int memory_short(struct err *e, const char *of)
{
    char n[NUM_MAX];
    return err_set(e, ERR_RESOURCE, _("%s: more memory is needed than the limit of %s; --memory SIZE sets the "
                                          "limit"), of, num_bytes(n, atomic_load(&bound)));
}
