/* The error of a recorded output against a formula's value and what honest arithmetic may err by: sums over elements,
 * the same whatever gives them. The bounds and their sources: doc/oracle.md. */
#ifndef ORACLE_ERROR_BOUND_H
#define ORACLE_ERROR_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "num/dtype.h"

/* How a side computes products of one family and element type, finest first. */
enum arithmetic { ARITHMETIC_OWN, ARITHMETIC_TF32, ARITHMETIC_BF16, ARITHMETIC_SPLIT, ARITHMETIC_COUNT };
/* "tf32"; ARITHMETIC_OWN by its type, "float32"; "bfloat16-split". Points to text that stays. */
const char *arithmetic_name(enum arithmetic a, enum dtype type);

struct error_case {
    enum dtype output, type; /* the output's type; the coarsest floating one among what is read and the output */
    bool finer;              /* a floating type finer than `type` is among them: autocast */
    bool product, move;
    double terms;            /* k, of a product */
    double mask;             /* absolute values above are compared by sign and size */
};

struct error_sums {
    struct error_case of;
    double value2, error2, bound2[ARITHMETIC_COUNT], once2, sums2;
    int64_t n;
    bool wrong;   /* a non-finite or masked element differs, or an integer */
    bool rounded; /* the formula rounds more than once: an adder or a factor */
};

struct error_found {
    double error, bound[ARITHMETIC_COUNT]; /* relative; NAN: that arithmetic is none of this type */
    bool absolute;                         /* f(x) is zero: absolute figures */
    double once, sums;                     /* what one rounding gives on average, and the sums; NAN: it names nothing */
    int64_t n;
};

/* One element: y = f(x), the recorded one, c, a and s (0 where there are none). */
void error_add(struct error_sums *e, double y, double recorded, double c, double a, double s);
/* 2-norms over the elements of a product that is not computed element by element. */
struct error_norms {
    int64_t n;
    double y, error, c, s, ulps; /* ulps: of the distances between numbers of the type at each element (error_ulp) */
};
/* All elements of a product at once, by the triangle inequality: the bound is at least that of the elements apart. */
void error_add_norms(struct error_sums *e, const struct error_norms *n);
/* The distance between numbers of the operator's type at y. */
double error_ulp(const struct error_case *of, double y);
void error_find(const struct error_sums *e, struct error_found *out);
/* The finest arithmetic that explains a product's error; false where it names none. */
bool error_names(const struct error_found *f, enum dtype type, enum arithmetic *out);
/* Unit roundoff of a type; of others float32's. */
double unit_roundoff(enum dtype d);

#endif
