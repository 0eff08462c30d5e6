/* Element types: every name the formats use, and every bit pattern of the small floats against the
 * plain reading of its fields. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "num/dtype.h"

/* The value of a pattern by the book: sign, e exponent bits, m mantissa bits. */
static double by_the_book(unsigned v, int e, int m, bool finite_only)
{
    unsigned man = v & ((1u << m) - 1), exp = v >> m & ((1u << e) - 1), ones = (1u << e) - 1;
    double sign = v >> (e + m) & 1 ? -1 : 1, bias = (1 << (e - 1)) - 1;
    if (finite_only && exp == ones && man == (1u << m) - 1)
        return NAN;
    if (!finite_only && exp == ones)
        return man ? NAN : sign * INFINITY;
    if (exp == 0)
        return sign * (double)man / (1 << m) * pow(2, 1 - bias);
    return sign * (1 + (double)man / (1 << m)) * pow(2, (int)exp - bias);
}

static void all_patterns(enum dtype d, int e, int m, bool finite_only)
{
    unsigned n = 1u << (1 + e + m);
    size_t size = dtype_table[d].size;
    for (unsigned v = 0; v < n; v++) {
        unsigned char raw[3] = {0, (unsigned char)v, (unsigned char)(v >> 8)};
        double want = by_the_book(v, e, m, finite_only), wide;
        float narrow;
        dtype_to_f64(d, raw + 1, 1, &wide); /* not aligned */
        dtype_to_f32(d, raw + 1, 1, &narrow);
        if (isnan(want)) {
            assert_true(isnan(wide) && isnan(narrow));
            continue;
        }
        double back = (double)narrow;
        assert_memory_equal(&wide, &want, sizeof want);
        assert_memory_equal(&back, &want, sizeof want);
        assert_true(size == 1 || size == 2);
        assert_true(!isfinite(want) || fabs(want) <= dtype_table[d].max);
    }
}

static void small_floats(void **state)
{
    (void)state;
    all_patterns(DTYPE_F16, 5, 10, false);
    all_patterns(DTYPE_BF16, 8, 7, false);
    all_patterns(DTYPE_F8E4M3, 4, 3, true);
    all_patterns(DTYPE_F8E5M2, 5, 2, false);
}

/* HiFloat8 by its definition (arXiv 2409.16626): each range of patterns with how it goes on, the special ones apart. */
static double hifloat8_by_the_book(unsigned v)
{
    static const struct {
        unsigned from, to, mantissa; /* patterns without the sign; bits of mantissa */
        int exponent;                /* of the first, the next follow */
        bool negative;               /* they go down */
    } ranges[] = {
        {0x08, 0x0f, 3, 0, false},  {0x10, 0x17, 3, 1, false},  {0x18, 0x1f, 3, -1, false}, {0x20, 0x2f, 3, 2, false},
        {0x30, 0x3f, 3, -2, true},  {0x40, 0x4f, 2, 4, false},  {0x50, 0x5f, 2, -4, true},  {0x60, 0x6f, 1, 8, false},
        {0x70, 0x7f, 1, -8, true},
    };
    unsigned p = v & 0x7f;
    double sign = v & 0x80 ? -1 : 1;
    if (v == 0)
        return 0;
    if (v == 0x80)
        return NAN;
    if (p == 0x6f)
        return sign * INFINITY;
    if (p < 8)
        return sign * pow(2, (int)p - 23);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        unsigned at = p - ranges[i].from, one = 1u << ranges[i].mantissa;
        int step = (int)(at / one);
        if (p >= ranges[i].from && p <= ranges[i].to)
            return sign * (1 + (double)(at % one) / one) *
                   pow(2, ranges[i].exponent + (ranges[i].negative ? -step : step));
    }
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void hifloat8(void **state)
{
    double values[128];
    size_t n = 0;
    (void)state;
    for (unsigned v = 0; v < 256; v++) {
        unsigned char raw = (unsigned char)v;
        double want = hifloat8_by_the_book(v), got;
        dtype_to_f64(DTYPE_HIF8, &raw, 1, &got);
        assert_true(got == want || (isnan(got) && isnan(want)));
        if (v < 0x80 && isfinite(want))
            values[n++] = want;
    }
    qsort(values, n, sizeof *values, by_value);
    assert_int_equal(n, 127);
    assert_true(values[1] == dtype_table[DTYPE_HIF8].least && values[126] == dtype_table[DTYPE_HIF8].max);
    /* each stays, and of two neighbours the nearer is taken, the one farther from zero where both are as near */
    for (size_t i = 0; i + 1 < n; i++) {
        double a = values[i], b = values[i + 1], mid = (a + b) / 2;
        assert_true(a < b);
        assert_true(dtype_round(DTYPE_HIF8, a) == a && dtype_round(DTYPE_HIF8, -b) == -b);
        assert_true(dtype_round(DTYPE_HIF8, mid) == b && dtype_round(DTYPE_HIF8, -mid) == -b);
        assert_true(dtype_round(DTYPE_HIF8, nextafter(mid, 0)) == a);
        assert_true(dtype_spacing(DTYPE_HIF8, mid) == b - a);
    }
    assert_true(dtype_round(DTYPE_HIF8, 40959) == 32768 && isinf(dtype_round(DTYPE_HIF8, 40960)));
}

/* The table's largest value and epsilon are those of the patterns. */
static void limits_of_the_table(void **state)
{
    static const struct {
        enum dtype d;
        int e, m;
        bool finite_only;
    } types[] = {
        {DTYPE_F16, 5, 10, false},
        {DTYPE_BF16, 8, 7, false},
        {DTYPE_F8E4M3, 4, 3, true},
        {DTYPE_F8E5M2, 5, 2, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double max = 0, above = INFINITY, least = INFINITY;
        for (unsigned v = 0; v < 1u << (types[i].e + types[i].m); v++) {
            double x = by_the_book(v, types[i].e, types[i].m, types[i].finite_only);
            if (isfinite(x) && x > max)
                max = x;
            if (x > 1 && x < above)
                above = x;
            if (x > 0 && x < least)
                least = x;
        }
        assert_true(dtype_table[types[i].d].max == max);
        assert_true(dtype_table[types[i].d].least == least);
        assert_true(dtype_table[types[i].d].epsilon == above - 1);
    }
    assert_true(dtype_table[DTYPE_F32].max == (double)FLT_MAX);
    assert_true(dtype_table[DTYPE_F64].max == DBL_MAX);
    assert_true(dtype_table[DTYPE_F32].epsilon == (double)FLT_EPSILON);
    assert_true(dtype_table[DTYPE_F64].epsilon == DBL_EPSILON);
}

static void blocks_of_elements(void **state)
{
    uint16_t raw[1000];
    float out[1000];
    double wide[1000];
    (void)state;
    for (int i = 0; i < 1000; i++)
        raw[i] = (uint16_t)(i * 61);
    dtype_to_f32(DTYPE_F16, raw, 1000, out);
    dtype_to_f64(DTYPE_F16, raw, 1000, wide);
    for (int i = 0; i < 1000; i++) {
        double want = by_the_book(raw[i], 5, 10, false);
        assert_true((double)out[i] == want || isnan(want));
        assert_true(wide[i] == want || isnan(want));
    }
}

static double one(enum dtype d, const void *raw)
{
    double v;
    dtype_to_f64(d, raw, 1, &v);
    return v;
}

static void whole_numbers(void **state)
{
    (void)state;
    assert_true(one(DTYPE_I64, &(int64_t){-9007199254740993}) == -9007199254740992.0);
    assert_true(one(DTYPE_I64, &(int64_t){INT64_MIN}) == -0x1p63);
    assert_true(one(DTYPE_U64, &(uint64_t){UINT64_MAX}) == 0x1p64);
    assert_true(one(DTYPE_I32, &(int32_t){INT32_MIN}) == -2147483648.0);
    assert_true(one(DTYPE_U32, &(uint32_t){UINT32_MAX}) == 4294967295.0);
    assert_true(one(DTYPE_I16, &(int16_t){-32768}) == -32768);
    assert_true(one(DTYPE_U16, &(uint16_t){65535}) == 65535);
    for (int i = 0; i < 256; i++) {
        unsigned char b = (unsigned char)i;
        assert_true(one(DTYPE_U8, &b) == i);
        assert_true(one(DTYPE_I8, &b) == (i < 128 ? i : i - 256));
        assert_true(one(DTYPE_BOOL, &b) == (i != 0));
    }
}

static void wide_floats(void **state)
{
    static const float f[] = {0, -0.0f, 1.5f, FLT_MAX, FLT_MIN / 8, INFINITY, -INFINITY};
    (void)state;
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        float out;
        assert_true(one(DTYPE_F32, &f[i]) == (double)f[i]);
        dtype_to_f32(DTYPE_F32, &f[i], 1, &out);
        assert_memory_equal(&out, &f[i], sizeof out);
    }
    assert_true(one(DTYPE_F64, &(double){DBL_MAX}) == DBL_MAX);
    assert_true(isnan(one(DTYPE_F32, &(float){NAN})));
    assert_true(isnan(one(DTYPE_UNKNOWN, &(double){1})));
    assert_true(isnan(one(DTYPE_C64, &(double){1}))); /* no single number */
}

static void names(void **state)
{
    static const struct {
        const char *name;
        enum dtype d;
    } cases[] = {
        {"torch.float32", DTYPE_F32},   {"torch.bfloat16", DTYPE_BF16}, {"torch.int64", DTYPE_I64},
        {"torch.bool", DTYPE_BOOL},     {"torch.half", DTYPE_F16},      {"torch.uint8", DTYPE_U8},
        {"torch.float8_e4m3fn", DTYPE_F8E4M3}, {"torch.float8_e5m2", DTYPE_F8E5M2},
        {"Float8E4M3FN", DTYPE_F8E4M3}, {"Float8E5M2", DTYPE_F8E5M2},   {"HiFloat8", DTYPE_HIF8},
        {"torch_npu.HiFloat8Tensor", DTYPE_HIF8},
        {"torch.complex64", DTYPE_C64}, {"torch.complex128", DTYPE_C128}, {"torch.int8", DTYPE_I8},
        {"Float32", DTYPE_F32},         {"BFloat16", DTYPE_BF16},       {"Float16", DTYPE_F16},
        {"Int32", DTYPE_I32},           {"Int64", DTYPE_I64},           {"Bool", DTYPE_BOOL},
        {"mindspore.float16", DTYPE_F16}, {"mindspore.Int8", DTYPE_I8}, {"numpy.float64", DTYPE_F64},
        {"float32", DTYPE_F32},         {"bfloat16", DTYPE_BF16},       {"int16", DTYPE_I16},
        {"uint64", DTYPE_U64},          {"uint32", DTYPE_U32},          {"uint16", DTYPE_U16},
        {"<f4", DTYPE_F32},             {"<f8", DTYPE_F64},             {"<f2", DTYPE_F16},
        {"|b1", DTYPE_BOOL},            {"|i1", DTYPE_I8},              {"|u1", DTYPE_U8},
        {"<i8", DTYPE_I64},             {"<i4", DTYPE_I32},             {"<i2", DTYPE_I16},
        {"<u8", DTYPE_U64},             {"<u4", DTYPE_U32},             {"<u2", DTYPE_U16},
        {"<E2", DTYPE_BF16},            {"<T2", DTYPE_BF16},            {"=f4", DTYPE_F32},
        {"BF16", DTYPE_BF16},           {"F16", DTYPE_F16},             {"F32", DTYPE_F32},
        {"F64", DTYPE_F64},             {"F8_E4M3", DTYPE_F8E4M3},      {"F8_E5M2", DTYPE_F8E5M2},
        {"I64", DTYPE_I64},             {"<c8", DTYPE_C64},             {"double", DTYPE_F64},
        {"long", DTYPE_I64},            {"int", DTYPE_I32},             {"short", DTYPE_I16},
    };
    static const char *const unknown[] = {"", "unknown", "torch.", "torch.qint8", "floats", "unsupported(44)",
                                          "<f3", "f16x", "<", "String"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(dtype_find(str_of(cases[i].name)), cases[i].d);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(dtype_find(str_of(unknown[i])), DTYPE_UNKNOWN);
    assert_int_equal(dtype_find(STR("float")), DTYPE_F32);
    for (int d = 1; d < DTYPE_COUNT; d++)
        assert_int_equal(dtype_find(str_of(dtype_table[d].name)), d);
}

static void which_fit_a_float(void **state)
{
    (void)state;
    for (int d = 0; d < DTYPE_COUNT; d++) {
        bool small = d == DTYPE_F32 || d == DTYPE_F16 || d == DTYPE_BF16 || d == DTYPE_F8E4M3 ||
                     d == DTYPE_F8E5M2 || d == DTYPE_HIF8;
        assert_int_equal(dtype_fits_f32((enum dtype)d), small);
    }
}

static void the_coarser(void **state)
{
    static const enum dtype fine_to_coarse[] = {DTYPE_F64,  DTYPE_F32,    DTYPE_F16,
                                                DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E5M2};
    (void)state;
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 6; k++)
            assert_int_equal(dtype_coarser(fine_to_coarse[i], fine_to_coarse[k]),
                             fine_to_coarse[i > k ? i : k]);
}

/* "DTYPE_UNKNOWN never wins": not against integers either. */
static void unknown_is_never_the_coarser(void **state)
{
    (void)state;
    for (int d = 1; d < DTYPE_COUNT; d++) {
        assert_int_equal(dtype_coarser((enum dtype)d, DTYPE_UNKNOWN), d);
        assert_int_equal(dtype_coarser(DTYPE_UNKNOWN, (enum dtype)d), d);
    }
}

/* Every value of the type stays; between two neighbours the nearer wins, the even one on a tie. */
static void rounds(enum dtype d, int e, int m, bool finite_only)
{
    unsigned n = 1u << (e + m);
    for (unsigned v = 0; v + 1 < n; v++) {
        double a = by_the_book(v, e, m, finite_only), b = by_the_book(v + 1, e, m, finite_only);
        assert_true(!isfinite(a) || dtype_round(d, a) == a);
        assert_true(!isfinite(a) || dtype_round(d, -a) == -a);
        if (!isfinite(a) || !isfinite(b))
            continue;
        double mid = a / 2 + b / 2, even = v & 1 ? b : a;
        assert_true(dtype_round(d, mid) == even);
        assert_true(dtype_round(d, -mid) == -even);
        assert_true(dtype_round(d, nextafter(mid, 0)) == a);
        assert_true(dtype_round(d, nextafter(mid, INFINITY)) == b);
    }
}

static void rounding(void **state)
{
    (void)state;
    rounds(DTYPE_F16, 5, 10, false);
    rounds(DTYPE_BF16, 8, 7, false);
    rounds(DTYPE_F8E4M3, 4, 3, true);
    rounds(DTYPE_F8E5M2, 5, 2, false);
    assert_true(dtype_round(DTYPE_F32, 0.1) == (double)0.1f);
    assert_true(dtype_round(DTYPE_F64, 0.1) == 0.1);
    assert_true(dtype_round(DTYPE_I32, 0.1) == 0.1); /* for floating types only */
}

static void rounding_overflows(void **state)
{
    (void)state;
    assert_true(dtype_round(DTYPE_F16, 65519.99) == 65504);
    assert_true(isinf(dtype_round(DTYPE_F16, 65520)));
    assert_true(dtype_round(DTYPE_F16, -1e30) == -INFINITY);
    assert_true(dtype_round(DTYPE_F8E5M2, 57345) == 57344);
    assert_true(isinf(dtype_round(DTYPE_F8E5M2, 1e9)));
    assert_true(isinf(dtype_round(DTYPE_BF16, (double)FLT_MAX)));
    assert_true(isinf(dtype_round(DTYPE_F32, 1e39)));
    assert_true(fabs(dtype_round(DTYPE_F8E4M3, -1e9)) == 448); /* finite only: it has no infinity */
    assert_true(dtype_round(DTYPE_F16, INFINITY) == INFINITY);
    assert_true(isnan(dtype_round(DTYPE_F16, NAN)));
    assert_true(dtype_round(DTYPE_F16, 1e-9) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_floats),
        cmocka_unit_test(hifloat8),
        cmocka_unit_test(limits_of_the_table),
        cmocka_unit_test(blocks_of_elements),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(wide_floats),
        cmocka_unit_test(names),
        cmocka_unit_test(which_fit_a_float),
        cmocka_unit_test(the_coarser),
        cmocka_unit_test(unknown_is_never_the_coarser),
        cmocka_unit_test(rounding),
        cmocka_unit_test(rounding_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
