/* Compares two rows by their recorded figures. */
#ifndef DUMP_RECORDED_FIGURES_H
#define DUMP_RECORDED_FIGURES_H

#include "dump/dump.h"

/* The largest difference of max, min and norm, relative to the golden norm (if norms were not recorded or overflowed,
 * to the golden extremes). NaN if nothing can be compared. */
double recorded_error(const struct row *t, const struct row *g);
/* The same for tensors of n elements. A norm was summed in float32, so equal tensors may have norms that differ by up
 * to √n / 2 units of roundoff (half the error of a sum of squares with roundings of random sign); such differences
 * count as none, nor do those within the rounding of a norm that was summed in a 16-bit type. The means count as well,
 * relative to the size of an element. */
double recorded_error_of(const struct row *t, const struct row *g, double n);
/* The largest difference of max and min, relative to the golden side's largest element, or to what the largest of n
 * elements of that norm would be, drawn from a normal distribution: the norm of many elements hides what each of them
 * differs by. 0: nothing can be compared. */
double recorded_extremes_error(const struct row *t, const struct row *g, double n);

/* Sets the recorded numbers of NaN and infinite elements; returns which of them were recorded (COUNT_NAN …). */
int recorded_counts(const struct dump *d, const struct row *r, uint64_t *nan, uint64_t *inf);
/* 0 if all elements are finite, otherwise the kind of non-finite values shown by extremes or counts: 1 NaN (others
 * are then not distinguished), 2 infinity, 4 negative infinity, or both. Up to MindSpore 2.6 extremes skip such
 * elements and only the counts show them. */
int recorded_special(const struct dump *d, const struct row *r);

#endif
