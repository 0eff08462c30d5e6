/* Tests a product with random vectors (Freivalds): y z against a (b z), at the cost of a few rows. */
#ifndef ORACLE_PRODUCT_TEST_H
#define ORACLE_PRODUCT_TEST_H

#include "oracle/error_bound.h"
#include "oracle/formula.h"

/* Vectors with random signs from a fixed sequence; their number is a multiple of the minimum. With fewer the miss
 * probability is too high; more than the maximum add nothing. */
enum { TEST_VECTORS_LEAST = 8, TEST_VECTORS_MOST = 32 };

/* Multiply-adds for one vector; INFINITY if the product cannot be tested (convolution with unfolded rows). */
double product_test_operations(const struct product *p);
/* Adds the whole product to the sums: `error` is the root mean of |y z - f(x) z|² over the vectors, whose expectation
 * is |y - f(x)|². False, with nothing added, if an element is non-finite or a mask fill: those are compared one by
 * one. */
bool product_test(const struct product *p, const struct real_tensor *recorded, int vectors, struct error_sums *sums);
/* The probability that this many vectors miss a fault of more than PRODUCT_TEST_TIMES the limit. */
double product_test_missed(int vectors);
#define PRODUCT_TEST_TIMES 4

#endif
