/* Sums with signs from a hash of each element's index. */
#include "num/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096

/* splitmix64's finalizer */
static uint64_t splitmix64_finalizer(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void sketch_add(const double *x, uint64_t from, size_t n, double sum[SKETCH_SUMS])
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = splitmix64_finalizer(from + i);
        for (int j = 0; j < SKETCH_SUMS; j++)
            sum[j] += bits >> j & 1 ? x[i] : -x[i];
    }
}

/* Sets fills to 0; non-finite values stay. */
static void leave_out(double *x, size_t n, double fill, double out[SKETCH_NUMBERS])
{
    for (size_t i = 0; i < n; i++) {
        if (x[i] <= fill) {
            x[i] = 0;
            out[SKETCH_FILLS]++;
        }
        out[SKETCH_NORM] += x[i] * x[i];
    }
}

int sketch_tensor(const struct tensor *t, double fill, double out[SKETCH_NUMBERS], struct err *e)
{
    size_t size = dtype_table[t->dtype].size;
    bool ordered = size && dtype_table[t->dtype].klass != CLASS_COMPLEX;
    struct tensor_walk w;
    long got = 0;
    memset(out, 0, SKETCH_NUMBERS * sizeof *out);
    out[0] = ordered ? 0 : NAN;
    if (!ordered)
        return 0;
    unsigned char *raw = mem_alloc(BLOCK * size);
    double *x = mem_alloc(BLOCK * sizeof *x);
    tensor_walk_init(&w, t);
    for (uint64_t at = 0; at < t->numel; at += (uint64_t)got) {
        got = tensor_walk_next(&w, raw, BLOCK, e);
        if (got <= 0)
            break;
        dtype_to_f64(t->dtype, raw, (size_t)got, x);
        leave_out(x, (size_t)got, fill, out);
        sketch_add(x, at, (size_t)got, out);
    }
    tensor_walk_release(&w);
    free(raw);
    free(x);
    out[SKETCH_NORM] = sqrt(out[SKETCH_NORM]);
    for (int j = 0; j < SKETCH_NUMBERS; j++)
        if (!isfinite(out[j]))
            out[0] = NAN; /* NaN in the first number marks it */
    return got < 0 ? -1 : 0;
}

double sketch_distance(const double *a, const double *b)
{
    double off = 0, most = 0, norm = b[SKETCH_NORM];
    for (int j = 0; j < SKETCH_SUMS; j++)
        most = fabs(a[j] - b[j]) > most ? fabs(a[j] - b[j]) : most;
    if (isnan(a[0]) || isnan(b[0]) || !isfinite(most) || a[SKETCH_FILLS] != b[SKETCH_FILLS])
        return NAN;
    if (most == 0)
        return 0;
    for (int j = 0; j < SKETCH_SUMS; j++) {
        double x = (a[j] - b[j]) / most; /* squares of large numbers would overflow */
        off += x * x;
    }
    return norm > 0 ? most * sqrt(off / SKETCH_SUMS) / norm : INFINITY;
}
