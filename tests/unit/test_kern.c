/* The kernels: every variant this machine can run gives the bits of the generic one, and the generic
 * one agrees with plain double arithmetic. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "num/kern.h"

#define ROOM (KERN_BLOCK + 2 * KERN_LANES)

static uint64_t seed = 1;

static double draw(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) * 0x1p-53 * 2 - 1;
}

enum kind { PLAIN, WIDE, CLOSE, EQUAL, ZEROS, DENORMAL, HUGE_VALUES, SPECIAL, LIMITS, KINDS };

static void fill(enum kind kind, float *t, float *g)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, FLT_MAX, -FLT_MAX, FLT_MIN, 1};
    for (int i = 0; i < ROOM; i++) {
        double x = draw(), y = draw();
        switch (kind) {
        case WIDE:
            x *= pow(10, (int)(y * 12));
            y *= pow(10, (int)(draw() * 12));
            break;
        case CLOSE:
            y = x * (1 + draw() * 1e-3);
            break;
        case EQUAL:
            y = x;
            break;
        case ZEROS:
            x = i % 3 ? 0 : x;
            y = i % 4 ? 0 : y;
            break;
        case DENORMAL:
            x *= 1e-39;
            y *= 1e-44;
            break;
        case HUGE_VALUES:
            x *= 3e38;
            y *= 3e38;
            break;
        case LIMITS: /* relative errors around the two limits that are counted */
            y = i % 2 ? x * (1 + 0.001) : x * (1 - 0.005);
            break;
        default:
            break;
        }
        t[i] = (float)x;
        g[i] = (float)y;
        if (kind == SPECIAL && i % 5 == 0) {
            t[i] = odd[i / 5 % 9];
            g[i] = odd[i / 45 % 9];
        }
    }
}

static bool same_float(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void same_one(const struct kern_one *a, const struct kern_one *b)
{
    if (!isfinite(a->sq)) { /* then nothing else of it means anything */
        assert_false(isfinite(b->sq));
        return;
    }
    assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
    assert_memory_equal(&a->sq, &b->sq, sizeof a->sq);
    assert_true(same_float(a->max, b->max) && same_float(a->min, b->min));
    assert_int_equal(a->zero, b->zero);
}

static void same_two(const struct kern_two *a, const struct kern_two *b)
{
    if (!isfinite(a->se)) {
        assert_false(isfinite(b->se));
        return;
    }
    assert_true(isfinite(a->ds) == isfinite(b->ds));
    if (isfinite(a->ds))
        assert_memory_equal(&a->ds, &b->ds, sizeof a->ds);
    assert_memory_equal(&a->se, &b->se, sizeof a->se);
    assert_memory_equal(&a->max_abs, &b->max_abs, sizeof a->max_abs);
    assert_memory_equal(&a->max_rel, &b->max_rel, sizeof a->max_rel);
    assert_int_equal(a->n1, b->n1);
    assert_int_equal(a->n5, b->n5);
    assert_int_equal(a->unsure, b->unsure);
}

static void compare_at(const struct kern *k, const float *t, const float *g, size_t n, float eps)
{
    struct kern_one a, b;
    struct kern_two c, d;
    kern_generic.one(t, n, &a);
    k->one(t, n, &b);
    same_one(&a, &b);
    kern_generic.two(t, g, n, eps, &c);
    k->two(t, g, n, eps, &d);
    same_two(&c, &d);
}

static void variants_give_the_same_bits(void **state)
{
    static const char *const names[] = {"generic", "avx2", "avx512", "neon"};
    static float t[ROOM], g[ROOM];
    int found = 0;
    (void)state;
    for (size_t v = 0; v < sizeof names / sizeof *names; v++) {
        const struct kern *k = kern_select(names[v]);
        if (!k)
            continue;
        found++;
        for (int kind = 0; kind < KINDS; kind++) {
            fill((enum kind)kind, t, g);
            for (size_t off = 0; off < KERN_LANES; off++) {
                for (size_t n = 0; n <= 3 * KERN_LANES + 5; n++)
                    compare_at(k, t + off, g + (off * 5) % KERN_LANES, n, FLT_EPSILON);
                for (size_t n = KERN_BLOCK - KERN_LANES - 1; n <= KERN_BLOCK; n++)
                    compare_at(k, t + off, g + (off * 5) % KERN_LANES, n, FLT_EPSILON);
            }
        }
    }
    assert_true(found >= 1);
}

static void near(double got, double want, double bound)
{
    if (!(fabs(got - want) <= bound))
        fail_msg("%.17g is not within %g of %.17g", got, bound, want);
}

static void one_by_hand(const float *x, size_t n)
{
    struct kern_one r;
    double sum = 0, sq = 0, size = 0, max = -INFINITY, min = INFINITY;
    uint32_t zero = 0;
    kern_generic.one(x, n, &r);
    for (size_t i = 0; i < n; i++) {
        double v = (double)x[i];
        sum += v;
        size += fabs(v);
        sq += v * v;
        max = fmax(max, v);
        min = fmin(min, v);
        zero += v == 0;
    }
    near(r.sum, sum, size * 4e-6);
    near(r.sq, sq, sq * 4e-6 + 1e-42);
    assert_true((double)r.max == max && (double)r.min == min);
    assert_int_equal(r.zero, zero);
}

static void two_by_hand(const float *t, const float *g, size_t n, float eps)
{
    struct kern_two r;
    double ds = 0, se = 0, size = 0, most = 0, worst = 0;
    uint32_t n1 = 0, n5 = 0, close = 0;
    kern_generic.two(t, g, n, eps, &r);
    for (size_t i = 0; i < n; i++) {
        double x = (double)t[i], y = (double)g[i], d = x - y;
        double rel = fabs(d) / (y == 0 ? (double)eps : fabs(y));
        ds += d * (x + y);
        size += fabs(d * (x + y));
        se += d * d;
        most = fmax(most, fabs(d));
        worst = fmax(worst, rel);
        n1 += rel < 0.001;
        n5 += rel < 0.005;
        close += fabs(rel - 0.001) < 1e-9 || fabs(rel - 0.005) < 5e-9;
    }
    near(r.ds, ds, size * 5e-6 + 1e-42);
    near(r.se, se, se * 5e-6 + 1e-42);
    near((double)r.max_abs, most, most * 1e-6);
    near((double)r.max_rel, worst, worst * 1e-6);
    if (!r.unsure) {
        assert_int_equal(r.n1, n1);
        assert_int_equal(r.n5, n5);
    }
    assert_true(r.unsure || !close); /* what float32 cannot tell is reported */
}

static void agrees_with_plain_arithmetic(void **state)
{
    static const enum kind kinds[] = {PLAIN, CLOSE, EQUAL, ZEROS, LIMITS};
    static float t[ROOM], g[ROOM];
    (void)state;
    for (int round = 0; round < 20; round++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            fill(kinds[k], t, g);
            for (size_t n = 1; n <= KERN_BLOCK; n += n < 100 ? 1 : 61) {
                one_by_hand(t + n % 7, n);
                two_by_hand(t + n % 7, g + n % 3, n, FLT_EPSILON);
            }
            one_by_hand(t, KERN_BLOCK);
            two_by_hand(t, g, KERN_BLOCK, FLT_EPSILON);
        }
}

/* All values on one side of zero: what pads a short block must not become an extreme. */
static void padding_does_not_show(void **state)
{
    float x[KERN_BLOCK];
    struct kern_one r;
    struct kern_two w;
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (size_t n = 1; n <= 40; n++) {
            for (size_t i = 0; i < n; i++)
                x[i] = (float)(sign * (2 + (int)i));
            kern_generic.one(x, n, &r);
            float far = (float)(sign * (1 + (int)n)), nearest = (float)(sign * 2);
            assert_true(r.max == (sign > 0 ? far : nearest) && r.min == (sign > 0 ? nearest : far));
            assert_int_equal(r.zero, 0);
            kern_generic.two(x, x, n, FLT_EPSILON, &w);
            assert_int_equal(w.n1, n);
            assert_int_equal(w.n5, n);
            assert_int_equal(w.unsure, 0);
        }
}

/* Where g is 0 the error is divided by eps, and only there. */
static void zero_golden(void **state)
{
    float t[3] = {0.5f, 0, 2}, g[3] = {0, 0, 1};
    struct kern_two r;
    (void)state;
    kern_generic.two(t, g, 3, 0.25f, &r);
    assert_true(r.max_rel == 2.0f);
    assert_int_equal(r.n1, 1);
    g[0] = -0.0f;
    kern_generic.two(t, g, 3, 0.25f, &r);
    assert_true(r.max_rel == 2.0f);
}

static void non_finite_blocks_say_so(void **state)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    float t[KERN_BLOCK] = {0}, g[KERN_BLOCK] = {0};
    struct kern_one r;
    struct kern_two w;
    (void)state;
    for (size_t at = 0; at < KERN_BLOCK; at += 13)
        for (int i = 0; i < 3; i++) {
            t[at] = odd[i];
            kern_generic.one(t, KERN_BLOCK, &r);
            assert_false(isfinite(r.sq));
            kern_generic.two(t, g, KERN_BLOCK, FLT_EPSILON, &w);
            assert_false(isfinite(w.se));
            kern_generic.two(g, t, KERN_BLOCK, FLT_EPSILON, &w);
            assert_false(isfinite(w.se));
            kern_generic.two(t, t, KERN_BLOCK, FLT_EPSILON, &w);
            assert_false(isfinite(w.se));
            t[at] = 0;
        }
}

static void selection(void **state)
{
    (void)state;
    assert_non_null(kern_select(NULL));
    assert_ptr_equal(kern_select(""), kern_select(NULL));
    assert_ptr_equal(kern_select("generic"), &kern_generic);
    assert_null(kern_select("sse9"));
    assert_null(kern_select("AVX2"));
    const struct kern *best = kern_select(NULL);
    assert_ptr_equal(kern_select(best->name), best);
}

static void plain_reading_sums(void **state)
{
    static float x[64 * 100];
    double sum = 0;
    (void)state;
    for (int i = 0; i < 6400; i++)
        sum += (double)(x[i] = (float)(i % 17));
    const struct kern *best = kern_select(NULL);
    near(kern_generic.read(x, 6400), sum, sum * 1e-5);
    near(best->read(x, 6400), sum, sum * 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_give_the_same_bits),
        cmocka_unit_test(agrees_with_plain_arithmetic),
        cmocka_unit_test(padding_does_not_show),
        cmocka_unit_test(zero_golden),
        cmocka_unit_test(non_finite_blocks_say_so),
        cmocka_unit_test(selection),
        cmocka_unit_test(plain_reading_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
