/* The table of element types, and conversion of their elements to float or double. */
#include "num/dtype.h"

#include <math.h>
#include <string.h>

const struct dtype_info dtype_table[DTYPE_COUNT] = {
    [DTYPE_UNKNOWN] = {"unknown", CLASS_UNKNOWN, 0, 0, 0, 0},
    [DTYPE_F64] = {"float64", CLASS_FLOAT, 8, 1.7976931348623157e308, 0x1p-52, 0x1p-1074},
    [DTYPE_F32] = {"float32", CLASS_FLOAT, 4, 0x1.fffffep127, 0x1p-23, 0x1p-149},
    [DTYPE_F16] = {"float16", CLASS_FLOAT, 2, 65504, 0x1p-10, 0x1p-24},
    [DTYPE_BF16] = {"bfloat16", CLASS_FLOAT, 2, 0x1.fep127, 0x1p-7, 0x1p-133},
    [DTYPE_F8E4M3] = {"float8_e4m3", CLASS_FLOAT, 1, 448, 0x1p-3, 0x1p-9},
    [DTYPE_F8E5M2] = {"float8_e5m2", CLASS_FLOAT, 1, 57344, 0x1p-2, 0x1p-16},
    [DTYPE_HIF8] = {"hifloat8", CLASS_FLOAT, 1, 32768, 0x1p-3, 0x1p-22},
    [DTYPE_I64] = {"int64", CLASS_INT, 8, 0, 0, 0},
    [DTYPE_I32] = {"int32", CLASS_INT, 4, 0, 0, 0},
    [DTYPE_I16] = {"int16", CLASS_INT, 2, 0, 0, 0},
    [DTYPE_I8] = {"int8", CLASS_INT, 1, 0, 0, 0},
    [DTYPE_U64] = {"uint64", CLASS_INT, 8, 0, 0, 0},
    [DTYPE_U32] = {"uint32", CLASS_INT, 4, 0, 0, 0},
    [DTYPE_U16] = {"uint16", CLASS_INT, 2, 0, 0, 0},
    [DTYPE_U8] = {"uint8", CLASS_INT, 1, 0, 0, 0},
    [DTYPE_BOOL] = {"bool", CLASS_BOOL, 1, 0, 0, 0},
    [DTYPE_C64] = {"complex64", CLASS_COMPLEX, 8, 0, 0x1p-23, 0},
    [DTYPE_C128] = {"complex128", CLASS_COMPLEX, 16, 0, 0x1p-52, 0},
};

static const struct {
    const char *name;
    enum dtype dtype;
} alias[] = {
    {"double", DTYPE_F64},  {"f8", DTYPE_F64},          {"f64", DTYPE_F64},
    {"float", DTYPE_F32},   {"f4", DTYPE_F32},          {"f32", DTYPE_F32},
    {"half", DTYPE_F16},    {"f2", DTYPE_F16},          {"f16", DTYPE_F16},
    {"e2", DTYPE_BF16},     {"t2", DTYPE_BF16},         {"bf16", DTYPE_BF16}, /* MindSpore's own npy codes */
    {"float8_e4m3fn", DTYPE_F8E4M3}, {"f8_e4m3", DTYPE_F8E4M3}, {"f8_e5m2", DTYPE_F8E5M2},
    {"float8e4m3fn", DTYPE_F8E4M3}, {"f8e4m3fn", DTYPE_F8E4M3}, {"float8e5m2", DTYPE_F8E5M2}, {"f8e5m2", DTYPE_F8E5M2},
    {"hifloat8tensor", DTYPE_HIF8}, /* torch_npu's class, which msprobe records as the type */
    {"long", DTYPE_I64},    {"i8", DTYPE_I64},          {"i64", DTYPE_I64},
    {"int", DTYPE_I32},     {"i4", DTYPE_I32},          {"i32", DTYPE_I32},
    {"short", DTYPE_I16},   {"i2", DTYPE_I16},          {"i16", DTYPE_I16},
    {"i1", DTYPE_I8},       {"u8", DTYPE_U64},          {"u4", DTYPE_U32},
    {"u2", DTYPE_U16},      {"u1", DTYPE_U8},           {"b1", DTYPE_BOOL},
    {"c8", DTYPE_C64},      {"c16", DTYPE_C128},
};

static struct str strip_framework_prefix(struct str name)
{
    static const char *const prefix[] = {"torch.", "torch_npu.", "mindspore.", "numpy."};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (str_starts(name, prefix[i]))
            name = str_cut(name, strlen(prefix[i]));
    return name;
}

bool dtype_is_other(struct str name)
{
    static const char *const other[] = {
        "complex32", "chalf", "qint8", "quint8", "qint32", "quint4x2", "quint2x4", "float8_e4m3fnuz",
        "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2", "bits1x8", "bits2x4", "bits4x2", "bits8", "bits16",
        "int1", "int2", "int3", "int4", "int5", "int6", "int7", "uint1", "uint2", "uint3", "uint4", "uint5", "uint6",
        "uint7", "qint4x2", "string", "object", "resource", "void", "datetime64", "timedelta64",
    };
    name = strip_framework_prefix(name);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (str_ieq(name, str_of(other[i])))
            return true;
    return false;
}

enum dtype dtype_find(struct str name)
{
    name = strip_framework_prefix(name);
    if (name.n && (name.p[0] == '<' || name.p[0] == '|' || name.p[0] == '='))
        name = str_cut(name, 1);
    for (int d = 1; d < DTYPE_COUNT; d++)
        if (str_ieq(name, str_of(dtype_table[d].name)))
            return (enum dtype)d;
    for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
        if (str_ieq(name, str_of(alias[i].name)))
            return alias[i].dtype;
    return DTYPE_UNKNOWN;
}

bool dtype_fits_f32(enum dtype d)
{
    return dtype_is_float(d) && d != DTYPE_F64;
}

static float bits_f32(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* Exact and branch-free for normal, subnormal and special values: a multiplication rebiases the exponent, which also
 * normalises subnormals. */
static float half_f32(uint16_t h)
{
    uint32_t mag = (uint32_t)(h & 0x7fff) << 13;
    float f = bits_f32(mag) * 0x1p112f;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    if ((h & 0x7c00) == 0x7c00)
        u = mag | 0x7f800000u;
    return bits_f32(u | (uint32_t)(h & 0x8000) << 16);
}

/* No infinities: exponent 15 is a normal binade, and only 0x7f is NaN. */
static float e4m3_f32(unsigned char b)
{
    float f = bits_f32((uint32_t)(b & 0x7f) << 20) * 0x1p120f;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    if ((b & 0x7f) == 0x7f)
        u = 0x7fc00000u;
    return bits_f32(u | (uint32_t)(b & 0x80) << 24);
}

/* Sign, then how many bits the exponent has, in a prefix code (11: 4, 10: 3, 01: 2, 001: 1, 0001: 0), then the exponent
 * as sign and magnitude, whose first bit is always 1 and left out, then the mantissa. 0000: powers of two below. */
static float hif8_f32(unsigned char b)
{
    unsigned p = b & 0x7f, bits = p >> 5 ? (p >> 5) + 1 : p >> 4, mantissa_bits = p >> 5 ? 5 - bits : 3;
    unsigned mantissa = p & ((1u << mantissa_bits) - 1);
    float sign = b & 0x80 ? -1 : 1;
    if (p < 8)
        return b == 0x80 ? NAN : p ? sign * ldexpf(1, (int)p - 23) : 0;
    if (p == 0x6f)
        return sign * INFINITY;
    int exponent = 0;
    if (bits) {
        unsigned field = p >> mantissa_bits & ((1u << bits) - 1), first = 1u << (bits - 1);
        exponent = (int)(first | (field & (first - 1)));
        exponent = field & first ? -exponent : exponent;
    }
    return sign * ldexpf((float)((1u << mantissa_bits) + mantissa), exponent - (int)mantissa_bits);
}

/* All values of the one-byte types, so that conversion is a table lookup. */
static float e4m3_values[256], e5m2_values[256], hif8_values[256];
static uint16_t e4m3_halves[256], e5m2_halves[256], hif8_halves[256];

static uint16_t upper_half(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return (uint16_t)(u >> 16);
}

__attribute__((constructor)) static void fill_f8_tables(void)
{
    for (unsigned b = 0; b < 256; b++) {
        e4m3_values[b] = e4m3_f32((unsigned char)b);
        e5m2_values[b] = half_f32((uint16_t)(b << 8)); /* the upper byte of a float16 */
        hif8_values[b] = hif8_f32((unsigned char)b);
        e4m3_halves[b] = upper_half(e4m3_values[b]);
        e5m2_halves[b] = upper_half(e5m2_values[b]);
        hif8_halves[b] = upper_half(hif8_values[b]);
    }
}

const uint16_t *dtype_halves(enum dtype d)
{
    return d == DTYPE_F8E4M3 ? e4m3_halves : d == DTYPE_F8E5M2 ? e5m2_halves : d == DTYPE_HIF8 ? hif8_halves : NULL;
}

void dtype_to_f32(enum dtype d, const void *in, size_t n, float *out)
{
    const unsigned char *b = in;
    uint16_t h;
    switch (d) {
    case DTYPE_F32:
        memcpy(out, in, n * 4);
        break;
    case DTYPE_F16:
        for (size_t i = 0; i < n; i++) {
            memcpy(&h, b + 2 * i, 2);
            out[i] = half_f32(h);
        }
        break;
    case DTYPE_BF16:
        for (size_t i = 0; i < n; i++) {
            memcpy(&h, b + 2 * i, 2);
            out[i] = bits_f32((uint32_t)h << 16);
        }
        break;
    case DTYPE_F8E4M3:
        for (size_t i = 0; i < n; i++)
            out[i] = e4m3_values[b[i]];
        break;
    case DTYPE_F8E5M2:
        for (size_t i = 0; i < n; i++)
            out[i] = e5m2_values[b[i]];
        break;
    case DTYPE_HIF8:
        for (size_t i = 0; i < n; i++)
            out[i] = hif8_values[b[i]];
        break;
    default:
        for (size_t i = 0; i < n; i++)
            out[i] = NAN;
    }
}

#define WIDEN(type)                                                                                \
    for (size_t i = 0; i < n; i++) {                                                               \
        type v;                                                                                    \
        memcpy(&v, b + i * sizeof v, sizeof v);                                                    \
        out[i] = (double)v;                                                                        \
    }                                                                                              \
    break

void dtype_to_f64(enum dtype d, const void *in, size_t n, double *out)
{
    const unsigned char *b = in;
    switch (d) {
    case DTYPE_F64:
        memcpy(out, in, n * 8);
        break;
    case DTYPE_F32:
        WIDEN(float);
    case DTYPE_I64:
        WIDEN(int64_t);
    case DTYPE_I32:
        WIDEN(int32_t);
    case DTYPE_I16:
        WIDEN(int16_t);
    case DTYPE_I8:
        WIDEN(int8_t);
    case DTYPE_U64:
        WIDEN(uint64_t);
    case DTYPE_U32:
        WIDEN(uint32_t);
    case DTYPE_U16:
        WIDEN(uint16_t);
    case DTYPE_U8:
        WIDEN(uint8_t);
    case DTYPE_BOOL:
        for (size_t i = 0; i < n; i++)
            out[i] = b[i] != 0;
        break;
    case DTYPE_F16:
    case DTYPE_BF16:
    case DTYPE_F8E4M3:
    case DTYPE_F8E5M2:
    case DTYPE_HIF8:
        for (size_t at = 0, part; at < n; at += part) {
            float f[256];
            part = n - at < 256 ? n - at : 256;
            dtype_to_f32(d, b + at * dtype_table[d].size, part, f);
            for (size_t i = 0; i < part; i++)
                out[at + i] = (double)f[i];
        }
        break;
    default:
        for (size_t i = 0; i < n; i++)
            out[i] = NAN;
    }
}

double dtype_spacing(enum dtype d, double v)
{
    const struct dtype_info *t = &dtype_table[d];
    int e = v == 0 ? -2000 : ilogb(v), far = e < 0 ? -e : e;
    double unit = ldexp(t->epsilon, e);
    if (d == DTYPE_HIF8) /* three bits of mantissa, two, one; powers of two below 2^-15 */
        unit = ldexp(1, e - (far <= 3 ? 3 : far <= 7 ? 2 : far <= 15));
    return unit < t->least ? t->least : unit;
}

/* v with as many bits of its mantissa as an epsilon, a power of two, leaves; half to even. */
static double round_bits(double v, double epsilon)
{
    uint64_t bits, unit, last;
    memcpy(&unit, &epsilon, sizeof unit);
    last = UINT64_C(1) << (52 - (1023 - (unit >> 52)));
    memcpy(&bits, &v, sizeof bits);
    bits = (bits + last / 2 - !(bits & last)) & ~(last - 1);
    memcpy(&v, &bits, sizeof v);
    return v;
}

double tf32_round(double v)
{
    return isfinite(v) && v != 0 ? round_bits(v, 0x1p-10) : v;
}

double dtype_round(enum dtype d, double v)
{
    const struct dtype_info *t = &dtype_table[d];
    if (!isfinite(v) || v == 0 || t->epsilon == 0 || d == DTYPE_F64)
        return v;
    if (d == DTYPE_F32)
        return (double)(float)v;
    if (d != DTYPE_HIF8 && fabs(v) * t->epsilon >= t->least && fabs(v) <= t->max)
        return round_bits(v, t->epsilon);
    double unit = dtype_spacing(d, v), r = (d == DTYPE_HIF8 ? round(v / unit) : nearbyint(v / unit)) * unit;
    if (fabs(r) > t->max)
        return d == DTYPE_F8E4M3 ? copysign(t->max, v) : copysign(INFINITY, v);
    return r;
}
