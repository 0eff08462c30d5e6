/* Products computed in float64 row by row, whole or on some rows, and compared with what was recorded. */
#ifndef ORACLE_PRODUCT_H
#define ORACLE_PRODUCT_H

#include "oracle/error_bound.h"
#include "oracle/formula.h"

/* Multiply-adds of the whole. */
double product_operations(const struct product *p);
/* Rows of all its batches together. */
int64_t product_rows(const struct product *p);
/* Adds the elements of `some` of its rows (all where it is as many or more; always the same ones, spread over all) to
 * the sums, compared with those of `recorded`. */
void product_compare(const struct product *p, const struct real_tensor *recorded, int64_t some,
    struct error_sums *sums);

#endif
