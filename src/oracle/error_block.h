/* Squares of errors and bounds of a block of elements with the widest vectors. All variants give the same bits: nothing
 * is fused, and nothing is added up here. */
#ifndef ORACLE_ERROR_BLOCK_H
#define ORACLE_ERROR_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { ERROR_LANES = 4, ERROR_BLOCK = 128 }; /* elements computed together, and the most of one call */

/* What an element's bound is made of besides its own figures (error_bound.c). */
struct error_factors {
    bool product, finer;
    double most;           /* magnitudes up to this are compared by value */
    double per_c, per_a;   /* of the roundings: units of the operator's type, and of float32 */
    double per_y, least;   /* of the output's rounding: units of its type, and two of its smallest subnormals */
    double sums;           /* of the sums of a product: a times this is 2 √k (s + |y|) */
    double spacing, least_spacing; /* of the operator's type at 1 and at 0 */
    double own;            /* if `finer`: units of the coarser type */
    double reduced[3];     /* units of reduced arithmetic, from ARITHMETIC_TF32 (error_bound.h) */
};

/* Elements of one output; c, a and s NULL: 0 (oracle/formula.h, struct candidate). */
struct error_elements {
    int64_t n;
    const double *y, *recorded, *c, *a, *s;
};

/* What each element adds to the sums of these names (struct error_sums); all but value2, error2 and own2 only of
 * products. */
struct error_terms {
    double value2[ERROR_BLOCK], error2[ERROR_BLOCK], own2[ERROR_BLOCK], reduced2[3][ERROR_BLOCK], once2[ERROR_BLOCK],
        sums2[ERROR_BLOCK];
    bool rounded; /* some c is not 0 */
};

/* Computes the terms of n elements, a multiple of ERROR_LANES, from the one at `from`; false, with nothing computed, if
 * some are not compared by value. */
typedef bool error_block_function(struct error_terms *out, const struct error_factors *f,
    const struct error_elements *x, int64_t from, int n);

/* The fastest first; ends with an empty one. */
struct error_block_variant {
    bool (*runs)(void); /* whether this machine can run it */
    error_block_function *compute;
};
extern const struct error_block_variant error_block_variants[];

error_block_function *error_block_best(void);

#endif
