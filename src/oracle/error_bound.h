/* The error of a recorded output against a formula's value, and the bound that correct arithmetic guarantees: sums
 * over elements, whose order their last digits depend on. doc/oracle.md has the bounds and their sources. */
#ifndef ORACLE_ERROR_BOUND_H
#define ORACLE_ERROR_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "num/dtype.h"
#include "oracle/error_block.h"

/* The arithmetic in which a side computes products of one family and element type, finest first. */
enum arithmetic { ARITHMETIC_OWN, ARITHMETIC_TF32, ARITHMETIC_BF16, ARITHMETIC_SPLIT, ARITHMETIC_COUNT };
/* "tf32"; "bfloat16-split"; for ARITHMETIC_OWN the type, "float32". Static text. */
const char *arithmetic_name(enum arithmetic a, enum dtype type);

struct error_case {
    enum dtype output, type; /* type: the coarsest floating type among the inputs read and the output */
    bool finer;              /* a floating type finer than `type` occurs too: autocast */
    bool product, move;
    double terms;            /* number of products per sum, k */
    double mask;             /* elements with a larger magnitude are mask fills, compared by sign and size */
};

struct error_sums {
    struct error_case of;
    double value2, error2, bound2[ARITHMETIC_COUNT], once2, sums2;
    int64_t n;
    bool wrong;   /* a non-finite or masked element differs, or an integer does */
    bool rounded; /* the formula rounds more than once: an addend or a factor */
};

struct error_found {
    double error, bound[ARITHMETIC_COUNT]; /* relative; NAN: the type does not have that arithmetic */
    bool absolute;                         /* f(x) is zero: the figures are absolute */
    /* the expected error of one rounding, and of the sums; NAN: the error does not identify an arithmetic */
    double once, sums;
    int64_t n;
};

/* Adds elements one after the other: y = f(x), the recorded value, and c, a and s. */
void error_add(struct error_sums *e, const struct error_elements *x);
/* 2-norms over the elements of a product that was not computed element by element. */
struct error_norms {
    int64_t n;
    double y, error, c, s, ulps; /* ulps: of the spacing of the type at each element (error_ulp) */
};
/* Adds all elements of a product at once by the triangle inequality: the bound is at least that of separate elements.
 */
void error_add_norms(struct error_sums *e, const struct error_norms *n);
/* The spacing of the operator's type at y. */
double error_ulp(const struct error_case *of, double y);
void error_find(const struct error_sums *e, struct error_found *out);
/* The finest arithmetic that explains a product's error; false if it identifies none. */
bool error_names(const struct error_found *f, enum dtype type, enum arithmetic *out);
/* Unit roundoff of a type; float32's for other types. */
double unit_roundoff(enum dtype d);

#endif
