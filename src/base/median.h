/* Order statistics of unsorted numbers in linear time on average. The input must not contain NaN. */
#ifndef BASE_MEDIAN_H
#define BASE_MEDIAN_H

#include <stddef.h>

/* The k-th smallest (from 0) of n values, which are reordered; k < n. */
double select_kth(double *v, size_t n, size_t k);
/* The median; for an even count the mean of the two middle values. Reorders the values; n > 0. */
double median_of(double *v, size_t n);

#endif
