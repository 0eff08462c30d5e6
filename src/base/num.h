/* Numbers as text, with all or some of their digits. Independent of the locale because LC_NUMERIC stays C. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stddef.h>
#include <stdint.h>

#define NUM_MAX 40

/* The shortest decimal that reads back as the same double: for a value that came from text of at
 * most 17 digits these are the source's own digits. NaN, Inf and -Inf by those names. Returns out. */
const char *num_exact(char out[NUM_MAX], double v);

/* `digits` significant digits, exponents without leading zeros ("2.1e-7"). Returns out. */
const char *num_cell(char out[NUM_MAX], double v, int digits);

/* A relative error: two digits, scientific below 0.01 so that exponents align. */
const char *num_error(char out[NUM_MAX], double v);

/* The greatest common divisor; if one argument is 0, the other. */
uint64_t num_common(uint64_t a, uint64_t b);

/* Thousands separated: 1,104 */
/* A factor with three digits: "8.00", "0.900". */
const char *num_factor(char out[NUM_MAX], double v);
const char *num_count(char out[NUM_MAX], unsigned long long v);
/* A size: 1.3 GB */
const char *num_bytes(char out[NUM_MAX], unsigned long long v);

#endif
