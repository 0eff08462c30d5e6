/* Chooses the kernel variant: the one requested by name, otherwise the fastest this machine can run. */
#include "num/kern.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"

#if defined(__x86_64__)
extern const struct kern kern_avx2, kern_avx512;
#endif
#if defined(__aarch64__)
extern const struct kern kern_neon;
#else
extern const struct kern kern_generic;
#endif

#if defined(__x86_64__)
/* The compiler's run-time check includes whether the system saves the wide registers; clang's does not know f16c. */
static bool machine_has_avx2(void)
{
    unsigned a, b, c, d;
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt") &&
           __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static bool machine_has_avx512(void)
{
    return machine_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vnni");
}
#endif

static bool always_runs(void)
{
    return true;
}

/* Best first. */
static const struct {
    const struct kern *kern;
    bool (*runs)(void);
} variants[] = {
#if defined(__x86_64__)
    {&kern_avx512, machine_has_avx512},
    {&kern_avx2, machine_has_avx2},
#endif
#if defined(__aarch64__)
    {&kern_neon, always}, /* part of every aarch64 */
#else
    {&kern_generic, always_runs},
#endif
    {&kern_scalar, always_runs},
};

const struct kern *kern_nth(size_t i)
{
    for (size_t v = 0; v < ARRAY_LEN(variants); v++)
        if (variants[v].runs() && i-- == 0)
            return variants[v].kern;
    return NULL;
}

const struct kern *kern_select(const char *force)
{
    const struct kern *k = kern_nth(0);
    for (size_t i = 1; force && *force && k && strcmp(k->name, force) != 0; i++)
        k = kern_nth(i);
    return k;
}

/* AMD's family 26 (Zen 5) wants data fetched far ahead. Elsewhere the machine's own prefetching does it better: told
 * where to fetch, family 25 (Zen 4) hardly overlapped memory and arithmetic (doc/speed.md). */
static size_t distance_of_machine(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (__get_cpuid(0, &a, &b, &c, &d) && c == signature_AMD_ecx && __get_cpuid(1, &a, &b, &c, &d) &&
        (a >> 8 & 15) + (a >> 20 & 255) == 26)
        return 8192;
#endif
    return 0;
}

static size_t prefetch_distance(void)
{
    static atomic_size_t known; /* one more, 0: not asked yet; asking takes microseconds in a virtual machine */
    size_t distance = atomic_load_explicit(&known, memory_order_relaxed);
    if (!distance)
        atomic_store_explicit(&known, distance = distance_of_machine() + 1, memory_order_relaxed);
    return distance - 1;
}

void kern_start(struct kern_sums *s, double limit_t, double limit_g)
{
    *s = (struct kern_sums){.side = {{.limit = (float)limit_t}, {.limit = (float)limit_g}},
                            .ahead = prefetch_distance()};
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < KERN_LANES; i++) {
            s->side[d].max[i] = -INFINITY;
            s->side[d].min[i] = INFINITY;
        }
}

void kern_bytes_start(struct kern_bytes *s, uint64_t first)
{
    *s = (struct kern_bytes){.n = first, .max = {INT_MIN, INT_MIN}, .min = {INT_MAX, INT_MAX}, .by = 1};
}
