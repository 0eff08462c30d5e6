/* A product tested by random vectors (Freivalds): y z against a (b z), in the operations of a few rows. */
#ifndef ORACLE_PRODUCT_TEST_H
#define ORACLE_PRODUCT_TEST_H

#include "oracle/error_bound.h"
#include "oracle/formula.h"

/* Vectors of random signs, always the same ones, as many as a multiple of the least: with fewer too much is missed,
 * more than the most say no more. */
enum { TEST_VECTORS_LEAST = 8, TEST_VECTORS_MOST = 32 };

/* Multiply-adds of one vector; INFINITY where the product takes none (a convolution's, of unfolded rows). */
double product_test_operations(const struct product *p);
/* Adds the whole of it to the sums: `error` is the root mean of |y z - f(x) z|² over the vectors, whose expectation is
 * |y - f(x)|². False, with nothing added, where an element is not finite or beyond the mask: those are compared one by
 * one. */
bool product_test(const struct product *p, const struct real_tensor *recorded, int vectors, struct error_sums *sums);
/* How likely a fault of more than PRODUCT_TEST_TIMES what would be called wrong is not seen by that many vectors. */
double product_test_missed(int vectors);
#define PRODUCT_TEST_TIMES 4

#endif
