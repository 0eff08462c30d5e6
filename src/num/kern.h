/* The arithmetic of comparison on blocks of floats, in one pass, in several machine variants.
 *
 * A block is at most KERN_BLOCK elements in KERN_LANES lanes, element i in lane i % KERN_LANES (of
 * bfloat16, i / 2 % KERN_LANES: pairs are taken apart faster than shuffled). Each lane adds at most KERN_RUN
 * products in float32, then adds its run to its own sums in double (DESIGN.md, "Numbers"). A product is added with
 * one rounding in every variant, and lanes never mix here, so all of them give the same bits and differ in speed
 * alone. 16-bit floats are widened in registers on the way in. */
#ifndef NUM_KERN_H
#define NUM_KERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERN_LANES 16
#define KERN_RUN 64
#define KERN_BLOCK (KERN_LANES * KERN_RUN)
#define KERN_STEP (2 * KERN_LANES) /* elements are handed over in multiples of this */
#define KERN_EPSILON 0x1p-23f /* used in place of |g| where g is 0: the epsilon of float32, as in msprobe */

/* Sums and extremes of one side's elements. */
struct kern_side {
    double sum[KERN_LANES], sq[KERN_LANES];
    float max[KERN_LANES], min[KERN_LANES];
    uint64_t zero, saturated;
    float limit; /* the type's largest finite value; an element of this magnitude is saturated */
};

struct kern_sums {
    struct kern_side side[2];
    double dg[KERN_LANES], se[KERN_LANES]; /* Σ(t−g)g, Σ(t−g)² */
    float max_rel[KERN_LANES];
    float max_abs;
    uint64_t max_abs_at; /* index of the first largest, on the scale of n */
    uint64_t n1, n5; /* elements whose relative error is below 0.001 and 0.005; exact, equal to a division in double */
    uint64_t n;          /* index of the next element; the caller adds the elements it handles itself */
    unsigned wary;       /* blocks for which zeros are expected: affects speed only */
    size_t ahead;        /* how far ahead data are prefetched, in bytes: affects speed only */
    const uint16_t *values[2]; /* of each side's one-byte floats (KERN_F8): byte b is the upper half of this float */
};

/* The same in double, in KERN_EXACT lanes: element i in lane i % KERN_EXACT. Squares and sums run over finite
 * elements; max and min over all but NaN. */
#define KERN_EXACT 8

struct kern_exact_side {
    double sum[KERN_EXACT], sq[KERN_EXACT], max[KERN_EXACT], min[KERN_EXACT];
    uint64_t nan, pos_inf, neg_inf, zero, saturated;
    double limit;
};

struct kern_exact_pair { /* elements that are non-finite on both sides count as zeros */
    double ds[KERN_EXACT], se[KERN_EXACT]; /* Σ(t−g)(t+g), Σ(t−g)² */
    double max_abs[KERN_EXACT], max_rel[KERN_EXACT];
    uint64_t n1, n5;
};

/* One-byte integers: all sums are integers, exact in any order. */
struct kern_bytes {
    int64_t sum[2];
    uint64_t sq[2], zero[2];
    uint64_t se;   /* Σ(t−g)² */
    uint64_t same; /* elements without an error */
    uint64_t near; /* elements with a relative error below 0.005 */
    uint64_t max_abs_at; /* index of the first largest, on the scale of n */
    uint64_t n;    /* index of the next element */
    int max[2], min[2];
    unsigned max_abs, of_zero; /* of_zero: the largest error where g is 0 */
    unsigned error, by;        /* the largest relative error where g is not 0, as a fraction error / by */
};

/* One-byte floats are decoded into bfloat16, which holds all their values. */
enum kern_type { KERN_F32, KERN_F16, KERN_BF16, KERN_WIDENED, KERN_F8 = KERN_WIDENED, KERN_TYPES };

struct kern {
    const char *name;
    /* Adds n elements (a multiple of KERN_STEP) block by block to s, up to the first block for which float32 is not
     * sufficient: non-finite values, or squares or a relative error out of range. Returns the number of elements
     * added, without that block. */
    size_t (*one[KERN_TYPES])(struct kern_sums *s, const void *x, size_t n); /* adds to side[0] */
    size_t (*two[KERN_TYPES])(struct kern_sums *s, const void *t, const void *g, size_t n);
    void (*widen[KERN_WIDENED])(const void *x, size_t n, float *out); /* exact; NaN stays some NaN */
    /* Add n doubles, a multiple of KERN_EXACT. exact_two returns whether a lane's largest error rose or elements are
     * non-finite on one side only; the caller then searches the place. */
    void (*exact_one)(struct kern_exact_side *s, const double *x, size_t n);
    bool (*exact_two)(struct kern_exact_side side[2], struct kern_exact_pair *p, const double *t, const double *g,
                      size_t n, double eps);
    /* n elements of both sides, all signed or all unsigned. */
    void (*bytes)(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed);
    double (*read)(const float *x, size_t n); /* a plain sum, as a measure of memory bandwidth */
};

extern const struct kern kern_scalar; /* plain C, always available; the reference for the others */

void kern_start(struct kern_sums *s, double limit_t, double limit_g);

void kern_bytes_start(struct kern_bytes *s, uint64_t first);
/* Used by the variants: the largest absolute and relative error of a block, element by element. */
void kern_bytes_look(struct kern_bytes *s, const void *t, const void *g, size_t n, bool is_signed);

/* The fastest variant for this machine, or the one named by `force` ("scalar", "generic", "avx2", "avx512", "neon");
 * NULL if the machine cannot run it. force may be NULL. */
const struct kern *kern_select(const char *force);
/* The i-th variant this machine can run, the fastest first; NULL after the last. */
const struct kern *kern_nth(size_t i);

#endif
