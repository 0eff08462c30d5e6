/* Two rows by the figures that were recorded of them. */
#ifndef DUMP_RECORDED_FIGURES_H
#define DUMP_RECORDED_FIGURES_H

#include "dump/dump.h"

/* The largest difference of max, min and norm, relative to the golden norm (or, where norms were not recorded or
 * overflowed, to the golden extremes). NaN when there is nothing to compare. */
double recorded_error(const struct row *t, const struct row *g);
/* The same of tensors of n elements: their norms were summed in float32, and differ by up to √n / 2 units of roundoff
 * (half the error of a sum of squares whose roundings have random signs) where all elements are equal. */
double recorded_error_of(const struct row *t, const struct row *g, double n);

/* How many elements were recorded as NaN and as infinite, and which of them were counted at all (COUNT_NAN …). */
int recorded_counts(const struct dump *d, const struct row *r, uint64_t *nan, uint64_t *inf);
/* 0 where all is finite, else which kind of non-finite value the extremes show or was counted: 1 for NaN, beside which
 * nothing is told apart, else 2 for infinity and 4 for its negative. Up to MindSpore 2.6 the extremes pass such
 * elements over, and only the counts tell. */
int recorded_special(const struct dump *d, const struct row *r);

#endif
