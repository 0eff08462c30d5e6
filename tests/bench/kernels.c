/* kernels: one core, data in memory. How near the comparison of two float arrays comes to just reading
 * them, for every variant this machine has; conversions of the 16-bit types likewise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "num/figures.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static volatile double sink;

int main(int argc, char **argv)
{
    static const char *const names[] = {"generic", "avx2", "avx512"};
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : (size_t)1 << 26;
    float *t = mem_alloc(n * sizeof *t), *g = mem_alloc(n * sizeof *g);
    uint64_t s = 1;
    for (size_t i = 0; i < n; i++) {
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
        g[i] = (float)((double)(s >> 11) / 9007199254740992.0 - 0.5);
        t[i] = g[i] * (1 + 1e-4f * (float)((int)(i % 7) - 3));
    }
    double best_read = 0, gb = (double)n * 8 / 1e9;
    for (size_t v = 0; v < ARRAY_LEN(names); v++) {
        const struct kern *k = kern_select(names[v]);
        if (!k)
            continue;
        double read = 0, compare = 0;
        for (int round = 0; round < 5; round++) {
            double at = now();
            sink = k->read(t, n) + k->read(g, n);
            double r = gb / (now() - at);
            struct figures f;
            at = now();
            figures_floats(k, t, g, n, &f);
            double c = gb / (now() - at);
            sink = f.rel_l2;
            read = r > read ? r : read;
            compare = c > compare ? c : compare;
        }
        best_read = read > best_read ? read : best_read;
        printf("float32 %s: %.1f GB/s of %.1f read = %.0f %%\n", k->name, compare, read, 100 * compare / read);
    }
    return 0;
}
