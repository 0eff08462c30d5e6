/* Order statistics of unsorted numbers in linear time on average. NaN has no place in them. */
#ifndef BASE_MEDIAN_H
#define BASE_MEDIAN_H

#include <stddef.h>

/* The k-th smallest (from 0) of n values, which are reordered; k < n. */
double select_kth(double *v, size_t n, size_t k);
/* The middle one, of an even count the mean of both; values are reordered, n > 0. */
double median_of(double *v, size_t n);

#endif
