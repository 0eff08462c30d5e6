/* The arithmetic of comparison on blocks of floats, in one pass, in several machine variants.
 *
 * A block is at most KERN_BLOCK elements in KERN_LANES lanes: each lane adds at most 64 products in
 * float32, lanes are then added in double in a fixed order (DESIGN.md, "Numbers"). No variant fuses
 * multiply and add, so all of them give the same bits and only differ in speed. */
#ifndef NUM_KERN_H
#define NUM_KERN_H

#include <stddef.h>
#include <stdint.h>

#define KERN_LANES 16
#define KERN_BLOCK (KERN_LANES * 64)

/* What one side's block holds. Meaningless when `sq` is not finite or too small to trust: then the
 * block has to be taken by the exact path (see figures.c). */
struct kern_one {
    double sum, sq;
    float max, min;
    uint32_t zero;
};

struct kern_two {
    double ds, se; /* Σ(t−g)(t+g), Σ(t−g)² */
    float max_abs, max_rel;
    uint32_t n1, n5;   /* elements whose relative error is below 0.001, 0.005 */
    uint32_t unsure;   /* elements too near these limits for float32 to tell */
};

struct kern {
    const char *name;
    void (*one)(const float *x, size_t n, struct kern_one *out);
    /* eps stands for |g| where g is 0 (msprobe's rule) */
    void (*two)(const float *t, const float *g, size_t n, float eps, struct kern_two *out);
    double (*read)(const float *x, size_t n); /* a plain sum: the bandwidth to measure against */
};

extern const struct kern kern_generic; /* always there */

/* The best variant of this machine, or the one `force` names ("generic", "avx2", "avx512", "neon");
 * NULL when the machine cannot run that one. force may be NULL. */
const struct kern *kern_select(const char *force);

#endif
