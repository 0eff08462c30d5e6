/* Tries reorderings of an array (axes exchanged, reversed, interleaved, shifted) and computes the residual of each. */
#include "diagnose/dense_block.h"

#include <math.h>
#include <stdlib.h>

#define PROBES 512        /* places at which an order is tried before all are */
#define FACTORS_MOST 4096 /* longer axes are not factorised */

bool dense_block_from(struct dense_block *b, const struct element_sample *s)
{
    *b = (struct dense_block){.n = s->n, .dev2 = s->dev2, .g2 = s->g2};
    for (int i = 0; i < s->ndim; i++) {
        if (s->shape[i] == 1)
            continue;
        if (b->ndim == DENSE_BLOCK_AXES)
            return false;
        b->axis[b->ndim] = i;
        b->shape[b->ndim++] = s->shape[i];
    }
    if (s->at || s->n < 3 || s->finite < s->n || !b->ndim)
        return false;
    for (int d = 0; d < 2; d++) {
        b->v[d] = mem_alloc(b->n * sizeof(double));
        memcpy(b->v[d], s->v[d], b->n * sizeof(double));
    }
    return true;
}

void dense_block_release(struct dense_block *b)
{
    free(b->v[0]);
    free(b->v[1]);
    *b = (struct dense_block){.n = 0};
}

static void block_strides(const struct dense_block *b, size_t out[DENSE_BLOCK_AXES])
{
    size_t n = 1;
    for (int i = b->ndim - 1; i >= 0; i--) {
        out[i] = n;
        n *= (size_t)b->shape[i];
    }
}

void dense_block_part(struct dense_block *out, const struct dense_block *b, const uint8_t *const in[DENSE_BLOCK_AXES])
{
    size_t step[DENSE_BLOCK_AXES];
    *out = *b;
    block_strides(b, step);
    out->n = 1;
    out->dev2 = out->g2 = 0;
    for (int a = 0; a < b->ndim; a++) {
        int64_t kept = 0;
        for (int64_t i = 0; in[a] && i < b->shape[a]; i++)
            kept += in[a][i];
        if (in[a])
            out->shape[a] = kept;
        out->n *= (size_t)out->shape[a];
    }
    for (int d = 0; d < 2; d++)
        out->v[d] = mem_alloc((out->n + 1) * sizeof(double));
    size_t to = 0;
    for (size_t i = 0; i < b->n; i++) {
        bool inside = true;
        for (int a = 0; a < b->ndim && inside; a++)
            inside = !in[a] || in[a][i / step[a] % (size_t)b->shape[a]];
        if (!inside)
            continue;
        for (int d = 0; d < 2; d++)
            out->v[d][to] = b->v[d][i];
        double e = b->v[0][i] - b->v[1][i];
        out->dev2 += e * e;
        out->g2 += b->v[1][i] * b->v[1][i];
        to++;
    }
}

/* The index on the golden side for element `i` of the target. */
static size_t golden_index(const struct dense_block *b, const size_t step[DENSE_BLOCK_AXES],
                           const struct dense_order *o, size_t i)
{
    size_t at = 0;
    if (o->kind == ORDER_AXES) {
        for (int a = 0; a < b->ndim; a++)
            at += i / step[a] % (size_t)b->shape[a] * step[o->perm[a]];
        return at;
    }
    size_t n = (size_t)b->shape[o->axis], here = i / step[o->axis] % n, there;
    if (o->kind == ORDER_FLIP) {
        there = n - 1 - here;
    } else { /* (y, x, z) in b × a × c is (x, y, z) in a × b × c */
        size_t p = (size_t)o->a, q = (size_t)o->b, c = (size_t)o->c;
        size_t z = here % c, x = here / c % p, y = here / c / p;
        there = (x * q + y) * c + z;
    }
    return i + (there - here) * step[o->axis];
}

/* Whether an order leaves at most `share`: first at some places, which most orders fail. */
static bool try_order(const struct dense_block *b, const size_t step[DENSE_BLOCK_AXES], struct dense_order *o,
                      double share)
{
    size_t stride = b->n / PROBES + 1;
    for (int all = 0; all < 2; all++) {
        double left = 0, dev = 0;
        for (size_t i = 0; i < b->n; i += all ? 1 : stride) {
            double d = b->v[0][i] - b->v[1][golden_index(b, step, o, i)], e = b->v[0][i] - b->v[1][i];
            left += d * d;
            dev += e * e;
        }
        o->left2 = left;
        if (left > (all ? share : 4 * share) * dev)
            return false;
    }
    return true;
}

static void keep_order(const struct dense_block *b, const size_t step[DENSE_BLOCK_AXES], struct dense_order *o,
                       double *share, struct dense_order *best)
{
    if (!try_order(b, step, o, *share) || (best->kind && o->left2 >= best->left2))
        return;
    *best = *o;
}

/* Permutes only axes of equal length, so that the shape stays. */
static void try_axes(const struct dense_block *b, const size_t step[DENSE_BLOCK_AXES], int at, unsigned used,
                     struct dense_order *o, double *share,
                     struct dense_order *best)
{
    if (at == b->ndim) {
        bool moved = false;
        for (int a = 0; a < b->ndim; a++)
            moved = moved || o->perm[a] != a;
        if (moved)
            keep_order(b, step, o, share, best);
        return;
    }
    for (int a = 0; a < b->ndim; a++)
        if (!(used & 1u << a) && b->shape[a] == b->shape[at]) {
            o->perm[at] = a;
            try_axes(b, step, at + 1, used | 1u << a, o, share, best);
        }
}

bool dense_block_order(const struct dense_block *b, double share, struct dense_order *out)
{
    size_t step[DENSE_BLOCK_AXES];
    struct dense_order o = {.kind = ORDER_AXES};
    *out = (struct dense_order){.kind = ORDER_NONE};
    if (!(b->dev2 > 0))
        return false;
    block_strides(b, step);
    try_axes(b, step, 0, 0, &o, &share, out);
    for (int a = 0; a < b->ndim; a++) {
        int64_t n = b->shape[a];
        o = (struct dense_order){.kind = ORDER_FLIP, .axis = a};
        keep_order(b, step, &o, &share, out);
        for (int64_t p = 2; n <= FACTORS_MOST && p <= n / 2; p++)
            for (int64_t q = 2; n % p == 0 && q <= n / p; q++) {
                if (n / p % q)
                    continue;
                o = (struct dense_order){.kind = ORDER_INTERLEAVED, .axis = a, .a = p, .b = q, .c = n / p / q};
                keep_order(b, step, &o, &share, out);
            }
    }
    return out->kind != ORDER_NONE;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool dense_block_same_values(const struct dense_block *b)
{
    double *v[2], diff = 0;
    size_t distinct = 1, run = 1, longest = 1;
    for (int d = 0; d < 2; d++) {
        v[d] = mem_alloc((b->n + 1) * sizeof(double));
        memcpy(v[d], b->v[d], b->n * sizeof(double));
        qsort(v[d], b->n, sizeof(double), by_value);
    }
    for (size_t i = 0; i < b->n; i++) {
        diff += (v[0][i] - v[1][i]) * (v[0][i] - v[1][i]);
        if (!i)
            continue;
        run = v[1][i] != v[1][i - 1] ? 1 : run + 1;
        distinct += run == 1;
        longest = run > longest ? run : longest;
    }
    free(v[0]);
    free(v[1]);
    /* two sorted samples of one distribution are also close, like 1/√n: require a much smaller difference */
    double most = fmin(0.01, 0.05 / sqrt((double)b->n));
    return b->n >= 8 && distinct >= 4 && distinct * 4 >= b->n - longest && longest * 2 <= b->n && b->g2 > 0 &&
           sqrt(diff / b->g2) <= most && diff <= 1e-4 * b->dev2;
}

/* Σ(x − mean)² of n values with sum s1 and sum of squares s2. */
static double spread_of(double s1, double s2, double n)
{
    return n > 0 ? fmax(0, s2 - s1 * s1 / n) : 0;
}

bool dense_block_shift(const struct dense_block *b, int axis, int64_t by, double *share)
{
    size_t step[DENSE_BLOCK_AXES];
    double left = 0, dev = 0, t1 = 0, t2 = 0, g1 = 0, g2 = 0, n = 0, all1 = 0, all2 = 0;
    block_strides(b, step);
    for (size_t i = 0; i < b->n; i++) {
        int64_t at = (int64_t)(i / step[axis] % (size_t)b->shape[axis]) - by;
        all1 += b->v[1][i];
        all2 += b->v[1][i] * b->v[1][i];
        if (at < 0 || at >= b->shape[axis])
            continue;
        double t = b->v[0][i], g = b->v[1][(size_t)((int64_t)i - by * (int64_t)step[axis])], plain = t - b->v[1][i];
        left += (t - g) * (t - g);
        dev += plain * plain;
        t1 += t;
        t2 += t * t;
        g1 += g;
        g2 += g * g;
        n++;
    }
    *share = dev > 0 ? left / dev : 1;
    /* a constant agrees with any shift of itself */
    double varies = 0.2 * spread_of(all1, all2, (double)b->n);
    return dev >= 0.2 * b->dev2 && g2 >= 0.2 * b->g2 && t2 >= 0.2 * b->g2 && varies > 0 &&
           spread_of(t1, t2, n) >= varies && spread_of(g1, g2, n) >= varies;
}

/* Where the `i`-th element of a column begins: columns lie `step` apart and repeat after `length` of them. */
static size_t column_place(size_t i, size_t step, size_t length)
{
    return i / step * step * length + i % step;
}

/* The golden column that equals this target column or its negative; -1. A column is left as soon as it differs. */
static int64_t signed_partner(const struct dense_block *b, size_t step, int axis, int64_t column, double *sign)
{
    size_t length = (size_t)b->shape[axis], n = b->n / length;
    int64_t best = -1;
    double least, own = 0;
    for (size_t i = 0; i < n; i++) {
        double t = b->v[0][column_place(i, step, length) + (size_t)column * step];
        own += t * t;
    }
    least = 1e-8 * own;
    for (size_t c = 0; c < length; c++) {
        double plus = 0, minus = 0;
        for (size_t i = 0; i < n && fmin(plus, minus) <= least; i++) {
            size_t at = column_place(i, step, length);
            double t = b->v[0][at + (size_t)column * step], g = b->v[1][at + c * step];
            plus += (t - g) * (t - g);
            minus += (t + g) * (t + g);
        }
        if (fmin(plus, minus) <= least && (best < 0 || fmin(plus, minus) < least)) {
            least = fmin(plus, minus);
            best = (int64_t)c;
            *sign = plus <= minus ? 1 : -1;
        }
    }
    return best;
}

bool block_signed_order(const struct dense_block *b, int axis, int64_t *from, double *sign)
{
    size_t step[DENSE_BLOCK_AXES];
    bool plus = false, minus = false;
    int64_t length = b->shape[axis];
    if (length < 4 || length > SIGNED_MOST || b->n / (size_t)length < 4)
        return false;
    block_strides(b, step);
    for (int64_t c = 0; c < length; c++) {
        from[c] = signed_partner(b, step[axis], axis, c, &sign[c]);
        if (from[c] < 0)
            return false;
        plus = plus || sign[c] > 0;
        minus = minus || sign[c] < 0;
    }
    return plus && minus;
}
