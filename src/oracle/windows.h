/* What operators over places of one to three axes share: numbers given one for all axes or one each, a place's digits,
 * and where what lies in a margin is read. */
#ifndef ORACLE_WINDOWS_H
#define ORACLE_WINDOWS_H

#include "oracle/formula.h"

enum { WINDOW_AXES = 3 };

/* One number for all axes, or one each; `left_out` (one each) where it is not given. False where there are other ones;
 * then nothing is set. */
bool window_numbers(const struct call_values *c, int place, const char *words, int axes, const int64_t *left_out,
                    int64_t *out);
extern const int64_t window_ones[WINDOW_AXES], window_zeros[WINDOW_AXES];

/* The number of a place as its index along each axis, the last one fastest. */
void window_digits(int64_t number, const int64_t *base, int axes, int64_t *out);

/* What lies in a margin: a constant, or elements of the axis. */
enum margin { MARGIN_CONSTANT, MARGIN_REFLECT, MARGIN_REPLICATE, MARGIN_CIRCULAR, MARGINS };

/* The element of an axis of n that place `at`, which may lie outside, is read from; -1: from none. */
int64_t margin_source(int64_t at, int64_t n, enum margin margin);

#endif
