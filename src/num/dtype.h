/* Element types, with the names that the formats give them. */
#ifndef NUM_DTYPE_H
#define NUM_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Kept fingerprints of recordings (dump_fingerprint) hold these numbers: a new type comes last. */
enum dtype {
    DTYPE_UNKNOWN,
    DTYPE_F64,
    DTYPE_F32,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_F8E4M3, /* finite only, NaN 0x7f (OCP "e4m3fn", torch.float8_e4m3fn) */
    DTYPE_F8E5M2, /* IEEE-like with infinities */
    DTYPE_I64,
    DTYPE_I32,
    DTYPE_I16,
    DTYPE_I8,
    DTYPE_U64,
    DTYPE_U32,
    DTYPE_U16,
    DTYPE_U8,
    DTYPE_BOOL,
    DTYPE_C64,
    DTYPE_C128,
    DTYPE_HIF8,   /* Ascend's HiFloat8: 3 bits of mantissa near 1, 2 and 1 far from it (arXiv 2409.16626) */
    DTYPE_COUNT
};

enum dtype_class { CLASS_UNKNOWN, CLASS_FLOAT, CLASS_INT, CLASS_BOOL, CLASS_COMPLEX };

struct dtype_info {
    const char *name; /* the name shown: "bfloat16" */
    enum dtype_class klass;
    uint8_t size;     /* bytes per element */
    double max;       /* largest finite value; 0 if there is none (bool) */
    double epsilon;   /* distance from 1 to the next value; 0 for integers */
    double least;     /* smallest positive value, subnormal or not; 0 where it says nothing */
};

extern const struct dtype_info dtype_table[DTYPE_COUNT];

/* "torch.bfloat16", "Float32", "float16", "<f4", "|b1", "BF16" …; DTYPE_UNKNOWN for others. */
enum dtype dtype_find(struct str name);
/* Whether a type that dtype_find does not know is nevertheless one that frameworks have (quantised, packed or narrower
 * than a byte): its values are not read, but the name is no damage. */
bool dtype_is_other(struct str name);
static inline bool dtype_is_float(enum dtype d)
{
    return dtype_table[d].klass == CLASS_FLOAT;
}
/* The one with fewer significant bits; DTYPE_UNKNOWN only if both are unknown. */
static inline enum dtype dtype_coarser(enum dtype a, enum dtype b)
{
    if (a == DTYPE_UNKNOWN || a == b)
        return b;
    return dtype_table[a].epsilon >= dtype_table[b].epsilon ? a : b;
}
/* n little-endian elements to double (exact for all but 64-bit integers beyond 2^53). */
void dtype_to_f64(enum dtype d, const void *in, size_t n, double *out);
/* n little-endian elements to float; only for floating types of at most 32 bits. */
void dtype_to_f32(enum dtype d, const void *in, size_t n, float *out);
/* Of a one-byte float: its 256 values, each as the upper half of a float, which holds all of it. NULL: another type. */
const uint16_t *dtype_halves(enum dtype d);
/* Whether every value of the type is exact in a float, so that the float path may be used. */
bool dtype_fits_f32(enum dtype d);
/* The distance between the two values of d that v, finite, lies between; for floating types. */
double dtype_spacing(enum dtype d, double v);
/* v rounded to d and back, ties to even, of HiFloat8 away from zero as it defines it; for floating types. */
double dtype_round(enum dtype d, double v);
/* v rounded to the 11 bits that an operand in TF32 keeps, ties to even. */
double tf32_round(double v);

#endif
