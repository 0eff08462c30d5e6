/* All figures of two tensors against the same sums in long double, element by element: every type,
 * sizes around block borders, reordered and big-endian storage, and what is not finite. */
#include "packed.h"

#include <float.h>
#include <math.h>

#include "dump/recorded_figures.h"
#include "num/figures.h"

static uint64_t seed = 7;

static uint64_t bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double draw(void)
{
    return (double)(bits() >> 11) * 0x1p-53 * 2 - 1;
}

/* ---- files ---- */

static struct tensor raw_tensor(enum dtype d, const void *raw, size_t n)
{
    return packed(d, 1, (const int64_t[]){(int64_t)n}, raw);
}

/* Elements of one type near a value: those of the small floats by rounding to the nearest pattern. */
static void encode(enum dtype d, double v, unsigned char *out)
{
    size_t size = dtype_table[d].size;
    float f = (float)v;
    int64_t i = (int64_t)(v * 100);
    if (d == DTYPE_F64) {
        memcpy(out, &v, 8);
    } else if (d == DTYPE_F32) {
        memcpy(out, &f, 4);
    } else if (dtype_is_float(d)) { /* bisect over the magnitudes, which are in order */
        unsigned lo = 0, hi = (1u << (8 * size - 1)) - 1;
        while (hi - lo > 1) {
            unsigned mid = (lo + hi) / 2;
            unsigned char b[2] = {(unsigned char)mid, (unsigned char)(mid >> 8)};
            double x;
            dtype_to_f64(d, b, 1, &x);
            if (isfinite(x) && x <= fabs(v))
                lo = mid;
            else
                hi = mid;
        }
        lo |= v < 0 ? 1u << (8 * size - 1) : 0;
        out[0] = (unsigned char)lo;
        if (size == 2)
            out[1] = (unsigned char)(lo >> 8);
    } else if (d == DTYPE_BOOL) {
        out[0] = v > 0;
    } else {
        memcpy(out, &i, size); /* little-endian: the low bytes */
    }
}

/* ---- the same in long double ---- */

struct reference {
    long double euclid, norm[2], size[2], sum[2], minus;
    double max[2], min[2], max_abs, max_rel;
    uint64_t zero[2], n1, n5;
};

static struct reference by_hand(const double *t, const double *g, size_t n, double eps)
{
    struct reference r = {.max = {-INFINITY, -INFINITY}, .min = {INFINITY, INFINITY}};
    const double *x[2] = {t, g};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < n; i++) {
            long double v = (long double)x[s][i];
            r.sum[s] += v;
            r.size[s] += fabsl(v);
            r.norm[s] += v * v;
            r.max[s] = fmax(r.max[s], x[s][i]);
            r.min[s] = fmin(r.min[s], x[s][i]);
            r.zero[s] += x[s][i] == 0;
        }
    r.norm[0] = sqrtl(r.norm[0]);
    r.norm[1] = sqrtl(r.norm[1]);
    for (size_t i = 0; i < n; i++) {
        long double d = fabsl((long double)t[i] - (long double)g[i]);
        long double rel = d / (g[i] == 0 ? (long double)eps : fabsl((long double)g[i]));
        r.euclid += d * d;
        r.max_abs = fmax(r.max_abs, (double)d);
        r.max_rel = fmax(r.max_rel, (double)rel);
        r.n1 += rel < 0.001L;
        r.n5 += rel < 0.005L;
        if (r.norm[0] > 0 && r.norm[1] > 0) { /* half the squared distance of the unit vectors */
            long double u = (long double)t[i] / r.norm[0] - (long double)g[i] / r.norm[1];
            r.minus += u * u / 2;
        }
    }
    r.euclid = sqrtl(r.euclid);
    if (r.norm[0] > 0 ? r.norm[1] <= 0 : r.norm[1] > 0)
        r.minus = 1;
    return r;
}

static void near(const char *what, double got, long double want, double rel, double abs)
{
    if (!(fabsl((long double)got - want) <= (long double)rel * fabsl(want) + (long double)abs))
        fail_msg("%s: %.12g instead of %.12g", what, got, (double)want);
}

static void compare(const struct figures *f, const struct reference *r, const double *t,
                    const double *g, size_t n)
{
    assert_true(f->two);
    assert_int_equal(f->unlike, 0);
    near("euclid", f->euclid, r->euclid, 4e-6, 0);
    near("rel_l2", f->rel_l2, r->norm[1] > 0 ? r->euclid / r->norm[1] : 0, 4e-6, 0);
    near("1-cos", f->minus, r->minus, 1e-3, 1e-18);
    near("cosine", f->cosine, 1 - r->minus, 1e-9, 1e-9);
    near("max_abs", f->max_abs, (long double)r->max_abs, 2e-7, 0);
    near("max_rel", f->max_rel, (long double)r->max_rel, 4e-7, 0);
    near("one_thousandth", f->one_thousandth, (long double)r->n1 / n, 0, 1e-15);
    near("five_thousandths", f->five_thousandths, (long double)r->n5 / n, 0, 1e-15);
    assert_true(f->max_abs_at < n);
    near("at", fabs(t[f->max_abs_at] - g[f->max_abs_at]), (long double)r->max_abs, 2e-7, 0);
    for (int s = 0; s < 2; s++) {
        const struct side_figures *x = &f->side[s];
        near("norm", x->norm, r->norm[s], 4e-6, 0);
        near("mean", x->mean, r->sum[s] / n, 0, (double)(r->size[s] / n) * 4e-6);
        assert_true(x->max == r->max[s] && x->min == r->min[s]);
        assert_int_equal(x->zero, r->zero[s]);
        assert_int_equal(x->count, n);
        assert_int_equal(x->nan, 0);
        assert_int_equal(x->inf, 0);
    }
}

static double eps_of(enum dtype t, enum dtype g)
{
    const enum dtype both[] = {t, g};
    for (int i = 0; i < 2; i++)
        if (both[i] == DTYPE_I32 || both[i] == DTYPE_I64 || both[i] == DTYPE_U32 || both[i] == DTYPE_U64 ||
            both[i] == DTYPE_F64)
            return DBL_EPSILON;
    return (double)FLT_EPSILON;
}

/* n random elements of two types, golden ones off by about `error` times their size. */
static void random_pair(enum dtype dt, enum dtype dg, size_t n, double error)
{
    size_t st = dtype_table[dt].size, sg = dtype_table[dg].size;
    unsigned char *rt = malloc(n * st + 1), *rg = malloc(n * sg + 1);
    double *t = malloc(n * sizeof *t), *g = malloc(n * sizeof *g);
    struct tensor a, b;
    struct figures f;
    struct err e;
    for (size_t i = 0; i < n; i++) {
        double v = i % 11 == 3 ? 0 : draw() * 3;
        encode(dt, v, rt + i * st);
        encode(dg, v + error * draw() * fabs(v), rg + i * sg);
    }
    dtype_to_f64(dt, rt, n, t);
    dtype_to_f64(dg, rg, n, g);
    a = raw_tensor(dt, rt, n);
    b = raw_tensor(dg, rg, n);
    assert_int_equal(figures_two(kern_select(NULL), &a, &b, &f, NULL, &e), 0);
    struct reference r = by_hand(t, g, n, eps_of(dt, dg));
    compare(&f, &r, t, g, n);
    struct side_figures one;
    assert_int_equal(figures_one(kern_select(NULL), &b, &one, NULL, &e), 0);
    if (dt == dg) /* else the pair was taken in other lanes, or in double */
        assert_memory_equal(&one, &f.side[1], sizeof one);
    near("norm alone", one.norm, (long double)f.side[1].norm, 1e-6, 0);
    assert_true(one.max == f.side[1].max && one.min == f.side[1].min && one.zero == f.side[1].zero);
    tensor_close(&a);
    tensor_close(&b);
    free(rt);
    free(rg);
    free(t);
    free(g);
}

static void all_types(void **state)
{
    static const size_t sizes[] = {1,    2,    15,   16,    17,    1000,  1023,
                                   1024, 1025, 3000, 65535, 65536, 65537, 150000};
    (void)state;
    for (int d = 1; d < DTYPE_C64; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            if (sizes[i] > 3000 && dtype_table[d].klass != CLASS_FLOAT && d != DTYPE_I32)
                continue;
            random_pair((enum dtype)d, (enum dtype)d, sizes[i], 0.05);
        }
}

static void types_that_differ(void **state)
{
    static const enum dtype pairs[][2] = {
        {DTYPE_F32, DTYPE_BF16}, {DTYPE_BF16, DTYPE_F32},  {DTYPE_F16, DTYPE_BF16},
        {DTYPE_F32, DTYPE_F64},  {DTYPE_F64, DTYPE_F16},   {DTYPE_I64, DTYPE_I32},
        {DTYPE_I32, DTYPE_F32},  {DTYPE_F8E4M3, DTYPE_F32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        random_pair(pairs[i][0], pairs[i][1], 2049, 0.01);
        random_pair(pairs[i][0], pairs[i][1], 33, 0);
    }
}

/* 1 − cosine keeps its digits down to where the textbook form has none left. */
static void small_angles_keep_their_digits(void **state)
{
    (void)state;
    for (double error = 1; error > 1e-7; error /= 10)
        random_pair(DTYPE_F32, DTYPE_F32, 100000, error);
    for (double error = 1; error > 1e-14; error /= 100)
        random_pair(DTYPE_F64, DTYPE_F64, 20000, error);
}

/* ---- from memory ---- */

static struct figures floats(const float *t, const float *g, size_t n)
{
    struct figures f, best;
    figures_memory(&kern_scalar, DTYPE_F32, t, DTYPE_F32, g, n, &f);
    figures_memory(kern_select(NULL), DTYPE_F32, t, DTYPE_F32, g, n, &best);
    assert_memory_equal(&f, &best, sizeof f); /* one machine's digits are every machine's */
    return f;
}

static void extreme_sizes(void **state)
{
    static float t[2048], g[2048];
    static double wide[2][2048];
    static const float scale[] = {1e30f, 1e19f, 1e10f, 1e-10f, 1e-19f, 1e-30f, 1e-38f, 1e-42f};
    (void)state;
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
        for (int i = 0; i < 2048; i++) {
            g[i] = (float)(draw() + 2) * scale[k];
            t[i] = g[i] * (float)(1 + 0.01 * draw());
            wide[0][i] = (double)t[i];
            wide[1][i] = (double)g[i];
        }
        struct figures f = floats(t, g, 2048);
        struct reference r = by_hand(wide[0], wide[1], 2048, (double)FLT_EPSILON);
        compare(&f, &r, wide[0], wide[1], 2048);
    }
}

/* Golden denormals beside ordinary target values: the relative error leaves float32's range, not double's. */
static void relative_errors_beyond_float(void **state)
{
    float t[32], g[32];
    (void)state;
    for (int i = 0; i < 32; i++)
        t[i] = g[i] = 1;
    t[5] = 0.5f;
    g[5] = 1e-44f;
    struct figures f = floats(t, g, 32);
    near("max_rel", f.max_rel, (0.5L - (long double)g[5]) / (long double)g[5], 1e-6, 0);
}

static void zeros(void **state)
{
    float zero[100] = {0}, some[100] = {0};
    (void)state;
    some[7] = 2;
    some[8] = -1;
    struct figures f = floats(zero, zero, 100);
    assert_true(f.two && f.cosine == 1 && f.minus == 0 && f.rel_l2 == 0 && f.euclid == 0);
    assert_true(f.max_abs == 0 && f.max_rel == 0 && f.one_thousandth == 1 && f.five_thousandths == 1);
    assert_int_equal(f.side[0].zero, 100);
    f = floats(some, zero, 100); /* only g is zero */
    assert_true(f.cosine == 0 && f.minus == 1 && isinf(f.rel_l2) && f.rel_l2 > 0);
    assert_true(f.max_abs == 2 && f.max_abs_at == 7);
    assert_true(f.max_rel == 2 / (double)FLT_EPSILON); /* msprobe's rule */
    assert_true(f.one_thousandth == 0.98);
    f = floats(zero, some, 100);
    assert_true(f.cosine == 0 && f.minus == 1 && f.rel_l2 == 1);
    assert_true(f.max_rel == 1);
    float minus[4] = {-0.0f, 0, -0.0f, 0}, plus[4] = {0, 0, 0, -0.0f};
    f = floats(minus, plus, 4);
    assert_true(f.rel_l2 == 0 && f.max_abs == 0);
    assert_int_equal(f.side[0].zero, 4);
}

static void opposite_and_orthogonal(void **state)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {-1, -2, -3, -4}, x[2] = {1, 0}, y[2] = {0, 1};
    (void)state;
    assert_true(floats(a, b, 4).cosine == -1);
    assert_true(floats(a, b, 4).minus == 2);
    near("orthogonal", floats(x, y, 2).cosine, 0, 0, 1e-15);
    assert_true(floats(a, a, 4).cosine == 1 && floats(a, a, 4).minus == 0);
}

/* The result type of NumPy's (t, g, float32) says which eps msprobe adds: float32's for small integers. */
static void eps_of_small_integers(void **state)
{
    static const struct {
        enum dtype d;
        double eps;
    } cases[] = {
        {DTYPE_BOOL, (double)FLT_EPSILON}, {DTYPE_I8, (double)FLT_EPSILON},  {DTYPE_U8, (double)FLT_EPSILON},
        {DTYPE_I16, (double)FLT_EPSILON},  {DTYPE_U16, (double)FLT_EPSILON}, {DTYPE_I32, DBL_EPSILON},
        {DTYPE_I64, DBL_EPSILON},          {DTYPE_F64, DBL_EPSILON},         {DTYPE_F16, (double)FLT_EPSILON},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char t[8] = {0}, g[8] = {0};
        struct tensor a, b;
        struct figures f;
        struct err e;
        double one;
        if (dtype_is_float(cases[i].d))
            encode(cases[i].d, 1, t);
        else
            t[0] = 1;
        dtype_to_f64(cases[i].d, t, 1, &one);
        a = raw_tensor(cases[i].d, t, 1);
        b = raw_tensor(cases[i].d, g, 1);
        assert_int_equal(figures_two(&kern_scalar, &a, &b, &f, NULL, &e), 0);
        if (f.max_rel != one / cases[i].eps)
            fail_msg("%s: %g instead of %g", dtype_table[cases[i].d].name, f.max_rel, one / cases[i].eps);
        tensor_close(&a);
        tensor_close(&b);
    }
}

static void non_finite_alike(void **state)
{
    float t[2000], g[2000];
    (void)state;
    for (int i = 0; i < 2000; i++) {
        t[i] = (float)draw();
        g[i] = (float)((double)t[i] * (1 + 1e-3 * draw()));
    }
    t[10] = g[10] = NAN;
    t[11] = NAN;
    g[11] = -NAN; /* a NaN's sign means nothing */
    t[1500] = g[1500] = INFINITY;
    t[1999] = g[1999] = -INFINITY;
    struct figures f = floats(t, g, 2000);
    static const int odd[] = {10, 11, 1500, 1999};
    float t0[2000], g0[2000];
    memcpy(t0, t, sizeof t);
    memcpy(g0, g, sizeof g);
    for (int i = 0; i < 4; i++)
        t0[odd[i]] = g0[odd[i]] = 0;
    struct figures as_zeros = floats(t0, g0, 2000);
    assert_true(f.two && f.unlike == 0);
    near("rel_l2", f.rel_l2, (long double)as_zeros.rel_l2, 1e-6, 0);
    near("euclid", f.euclid, (long double)as_zeros.euclid, 1e-6, 0);
    near("1-cos", f.minus, (long double)as_zeros.minus, 1e-3, 0);
    near("max_abs", f.max_abs, (long double)as_zeros.max_abs, 1e-6, 0);
    assert_int_equal(f.max_abs_at, as_zeros.max_abs_at);
    assert_true(f.one_thousandth == as_zeros.one_thousandth);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(f.side[s].nan, 2);
        assert_int_equal(f.side[s].inf, 2);
        assert_int_equal(f.side[s].zero, 0);
        assert_int_equal(f.side[s].count, 2000);
        assert_true(isnan(f.side[s].mean) && isnan(f.side[s].norm));
        assert_true(f.side[s].max == INFINITY && f.side[s].min == -INFINITY); /* over what is no NaN */
    }
}

static void non_finite_unlike(void **state)
{
    static const struct {
        float t, g;
        bool alike;
    } cases[] = {
        {NAN, NAN, true},
        {INFINITY, INFINITY, true},
        {-INFINITY, -INFINITY, true},
        {INFINITY, -INFINITY, false},
        {NAN, INFINITY, false},
        {NAN, 0, false},
        {0, NAN, false},
        {INFINITY, FLT_MAX, false},
        {1, -INFINITY, false},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int at = 0; at < 1100; at += 1023) {
            float t[1100], g[1100];
            for (int i = 0; i < 1100; i++)
                t[i] = g[i] = (float)i;
            t[at] = cases[c].t;
            g[at] = cases[c].g;
            struct figures f = floats(t, g, 1100);
            assert_int_equal(f.two, cases[c].alike);
            assert_int_equal(f.unlike, !cases[c].alike);
            if (!cases[c].alike)
                assert_int_equal(f.unlike_at, at);
        }
}

static void counts_every_unlike_element(void **state)
{
    static float t[5000], g[5000];
    (void)state;
    for (int i = 0; i < 5000; i++)
        t[i] = g[i] = 1;
    for (int i = 2345; i < 5000; i += 100)
        t[i] = i % 200 < 100 ? NAN : INFINITY;
    struct figures f = floats(t, g, 5000);
    assert_int_equal(f.unlike, 27);
    assert_int_equal(f.unlike_at, 2345);
    assert_int_equal(f.side[0].nan + f.side[0].inf, 27);
    assert_int_equal(f.side[1].nan + f.side[1].inf, 0);
}

static void means_with_infinities(void **state)
{
    float up[3] = {1, INFINITY, 2}, down[3] = {1, -INFINITY, 2};
    float both[3] = {INFINITY, -INFINITY, 0}, all[2] = {NAN, NAN};
    (void)state;
    assert_true(floats(up, up, 3).side[0].mean == INFINITY);
    assert_true(floats(down, down, 3).side[0].mean == -INFINITY);
    assert_true(isnan(floats(both, both, 3).side[0].mean));
    assert_true(floats(both, both, 3).side[0].norm == INFINITY);
    struct figures f = floats(all, all, 2);
    assert_true(isnan(f.side[0].max) && isnan(f.side[0].min) && f.two && f.max_abs == 0 && f.cosine == 1);
}

static void saturation(void **state)
{
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16,   DTYPE_F32,
                                       DTYPE_F64, DTYPE_F8E4M3, DTYPE_F8E5M2};
    (void)state;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        enum dtype d = types[k];
        size_t size = dtype_table[d].size;
        unsigned char raw[3000 * 8];
        struct tensor a;
        struct side_figures f;
        struct err e;
        for (size_t i = 0; i < 3000; i++)
            encode(d, i % 500 == 1 ? (i % 1000 == 1 ? 1 : -1) * dtype_table[d].max : 0.5, raw + i * size);
        double back;
        dtype_to_f64(d, raw + size, 1, &back);
        assert_true(back == dtype_table[d].max);
        a = raw_tensor(d, raw, 3000);
        assert_int_equal(figures_one(&kern_scalar, &a, &f, NULL, &e), 0);
        assert_int_equal(f.saturated, 6);
        assert_true(f.max == dtype_table[d].max && f.min == -dtype_table[d].max);
        tensor_close(&a);
    }
    float plain[2] = {65504, -65504}; /* nothing special to a float32 */
    assert_int_equal(floats(plain, plain, 2).side[0].saturated, 0);
}

/* ---- storage ---- */

static void permuted_and_swapped(void **state)
{
    enum { A = 7, B = 33, C = 20, N = A * B * C };
    static float t[N], g[N];
    static unsigned char big[N * 4];
    struct tensor x, y;
    struct figures straight, f;
    struct err e;
    (void)state;
    /* y holds [C, B, A], in big-endian, what x holds as [A, B, C] */
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c++) {
                int i = (a * B + b) * C + c, k = (c * B + b) * A + a;
                t[i] = (float)draw();
                g[i] = t[i] + 1e-3f * (float)draw();
                unsigned char raw[4];
                memcpy(raw, &g[i], 4);
                for (int j = 0; j < 4; j++)
                    big[k * 4 + j] = raw[3 - j];
            }
    figures_memory(&kern_scalar, DTYPE_F32, t, DTYPE_F32, g, N, &straight);
    x = raw_tensor(DTYPE_F32, t, N);
    y = raw_tensor(DTYPE_F32, big, N);
    y.swap = true;
    y.ndim = 3;
    memcpy(y.shape, (const int64_t[]){C, B, A}, 3 * sizeof(int64_t));
    assert_int_equal(tensor_pack(&y, "y", &e), 0);
    tensor_permute(&y, (const int[]){2, 1, 0});
    assert_int_equal(figures_two(&kern_scalar, &x, &y, &f, NULL, &e), 0);
    assert_memory_equal(&f, &straight, sizeof f);
    tensor_close(&x);
    tensor_close(&y);
}

static void the_first_largest(void **state)
{
    static float t[4000], g[4000];
    (void)state;
    for (int at = 0; at < 4000; at += 501) {
        memset(t, 0, sizeof t);
        memset(g, 0, sizeof g);
        t[at] = 3;
        if (at + 77 < 4000)
            g[at + 77] = 3;
        t[3999] = at == 3999 ? 3 : -3;
        assert_int_equal(floats(t, g, 4000).max_abs_at, at);
    }
}

static void empty_and_unequal(void **state)
{
    struct tensor a, b;
    struct figures f;
    struct side_figures s;
    struct err e = {0};
    (void)state;
    a = raw_tensor(DTYPE_F32, "", 0);
    b = raw_tensor(DTYPE_F32, "", 0);
    assert_int_equal(figures_two(&kern_scalar, &a, &b, &f, NULL, &e), 0);
    assert_false(f.two);
    assert_int_equal(figures_one(&kern_scalar, &a, &s, NULL, &e), 0);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.max) && isnan(s.mean));
    tensor_close(&b);
    b = raw_tensor(DTYPE_F32, "1234", 1);
    assert_int_equal(figures_two(&kern_scalar, &a, &b, &f, NULL, &e), -1);
    assert_int_equal(e.code, ERR_USAGE);
    tensor_close(&a);
    tensor_close(&b);
}

static void can_be_watched_and_stopped(void **state)
{
    static float x[100000];
    struct tensor a;
    struct side_figures s;
    struct figures_watch w = {0};
    struct err e = {0};
    (void)state;
    a = raw_tensor(DTYPE_F32, x, 100000);
    assert_int_equal(figures_one(&kern_scalar, &a, &s, &w, &e), 0);
    assert_int_equal(atomic_load(&w.done), 100000);
    atomic_store(&w.cancel, true);
    assert_int_equal(figures_one(&kern_scalar, &a, &s, &w, &e), -1);
    assert_int_equal(e.code, ERR_CANCEL);
    assert_int_equal(atomic_load(&w.done), 100000);
    tensor_close(&a);
}

/* ---- several threads ---- */

struct member {
    const struct tensor *t, *g;
    struct figures f;
    struct figures_watch watch;
    struct err e;
    int rc;
};

/* The first of a piece of work for each member: the others have nothing to do but help. */
static void member_work(void *ctx, size_t i)
{
    struct member *m = ctx;
    if (i == 0)
        m->rc = figures_two(kern_select(NULL), m->t, m->g, &m->f, &m->watch, &m->e);
}

static void with_threads(struct member *m, int n)
{
    work_crew_run(&m->watch.crew, n, (size_t)n, NULL, member_work, m);
}

static void threads_do_not_show(void **state)
{
    enum { N = 9 * 1024 * 1024 + 77 }; /* three ranges */
    uint16_t *t = malloc(N * 2), *g = malloc(N * 2);
    struct tensor a, b;
    struct figures alone;
    struct err e;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        t[i] = (uint16_t)(0x3c00 + bits() % 2048 + (i % 2) * 0x8000);
        g[i] = (uint16_t)(t[i] + (i % 5 == 0));
    }
    t[5000000] = g[5000000] = 0x7e00; /* a NaN alike */
    g[8500000] = (uint16_t)(t[8500000] + 900);
    a = raw_tensor(DTYPE_F16, t, N);
    b = raw_tensor(DTYPE_F16, g, N);
    assert_int_equal(figures_two(kern_select(NULL), &a, &b, &alone, NULL, &e), 0);
    assert_true(alone.two && alone.max_abs_at == 8500000 && alone.side[0].nan == 1 && alone.side[0].count == N);
    for (int n = 1; n <= 4; n++) {
        struct member m = {.t = &a, .g = &b};
        with_threads(&m, n);
        assert_int_equal(m.rc, 0);
        assert_memory_equal(&m.f, &alone, sizeof alone);
        assert_int_equal(atomic_load(&m.watch.done), N);
    }
    struct member m = {.t = &a, .g = &b, .watch = {.cancel = true}};
    with_threads(&m, 3);
    assert_int_equal(m.rc, -1);
    assert_int_equal(m.e.code, ERR_CANCEL);
    tensor_close(&a);
    tensor_close(&b);
    free(t);
    free(g);
}

/* A tool sums the norm of a float16 tensor in float16: its figure has that rounding, whatever type the other side has.
 */
static void norms_summed_in_half(void **state)
{
    (void)state;
    const struct row t = {.dtype = DTYPE_F32, .has = HAS_MAX | HAS_MIN | HAS_NORM,
                          .stat = {3.25391, -3.27734, 0, 30.1478}};
    struct row g = {.dtype = DTYPE_F16, .has = t.has, .stat = {3.25391, -3.27734, 0, 30.140625}};
    assert_true(recorded_error_of(&t, &g, 832) == 0);
    g.stat[STAT_NORM] = 30.125; /* more than half a unit */
    assert_true(recorded_error_of(&t, &g, 832) > 7e-4);
    g.stat[STAT_NORM] = 30.1411; /* not summed in float16 */
    assert_true(recorded_error_of(&t, &g, 832) > 2e-4);
    g.dtype = DTYPE_F32;
    g.stat[STAT_NORM] = 30.140625;
    assert_true(recorded_error_of(&t, &g, 832) > 2e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types),
        cmocka_unit_test(types_that_differ),
        cmocka_unit_test(small_angles_keep_their_digits),
        cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(relative_errors_beyond_float),
        cmocka_unit_test(zeros),
        cmocka_unit_test(opposite_and_orthogonal),
        cmocka_unit_test(eps_of_small_integers),
        cmocka_unit_test(non_finite_alike),
        cmocka_unit_test(non_finite_unlike),
        cmocka_unit_test(counts_every_unlike_element),
        cmocka_unit_test(means_with_infinities),
        cmocka_unit_test(saturation),
        cmocka_unit_test(permuted_and_swapped),
        cmocka_unit_test(the_first_largest),
        cmocka_unit_test(empty_and_unequal),
        cmocka_unit_test(can_be_watched_and_stopped),
        cmocka_unit_test(norms_summed_in_half),
        cmocka_unit_test(threads_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
