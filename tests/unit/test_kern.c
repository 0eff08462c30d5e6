/* The kernels: every variant this machine can run gives the bits of the scalar one, stops at the same
 * blocks and widens alike; the scalar one agrees with plain double arithmetic. */
#include "draws.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/mem.h"
#include "num/figures.h"

#define BLOCKS 5
#define ROOM (BLOCKS * KERN_BLOCK + 2 * KERN_STEP)

static const enum dtype dtype_of[KERN_WIDENED] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};

static uint64_t seed = 1;

static double draw(void)
{
    return draw_share(&seed) * 2 - 1;
}

enum kind {
    PLAIN, WIDE, CLOSE, EQUAL, ZEROS, FEW_ZEROS, ALL_ZERO, NEGATIVE, ONE_SIGN, TINY, DENORMAL, HUGE_VALUES, LARGE,
    SATURATED, SPECIAL, ONE_SPECIAL, LIMITS, TIES, EPS_LIMITS, KINDS
};

static void draw_pair(enum kind kind, size_t i, double *x, double *y)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0, (double)FLT_MAX, -(double)FLT_MAX, (double)FLT_MIN,
                                 1};
    *x = draw();
    *y = draw();
    switch (kind) {
    case WIDE:
        *x *= pow(10, (int)(*y * 12));
        *y *= pow(10, (int)(draw() * 12));
        break;
    case CLOSE:
        *y = *x * (1 + draw() * 1e-2);
        break;
    case EQUAL:
        *y = *x;
        break;
    case ZEROS:
        *x = i % 3 ? 0 : *x;
        *y = i % 4 ? -0.0 : *y;
        break;
    case FEW_ZEROS:
        *x = i % 1500 == 700 ? -0.0 : *x;
        *y = i % 2900 == 2100 ? 0 : *y;
        break;
    case ALL_ZERO:
        *x = *y = i % 2 ? 0 : -0.0;
        break;
    case NEGATIVE:
        *x = -fabs(*x) - 1;
        *y = *x * 1.001;
        break;
    case ONE_SIGN: /* a block; the target's zeros are in the third alone */
        *x = (i / KERN_BLOCK % 2 ? -1 : 1) * (fabs(*x) + (i % 5 ? 0 : 1));
        *y = (i / KERN_BLOCK % 3 ? 1 : -1) * fabs(*y);
        *x = i == 2 * KERN_BLOCK + 5 ? 0 : *x;
        break;
    case TINY: /* squares at the lower end of the range */
        *x *= 1e-18;
        *y *= 1e-19;
        break;
    case DENORMAL:
        *x *= 1e-39;
        *y *= 1e-44;
        break;
    case HUGE_VALUES:
        *x *= 3e38;
        *y *= 3e38;
        break;
    case LARGE: /* squares of a block leave the range, the errors' do not */
        *x *= i / KERN_BLOCK == 1 ? 1e20 : 1e10;
        *y = *x * (i % 2 ? 1 : 1.01);
        break;
    case SATURATED:
        *x = i % 700 == 5 ? 65504 : *x;
        *y = i % 300 == 7 ? -65504 : *y;
        break;
    case SPECIAL:
        if (i % 5 == 0) {
            *x = odd[i / 5 % 9];
            *y = odd[i / 45 % 9];
        }
        break;
    case ONE_SPECIAL:
        if (i == 2 * KERN_BLOCK + 77)
            *x = *y = NAN;
        break;
    case LIMITS: /* relative errors around the two limits that are counted */
        *y = i % 2 ? *x * (1 + 0.001) : *x * (1 - 0.005);
        break;
    case TIES: /* at them, and one unit to either side */
        *y = (i % 2 ? 1000 : 200) * floor(4000 + fabs(*y) * 8000);
        *x = *y * (i % 2 ? 1.001 : 0.995) + (double)(i % 3) - 1;
        break;
    case EPS_LIMITS: /* the same where the golden side is zero */
        *y = 0;
        *x = (double)nextafterf(i % 2 ? 0.001f : 0.005f, i % 3 ? 1 : 0) * (double)KERN_EPSILON;
        *x = i % 7 ? *x : (double)(0.005f * KERN_EPSILON);
        break;
    default:
        break;
    }
}

static void store(enum kern_type type, unsigned char *to, size_t i, double v)
{
    float f = (float)(type == KERN_F32 ? v : dtype_round(dtype_of[type], v));
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    uint16_t h = (uint16_t)(u >> 16);
    if (type == KERN_F16) {
        int e = (int)(u >> 23 & 0xff) - 112;
        h = (uint16_t)(isnan(f)   ? 0x7e00
                       : isinf(f) ? 0x7c00
                       : e > 0    ? e << 10 | (int)(u >> 13 & 0x3ff)
                                  : (int)(fabsf(f) * 0x1p24f));
        h = (uint16_t)(h | (u >> 16 & 0x8000));
    }
    memcpy(to + i * dtype_table[dtype_of[type]].size, type == KERN_F32 ? (void *)&f : (void *)&h,
           dtype_table[dtype_of[type]].size);
}

static void fill(enum kern_type type, enum kind kind, unsigned char *t, unsigned char *g)
{
    for (size_t i = 0; i < ROOM; i++) {
        double x, y;
        draw_pair(kind, i, &x, &y);
        store(type, t, i, x);
        store(type, g, i, y);
    }
}

static float top(const float v[KERN_LANES], float sign)
{
    float m = -INFINITY;
    for (int i = 0; i < KERN_LANES; i++)
        m = sign * v[i] > m ? sign * v[i] : m;
    return sign * m;
}

static void same_side(const struct kern_side *a, const struct kern_side *b)
{
    assert_memory_equal(a->sum, b->sum, sizeof a->sum);
    assert_memory_equal(a->sq, b->sq, sizeof a->sq);
    assert_true(top(a->max, 1) == top(b->max, 1) && top(a->min, -1) == top(b->min, -1));
    assert_int_equal(a->zero, b->zero);
    assert_int_equal(a->saturated, b->saturated);
}

static void same_sums(const struct kern_sums *a, const struct kern_sums *b)
{
    same_side(&a->side[0], &b->side[0]);
    same_side(&a->side[1], &b->side[1]);
    assert_memory_equal(a->dg, b->dg, sizeof a->dg);
    assert_memory_equal(a->se, b->se, sizeof a->se);
    assert_memory_equal(a->max_rel, b->max_rel, sizeof a->max_rel);
    assert_memory_equal(&a->max_abs, &b->max_abs, sizeof a->max_abs);
    assert_int_equal(a->max_abs_at, b->max_abs_at);
    assert_int_equal(a->n1, b->n1);
    assert_int_equal(a->n5, b->n5);
    assert_int_equal(a->n, b->n);
}

static void start(struct kern_sums *s, enum kern_type type)
{
    double limit = dtype_table[dtype_of[type]].max;
    kern_start(s, limit, limit);
}

/* Both variants over the same elements, over and past blocks they refuse. */
static void compare_at(const struct kern *k, enum kern_type type, const unsigned char *t, const unsigned char *g,
                       size_t n)
{
    struct kern_sums a, b, c, d;
    size_t size = dtype_table[dtype_of[type]].size;
    start(&a, type);
    start(&b, type);
    start(&c, type);
    start(&d, type);
    for (size_t at = 0; at < n;) {
        size_t took = kern_scalar.two[type](&a, t + at * size, g + at * size, n - at);
        assert_int_equal(k->two[type](&b, t + at * size, g + at * size, n - at), took);
        at += took;
        if (at < n)
            at += n - at < KERN_BLOCK ? n - at : KERN_BLOCK;
        a.n = b.n = at;
        same_sums(&a, &b);
    }
    for (size_t at = 0; at < n;) {
        size_t took = kern_scalar.one[type](&c, t + at * size, n - at);
        assert_int_equal(k->one[type](&d, t + at * size, n - at), took);
        at += took;
        if (at < n)
            at += n - at < KERN_BLOCK ? n - at : KERN_BLOCK;
        c.n = d.n = at;
        same_sums(&c, &d);
    }
}

static void variants_give_the_same_bits(void **state)
{
    static unsigned char t[ROOM * 4], g[ROOM * 4];
    const struct kern *k;
    (void)state;
    for (size_t v = 0; (k = kern_nth(v)); v++)
        for (int type = 0; type < KERN_WIDENED; type++)
            for (int kind = 0; kind < KINDS; kind++) {
                fill((enum kern_type)type, (enum kind)kind, t, g);
                for (size_t off = 0; off < 40; off += 3) { /* bytes: nothing is aligned */
                    const unsigned char *x = t + off, *y = g + off * 5 % 36;
                    size_t size = dtype_table[dtype_of[type]].size;
                    if (off % size || off * 5 % 36 % size) { /* whole elements, else the values are others */
                        memmove(t + 1, t, sizeof t - 1);
                        x = t + 1;
                        y = g;
                    }
                    for (size_t n = 0; n <= 3 * KERN_STEP; n += KERN_STEP)
                        compare_at(k, (enum kern_type)type, x, y, n);
                    if (x == t + 1)
                        memmove(t, t + 1, sizeof t - 1);
                }
                for (size_t n = KERN_BLOCK - KERN_STEP; n <= KERN_BLOCK + KERN_STEP; n += KERN_STEP)
                    compare_at(k, (enum kern_type)type, t, g, n);
                compare_at(k, (enum kern_type)type, t, g, BLOCKS * KERN_BLOCK);
            }
}

/* Through the passes, which fill in what kernels do not take: every length, and types that differ. */
static void variants_give_the_same_figures(void **state)
{
    static const enum kern_type pairs[][2] = {
        {KERN_F32, KERN_F32},   {KERN_F16, KERN_F16}, {KERN_BF16, KERN_BF16},
        {KERN_F32, KERN_BF16}, {KERN_BF16, KERN_F16}, {KERN_F16, KERN_F32},
    };
    static unsigned char t[ROOM * 4], g[ROOM * 4], other[ROOM * 4];
    const struct kern *k;
    (void)state;
    for (size_t v = 0; (k = kern_nth(v)); v++)
        for (size_t p = 0; p < ARRAY_LEN(pairs); p++)
            for (int kind = 0; kind < KINDS; kind++) {
                struct figures a, b;
                fill(pairs[p][0], (enum kind)kind, t, other);
                fill(pairs[p][1], (enum kind)kind, other, g);
                for (size_t n = 0; n < BLOCKS * KERN_BLOCK; n += n < 3 * KERN_LANES + 5 ? 1 : 311) {
                    figures_memory(&kern_scalar, dtype_of[pairs[p][0]], t, dtype_of[pairs[p][1]], g, n, &a);
                    figures_memory(k, dtype_of[pairs[p][0]], t, dtype_of[pairs[p][1]], g, n, &b);
                    assert_memory_equal(&a, &b, sizeof a);
                }
            }
}

static void variants_agree_in_double(void **state)
{
    static double t[ROOM], g[ROOM];
    const struct kern *k;
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < ROOM; i++)
            draw_pair((enum kind)kind, i, &t[i], &g[i]);
        for (size_t v = 0; (k = kern_nth(v)); v++)
            for (size_t n = 0; n < 3 * KERN_BLOCK; n += n < 3 * KERN_EXACT + 3 ? 1 : 211) {
                struct figures a, b;
                figures_memory(&kern_scalar, DTYPE_F64, t, DTYPE_F64, g, n, &a);
                figures_memory(k, DTYPE_F64, t, DTYPE_F64, g, n, &b);
                assert_memory_equal(&a, &b, sizeof a);
            }
    }
}

/* Integers of one byte have a way of their own: the same figures as those of the same numbers in two bytes, which go
 * through double. */
static void bytes_agree_with_doubles(void **state)
{
    static const enum dtype types[] = {DTYPE_I8, DTYPE_U8, DTYPE_BOOL};
    static unsigned char t[9 * KERN_BLOCK], g[9 * KERN_BLOCK];
    static int16_t wide[2][9 * KERN_BLOCK];
    const struct kern *k;
    (void)state;
    for (size_t d = 0; d < ARRAY_LEN(types); d++)
        for (int kind = 0; kind < 7; kind++) {
            for (size_t i = 0; i < sizeof t; i++) {
                g[i] = kind == 5 ? (i % 9 ? 255 : 128) : (unsigned char)(kind == 4 ? 127 + i % 3 : draw() * 128);
                t[i] = kind == 0   ? (unsigned char)(draw() * 128)
                       : kind == 1 ? g[i]
                                   : (unsigned char)(g[i] + (i % 11 == 3));
                g[i] = kind == 3 && i % 4 ? 0 : g[i];
                if (kind == 6) { /* a boolean that is neither 0 nor 1 comes late */
                    t[i] = i % 3 == 0;
                    g[i] = i == 5 * KERN_BLOCK ? 2 : i % 5 == 0;
                }
                int8_t x = (int8_t)t[i], y = (int8_t)g[i];
                wide[0][i] = (int16_t)(types[d] == DTYPE_I8 ? x : types[d] == DTYPE_U8 ? t[i] : t[i] != 0);
                wide[1][i] = (int16_t)(types[d] == DTYPE_I8 ? y : types[d] == DTYPE_U8 ? g[i] : g[i] != 0);
            }
            for (size_t v = 0; (k = kern_nth(v)); v++)
                for (size_t n = 0; n < 8 * KERN_BLOCK; n += n < 150 ? 1 : 1511) {
                    struct figures a, b;
                    const size_t at = n % 7;
                    figures_memory(&kern_scalar, DTYPE_I16, wide[0] + at, DTYPE_I16, wide[1] + at, n, &a);
                    figures_memory(k, types[d], t + at, types[d], g + at, n, &b);
                    assert_memory_equal(&a, &b, sizeof a);
                }
        }
}

static void variants_widen_alike(void **state)
{
    static uint16_t all[1 << 16];
    static float a[1 << 16], b[1 << 16];
    const struct kern *k;
    (void)state;
    for (unsigned i = 0; i < 1 << 16; i++)
        all[i] = (uint16_t)i;
    for (size_t v = 0; (k = kern_nth(v)); v++)
        for (int type = KERN_F16; type < KERN_WIDENED; type++) {
            dtype_to_f32(dtype_of[type], all, 1 << 16, a);
            k->widen[type](all, 1 << 16, b);
            for (unsigned i = 0; i < 1 << 16; i++)
                assert_true(memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i])));
        }
}

/* One-byte floats: each variant decodes all values, and the figures are those of the same values as bfloat16, but for
 * what depends on the type: how many are as large as it allows, which coarser one holds them. */
static void byte_floats(void **state)
{
    static const enum dtype types[] = {DTYPE_F8E4M3, DTYPE_F8E5M2, DTYPE_HIF8};
    static unsigned char raw[2][ROOM];
    static uint16_t wide[2][ROOM];
    const struct kern *k;
    (void)state;
    for (size_t d = 0; d < ARRAY_LEN(types); d++)
        for (int kind = 0; kind < 3; kind++) { /* any value; most blocks finite; all negative */
            for (int side = 0; side < 2; side++) {
                for (size_t i = 0; i < ROOM; i++) {
                    raw[side][i] = (unsigned char)((draw() + 1) * 127.99);
                    if (kind && (raw[side][i] & 0x7f) >= 0x6f && (kind == 2 || i % 701))
                        raw[side][i] = 0x30;
                    if (kind == 2)
                        raw[side][i] |= 0x81;
                }
                for (size_t i = 0; i < ROOM; i++)
                    wide[side][i] = dtype_halves(types[d])[raw[side][i]];
            }
            for (size_t v = 0; (k = kern_nth(v)); v++) {
                for (size_t n = 0; n < ROOM; n += n < 150 ? 1 : 211) {
                    struct figures a, b, same;
                    figures_memory(&kern_scalar, types[d], raw[0], types[d], raw[1], n, &a);
                    figures_memory(k, types[d], raw[0], types[d], raw[1], n, &b);
                    assert_memory_equal(&a, &b, sizeof a);
                    figures_memory(&kern_scalar, DTYPE_BF16, wide[0], DTYPE_BF16, wide[1], n, &same);
                    for (int side = 0; side < 2; side++) {
                        same.side[side].saturated = a.side[side].saturated;
                        same.kept[side] = a.kept[side];
                    }
                    assert_memory_equal(&a, &same, sizeof a);
                    const enum dtype other = types[(d + 1) % ARRAY_LEN(types)];
                    figures_memory(&kern_scalar, types[d], raw[0], other, raw[1], n, &a);
                    figures_memory(k, types[d], raw[0], other, raw[1], n, &b);
                    assert_memory_equal(&a, &b, sizeof a);
                }
            }
        }
}

static void near(double got, double want, double bound)
{
    if (!(fabs(got - want) <= bound))
        fail_msg("%.17g is not within %g of %.17g", got, bound, want);
}

static double total(const double lane[KERN_LANES])
{
    double s = 0;
    for (int i = 0; i < KERN_LANES; i++)
        s += lane[i];
    return s;
}

static void side_by_hand(const struct kern_side *r, const double *x, size_t n)
{
    double sum = 0, sq = 0, size = 0, max = -INFINITY, min = INFINITY;
    uint64_t zero = 0, saturated = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        size += fabs(x[i]);
        sq += x[i] * x[i];
        max = fmax(max, x[i]);
        min = fmin(min, x[i]);
        zero += x[i] == 0;
        saturated += fabs(x[i]) >= (double)r->limit;
    }
    near(total(r->sum), sum, size * 4e-6);
    near(total(r->sq), sq, sq * 4e-6);
    assert_true((double)top(r->max, 1) == max && (double)top(r->min, -1) == min);
    assert_int_equal(r->zero, zero);
    assert_int_equal(r->saturated, saturated);
}

static void pair_by_hand(const struct kern_sums *r, const double *t, const double *g, size_t n)
{
    double dg = 0, se = 0, size = 0, most = 0, worst = 0;
    uint64_t n1 = 0, n5 = 0;
    for (size_t i = 0; i < n; i++) {
        double d = t[i] - g[i], rel = fabs(d) / (g[i] == 0 ? (double)FLT_EPSILON : fabs(g[i]));
        dg += d * g[i];
        size += fabs(d * g[i]);
        se += d * d;
        most = fmax(most, fabs(d));
        worst = fmax(worst, rel);
        n1 += rel < 0.001;
        n5 += rel < 0.005;
    }
    near(total(r->dg), dg, size * 5e-6);
    near(total(r->se), se, se * 5e-6);
    near((double)r->max_abs, most, most * 1e-6);
    near((double)top(r->max_rel, 1), worst, worst * 1e-6);
    near(fabs(t[r->max_abs_at] - g[r->max_abs_at]), most, most * 1e-6);
    assert_int_equal(r->n1, n1);
    assert_int_equal(r->n5, n5);
}

static void agrees_with_plain_arithmetic(void **state)
{
    static const enum kind kinds[] = {PLAIN, CLOSE, EQUAL, ZEROS, FEW_ZEROS, ALL_ZERO, NEGATIVE, ONE_SIGN, SATURATED,
                                       LIMITS, TIES, EPS_LIMITS};
    static unsigned char t[ROOM * 4], g[ROOM * 4];
    static double x[ROOM], y[ROOM];
    const struct kern *best = kern_nth(0);
    (void)state;
    for (int round = 0; round < 20; round++)
        for (int type = 0; type < KERN_WIDENED; type++)
            for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
                struct kern_sums s;
                size_t n = KERN_BLOCK * BLOCKS;
                if ((kinds[k] == EPS_LIMITS || kinds[k] == TIES) && type != KERN_F32) /* numbers of 24 bits */
                    continue;
                fill((enum kern_type)type, kinds[k], t, g);
                dtype_to_f64(dtype_of[type], t, n, x);
                dtype_to_f64(dtype_of[type], g, n, y);
                start(&s, (enum kern_type)type);
                assert_int_equal(best->two[type](&s, t, g, n), n);
                side_by_hand(&s.side[0], x, n);
                side_by_hand(&s.side[1], y, n);
                pair_by_hand(&s, x, y, n);
            }
}

static void non_finite_blocks_are_refused(void **state)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    float t[3 * KERN_BLOCK], g[3 * KERN_BLOCK];
    const struct kern *k;
    (void)state;
    for (size_t i = 0; i < 3 * KERN_BLOCK; i++)
        t[i] = g[i] = (float)i + 1;
    for (size_t v = 0; (k = kern_nth(v)); v++)
        for (size_t at = 0; at < 3 * KERN_BLOCK; at += 67)
            for (int i = 0; i < 3; i++) {
                struct kern_sums s;
                size_t before = at / KERN_BLOCK * KERN_BLOCK;
                float was = t[at];
                t[at] = odd[i];
                start(&s, KERN_F32);
                assert_int_equal(k->one[KERN_F32](&s, t, 3 * KERN_BLOCK), before);
                assert_int_equal(s.n, before);
                start(&s, KERN_F32);
                assert_int_equal(k->two[KERN_F32](&s, t, g, 3 * KERN_BLOCK), before);
                start(&s, KERN_F32);
                assert_int_equal(k->two[KERN_F32](&s, g, t, 3 * KERN_BLOCK), before);
                start(&s, KERN_F32);
                assert_int_equal(k->two[KERN_F32](&s, t, t, 3 * KERN_BLOCK), before);
                assert_true(total(s.se) == 0 && isfinite(total(s.side[0].sq)));
                t[at] = was;
            }
}

static void selection(void **state)
{
    const struct kern *best = kern_select(NULL), *last = NULL;
    (void)state;
    assert_non_null(best);
    assert_ptr_equal(kern_select(""), best);
    assert_ptr_equal(kern_select("scalar"), &kern_scalar);
    assert_null(kern_select("sse9"));
    assert_null(kern_select("AVX2"));
    assert_ptr_equal(kern_select(best->name), best);
    for (size_t i = 0; kern_nth(i); i++)
        last = kern_nth(i);
    assert_ptr_equal(last, &kern_scalar);
#if defined(__aarch64__)
    assert_string_equal(best->name, "neon");
#endif
}

static void plain_reading_sums(void **state)
{
    static float x[64 * 100];
    double sum = 0;
    const struct kern *k;
    (void)state;
    for (int i = 0; i < 6400; i++)
        sum += (double)(x[i] = (float)(i % 17));
    for (size_t v = 0; (k = kern_nth(v)); v++)
        near(k->read(x, 6400), sum, sum * 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_give_the_same_bits),
        cmocka_unit_test(variants_give_the_same_figures),
        cmocka_unit_test(variants_agree_in_double),
        cmocka_unit_test(bytes_agree_with_doubles),
        cmocka_unit_test(variants_widen_alike), cmocka_unit_test(byte_floats),
        cmocka_unit_test(agrees_with_plain_arithmetic),
        cmocka_unit_test(non_finite_blocks_are_refused),
        cmocka_unit_test(selection),
        cmocka_unit_test(plain_reading_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
