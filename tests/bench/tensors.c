/* tensors DIR MEGABYTES [VARIANT]: two float32 files of that size, written to DIR and so in the page cache, compared
 * on all cores as the program compares them. Prints "GB/s SECONDS", the best of several rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "num/figures.h"

struct task {
    const struct kern *k;
    struct tensor side[2];
    struct figures f;
    struct figures_watch watch;
    struct err e;
    int rc;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int write_side(struct tensor *t, const char *dir, int side, size_t n, struct err *e)
{
    enum { PART = 1 << 18 };
    struct buf path = {0};
    float *x = mem_alloc(PART * sizeof *x);
    uint64_t seed = 1;
    buf_fmt(&path, "%s/tensor%d", dir, side);
    FILE *f = fopen(path.p, "wb");
    for (size_t at = 0; f && at < n; at += PART) {
        for (size_t i = 0; i < PART; i++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            x[i] = (float)((double)(seed >> 11) * 0x1p-53 - 0.5) * (side ? 1 + 1e-4f * (float)(i % 7) : 1);
        }
        fwrite(x, sizeof *x, n - at < PART ? n - at : PART, f);
    }
    int rc = !f || fclose(f) ? err_system(e, path.p) : 0;
    *t = (struct tensor){.dtype = DTYPE_F32, .ndim = 1, .shape = {(int64_t)n}};
    if (rc == 0 && (tensor_pack(t, path.p, e) || file_open(&t->file, path.p, e)))
        rc = -1;
    unlink(path.p);
    buf_release(&path);
    free(x);
    return rc;
}

static void work(void *ctx, size_t i)
{
    struct task *x = ctx;
    if (i == 0)
        x->rc = figures_two(x->k, &x->side[0], &x->side[1], &x->f, &x->watch, &x->e);
}

int main(int argc, char **argv)
{
    static struct task x;
    double best = 1e9;
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) * 250000 : 0;
    x.k = kern_select(argc > 3 ? argv[3] : NULL);
    if (!n || !x.k || write_side(&x.side[0], argv[1], 0, n, &x.e) || write_side(&x.side[1], argv[1], 1, n, &x.e)) {
        fprintf(stderr, "%s\n", x.e.text);
        return 2;
    }
    for (int round = 0; round < 5 && x.rc == 0; round++) {
        double at = now();
        figures_each(&x.watch, threads_wanted(0), (size_t)threads_wanted(0), work, &x);
        best = now() - at < best ? now() - at : best;
    }
    printf("%.2f %.4f\n", (double)n * 8e-9 / best, best);
    tensor_close(&x.side[0]);
    tensor_close(&x.side[1]);
    return x.rc ? 1 : 0;
}
