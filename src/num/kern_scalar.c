/* The kernel in plain C, element by element: the reference for all other variants. */
#include "num/kern.h"

#include <math.h>
#include <stdlib.h>

#include "num/dtype.h"

#define SMALLEST 0x1p-126f

static const enum dtype dtype_of[KERN_WIDENED] = {
    [KERN_F32] = DTYPE_F32,
    [KERN_F16] = DTYPE_F16,
    [KERN_BF16] = DTYPE_BF16,
};

static size_t lane_of(enum kern_type type, size_t i)
{
    return (type >= KERN_BF16 ? i / 2 : i) % KERN_LANES;
}

/* Whether a sum of squares is exact enough: no overflow, and underflow is negligible. */
static bool is_sum_exact(float sum, float largest)
{
    return isfinite(sum) && (sum >= SMALLEST || largest == 0);
}

static bool side_block(struct kern_side *to, enum kern_type type, const float *x, size_t n)
{
    struct kern_side s = *to;
    float sum[KERN_LANES] = {0}, sq[KERN_LANES] = {0}, most[KERN_LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        size_t k = lane_of(type, i);
        float size = fabsf(x[i]);
        sum[k] += x[i];
        sq[k] = fmaf(x[i], x[i], sq[k]);
        most[k] = size > most[k] ? size : most[k];
        s.max[k] = x[i] > s.max[k] ? x[i] : s.max[k];
        s.min[k] = x[i] < s.min[k] ? x[i] : s.min[k];
        s.zero += size == 0;
        s.saturated += size >= s.limit;
    }
    for (size_t k = 0; k < KERN_LANES; k++) {
        s.sum[k] += (double)sum[k];
        s.sq[k] += (double)sq[k];
        if (!is_sum_exact(sq[k], most[k]))
            return false;
    }
    *to = s;
    return true;
}

static bool pair_block(struct kern_sums *s, enum kern_type type, const float *t, const float *g, size_t n)
{
    float dg[KERN_LANES] = {0}, se[KERN_LANES] = {0}, most[KERN_LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        size_t k = lane_of(type, i);
        float d = t[i] - g[i], e = fabsf(d), size = g[i] == 0 ? KERN_EPSILON : fabsf(g[i]), rel = e / size;
        dg[k] = fmaf(d, g[i], dg[k]);
        se[k] = fmaf(d, d, se[k]);
        most[k] = e > most[k] ? e : most[k];
        if (e > s->max_abs) {
            s->max_abs = e;
            s->max_abs_at = s->n + i;
        }
        s->max_rel[k] = rel > s->max_rel[k] ? rel : s->max_rel[k];
        s->n1 += (double)e / (double)size < 0.001;
        s->n5 += (double)e / (double)size < 0.005;
    }
    for (size_t k = 0; k < KERN_LANES; k++) {
        s->dg[k] += (double)dg[k];
        s->se[k] += (double)se[k];
        if (!is_sum_exact(se[k], most[k]) || !isfinite(dg[k]) || !isfinite(s->max_rel[k]))
            return false;
    }
    return true;
}

static void to_floats(const struct kern_sums *s, int side, enum kern_type type, const char *x, size_t at, size_t n,
                      float *out)
{
    if (type != KERN_F8) {
        dtype_to_f32(dtype_of[type], x + at * dtype_table[dtype_of[type]].size, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint16_t half = s->values[side][(unsigned char)x[at + i]];
        dtype_to_f32(DTYPE_BF16, &half, 1, &out[i]);
    }
}

/* g NULL: one side only. */
static size_t scalar_take_elements(struct kern_sums *to, enum kern_type type, const void *t, const void *g, size_t n)
{
    size_t at = 0;
    while (at < n) {
        size_t part = n - at < KERN_BLOCK ? n - at : KERN_BLOCK;
        struct kern_sums s = *to;
        float x[KERN_BLOCK], y[KERN_BLOCK];
        to_floats(to, 0, type, t, at, part, x);
        if (!side_block(&s.side[0], type, x, part))
            break;
        if (g) {
            to_floats(to, 1, type, g, at, part, y);
            if (!side_block(&s.side[1], type, y, part) || !pair_block(&s, type, x, y, part))
                break;
        }
        s.n += part;
        at += part;
        *to = s;
    }
    return at;
}

#define TAKERS(name, type)                                                                         \
    static size_t one_##name(struct kern_sums *s, const void *x, size_t n)                         \
    {                                                                                              \
        return scalar_take_elements(s, type, x, NULL, n);                                          \
    }                                                                                              \
    static size_t two_##name(struct kern_sums *s, const void *t, const void *g, size_t n)          \
    {                                                                                              \
        return scalar_take_elements(s, type, t, g, n);                                             \
    }

#define FOR_TYPE(name, type)                                                                       \
    TAKERS(name, type)                                                                             \
    static void widen_##name(const void *x, size_t n, float *out)                                  \
    {                                                                                              \
        dtype_to_f32(dtype_of[type], x, n, out);                                                   \
    }

FOR_TYPE(f32, KERN_F32)
FOR_TYPE(f16, KERN_F16)
FOR_TYPE(bf16, KERN_BF16)
TAKERS(f8, KERN_F8)

static void scalar_exact_one(struct kern_exact_side *s, const double *x, size_t n)
{
    double sum[KERN_EXACT] = {0}, sq[KERN_EXACT] = {0};
    for (size_t i = 0; i < n; i++) {
        size_t k = i % KERN_EXACT;
        double v = isfinite(x[i]) ? x[i] : 0;
        sum[k] += v;
        sq[k] += v * v;
        s->max[k] = x[i] > s->max[k] ? x[i] : s->max[k];
        s->min[k] = x[i] < s->min[k] ? x[i] : s->min[k];
        s->nan += isnan(x[i]);
        s->pos_inf += x[i] == INFINITY;
        s->neg_inf += x[i] == -INFINITY;
        s->zero += x[i] == 0;
        s->saturated += fabs(v) >= s->limit;
    }
    for (size_t k = 0; k < KERN_EXACT; k++) {
        s->sum[k] += sum[k];
        s->sq[k] += sq[k];
    }
}

static bool scalar_exact_two(struct kern_exact_side side[2], struct kern_exact_pair *p, const double *t,
                             const double *g, size_t n, double eps)
{
    scalar_exact_one(&side[0], t, n);
    scalar_exact_one(&side[1], g, n);
    double ds[KERN_EXACT] = {0}, se[KERN_EXACT] = {0};
    bool look = false;
    for (size_t i = 0; i < n; i++) {
        size_t k = i % KERN_EXACT;
        bool finite = isfinite(t[i]) && isfinite(g[i]);
        double x = finite ? t[i] : 0, y = finite ? g[i] : 0, d = x - y, e = fabs(d), rel = e / (y == 0 ? eps : fabs(y));
        look = look || e > p->max_abs[k] || (!finite && t[i] != g[i] && !(isnan(t[i]) && isnan(g[i])));
        ds[k] += d * (x + y);
        se[k] += d * d;
        p->max_abs[k] = e > p->max_abs[k] ? e : p->max_abs[k];
        p->max_rel[k] = rel > p->max_rel[k] ? rel : p->max_rel[k];
        p->n1 += rel < 0.001;
        p->n5 += rel < 0.005;
    }
    for (size_t k = 0; k < KERN_EXACT; k++) {
        p->ds[k] += ds[k];
        p->se[k] += se[k];
    }
    return look;
}

static int byte_at(const void *x, size_t i, bool is_signed)
{
    return is_signed ? ((const int8_t *)x)[i] : ((const uint8_t *)x)[i];
}

void kern_bytes_look(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed)
{
    for (size_t i = 0; i < n; i++) {
        int y = byte_at(g, i, is_signed);
        unsigned e = (unsigned)abs(byte_at(t, i, is_signed) - y), size = (unsigned)abs(y);
        if (e > s->max_abs) {
            s->max_abs = e;
            s->max_abs_at = s->n + i;
        }
        if (y && e * s->by > size * s->error) {
            s->error = e;
            s->by = size;
        }
    }
}

static void scalar_take_bytes(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed)
{
    for (size_t i = 0; i < n; i++) {
        const int v[2] = {byte_at(t, i, is_signed), byte_at(g, i, is_signed)};
        unsigned e = (unsigned)abs(v[0] - v[1]);
        for (int d = 0; d < 2; d++) {
            s->sum[d] += v[d];
            s->sq[d] += (uint64_t)(v[d] * v[d]);
            s->zero[d] += v[d] == 0;
            s->max[d] = v[d] > s->max[d] ? v[d] : s->max[d];
            s->min[d] = v[d] < s->min[d] ? v[d] : s->min[d];
        }
        s->se += e * e;
        s->same += e == 0;
        s->near += e && v[1] && (double)e / abs(v[1]) < 0.005;
        s->of_zero = v[1] == 0 && e > s->of_zero ? e : s->of_zero;
    }
    kern_bytes_look(s, t, g, n, is_signed);
    s->n += n;
}

static double scalar_read_sum(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return sum;
}

const struct kern kern_scalar = {
    .name = "scalar",
    .one = {one_f32, one_f16, one_bf16, one_f8},
    .two = {two_f32, two_f16, two_bf16, two_f8},
    .widen = {widen_f32, widen_f16, widen_bf16},
    .exact_one = scalar_exact_one,
    .exact_two = scalar_exact_two,
    .bytes = scalar_take_bytes,
    .read = scalar_read_sum,
};
