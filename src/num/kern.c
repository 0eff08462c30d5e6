#include "num/kern.h"

#include <string.h>

#if defined(__x86_64__)
extern const struct kern kern_avx2, kern_avx512;
#endif

const struct kern *kern_select(const char *force)
{
    const struct kern *found[3];
    int n = 0;
#if defined(__x86_64__)
    /* the compiler's run-time check also asks whether the system saves the wide registers */
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        found[n++] = &kern_avx512;
    if (__builtin_cpu_supports("avx2"))
        found[n++] = &kern_avx2;
#endif
    found[n++] = &kern_generic; /* aarch64: its baseline has NEON, so this is the NEON variant */
    if (!force || !*force)
        return found[0];
    for (int i = 0; i < n; i++)
        if (strcmp(found[i]->name, force) == 0 || (!strcmp(force, "scalar") && i == n - 1))
            return found[i];
    return NULL;
}
