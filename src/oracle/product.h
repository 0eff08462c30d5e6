/* Computes products in float64 row by row, all rows or a sample, and compares them with recorded outputs. */
#ifndef ORACLE_PRODUCT_H
#define ORACLE_PRODUCT_H

#include "oracle/error_bound.h"
#include "oracle/formula.h"

/* Number of multiply-adds for the whole product. */
double product_operations(const struct product *p);
/* Number of rows, all batches together. */
int64_t product_rows(const struct product *p);
/* Computes `some` rows (all if there are no more; a fixed sample spread over the product), compares them with
 * `recorded` and adds the errors to the sums. The room is used meanwhile and left as it was. */
void product_compare(const struct product *p, const struct real_tensor *recorded, int64_t some,
    struct error_sums *sums, struct arena *room);

#endif
