/* kernels [ELEMENTS]: one core, data in memory. How near the comparison of two arrays comes to just reading them, for
 * every variant this machine has and the types its kernels take directly, and some they do not. A line a measurement:
 *   read RATE                        GB/s, the fastest plain sum of any variant in the whole run
 *   TYPE VARIANT KIND RATE READ      GB/s of the same bytes compared, and of plain reading in the same rounds
 * KIND is what the numbers are like: close (every element differs a little), apart, equal, sparse (half of them zero).
 * Rates are the best of several rounds, all taken in turn in one run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "num/figures.h"

#define ROUNDS 7
#define LINE 64
#define DRAWN ((size_t)1 << 20)

enum kind { CLOSE, APART, EQUAL, SPARSE, KINDS };

static const char *const kind_name[KINDS] = {"close", "apart", "equal", "sparse"};
static const enum dtype type[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E5M2, DTYPE_I8, DTYPE_F64};

/* This thread's own time: somebody else's turn on the core is not counted. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static volatile double sink;
static uint64_t seed = 1;

static double draw(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) * 0x1p-53 - 0.5;
}

static uint16_t half_of(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    if (fabsf(v) < 0x1p-14f)
        return (uint16_t)((u >> 16 & 0x8000) | (unsigned)(fabsf(v) * 0x1p24f));
    return (uint16_t)((u >> 16 & 0x8000) | (((u >> 13) - (112u << 10)) & 0x7fff));
}

/* Cut off, not rounded. */
static void store(enum dtype d, void *to, size_t i, float v)
{
    uint32_t u;
    uint16_t h = half_of(v);
    double wide = (double)v;
    int8_t whole = (int8_t)(v * 100);
    memcpy(&u, &v, sizeof u);
    const uint16_t brain = (uint16_t)(u >> 16);
    const unsigned char e5m2 = (unsigned char)(h >> 8);
    const float size = fabsf(v) * 0x1p-120f; /* e4m3's exponents */
    memcpy(&u, &size, sizeof u);
    const unsigned char e4m3 = (unsigned char)((u >> 20 & 0x7f) | (v < 0 ? 0x80 : 0));
    const void *as[DTYPE_COUNT] = {[DTYPE_F64] = &wide,   [DTYPE_F32] = &v,       [DTYPE_F16] = &h,
                                   [DTYPE_BF16] = &brain, [DTYPE_F8E4M3] = &e4m3, [DTYPE_F8E5M2] = &e5m2,
                                   [DTYPE_I8] = &whole};
    memcpy((char *)to + dtype_table[d].size * i, as[d], dtype_table[d].size);
}

/* The first elements drawn, the others copies of them: drawing takes far longer than what is measured. */
static void fill(enum dtype d, enum kind kind, void *t, void *g, size_t n)
{
    float error = dtype_table[d].size >= 4 ? 1e-4f : dtype_table[d].size == 2 ? 1e-2f : 1e-1f;
    const size_t drawn = n < DRAWN ? n : DRAWN;
    for (size_t i = 0; i < drawn; i++) {
        float y = (float)draw(), x = y * (1 + error * (float)((int)(i % 7) - 3));
        if (kind == APART)
            x = (float)draw();
        if (kind == EQUAL)
            x = y;
        if (kind == SPARSE && draw() < 0)
            x = y = 0;
        store(d, t, i, x);
        store(d, g, i, y);
    }
    for (size_t i = drawn; i < n; i += drawn) {
        const size_t bytes = (n - i < drawn ? n - i : drawn) * dtype_table[d].size;
        memcpy((char *)t + i * dtype_table[d].size, t, bytes);
        memcpy((char *)g + i * dtype_table[d].size, g, bytes);
    }
}

static double read_rate(const float *t, const float *g, size_t n)
{
    double best = 0;
    const struct kern *k;
    for (size_t v = 0; (k = kern_nth(v)) && k != &kern_scalar; v++) {
        double at = now();
        sink = k->read(t, n) + k->read(g, n);
        double rate = (double)n * 8e-9 / (now() - at);
        best = rate > best ? rate : best;
    }
    return best;
}

static void *line_start(char *p)
{
    return p + (LINE - (uintptr_t)p % LINE) % LINE;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : (size_t)1 << 26;
    /* on lines of the cache, as PyTorch has them */
    void *t = line_start(mem_alloc(n * 4 + LINE)), *g = line_start(mem_alloc(n * 4 + LINE));
    double read = 0;
    const struct kern *k;
    for (size_t d = 0; d < ARRAY_LEN(type); d++)
        for (int kind = 0; kind < KINDS; kind++) {
            double best[8] = {0}, beside = 0;
            size_t count = n * 4 / dtype_table[type[d]].size; /* as many bytes of each type */
            fill(type[d], (enum kind)kind, t, g, count);
            for (int round = 0; round < ROUNDS; round++) {
                double r = read_rate(t, g, n);
                beside = r > beside ? r : beside;
                for (size_t v = 0; v < ARRAY_LEN(best) && (k = kern_nth(v)) && k != &kern_scalar; v++) {
                    struct figures f;
                    double at = now();
                    figures_memory(k, type[d], t, type[d], g, count, &f);
                    double rate = (double)n * 8e-9 / (now() - at);
                    best[v] = rate > best[v] ? rate : best[v];
                    sink = f.rel_l2;
                }
            }
            for (size_t v = 0; v < ARRAY_LEN(best) && (k = kern_nth(v)) && k != &kern_scalar; v++)
                printf("%s %s %s %.1f %.1f\n", dtype_table[type[d]].name, k->name, kind_name[kind], best[v], beside);
            read = beside > read ? beside : read;
        }
    printf("read %.1f\n", read);
    return 0;
}
