/* Shared by operators on one to three spatial axes: arguments given once for all axes or per axis, coordinates, and
 * padding modes. */
#ifndef ORACLE_WINDOWS_H
#define ORACLE_WINDOWS_H

#include "oracle/formula.h"

enum { WINDOW_AXES = 3 };

/* One number for all axes or one per axis; `left_out` (one per axis) if not passed. False for another count; out is
 * then unchanged. */
bool window_numbers(const struct call_values *c, int place, const char *words, int axes, const int64_t *left_out,
                    int64_t *out);
extern const int64_t window_ones[WINDOW_AXES], window_zeros[WINDOW_AXES];

/* The coordinates of linear index `number`, the last axis fastest. */
void window_digits(int64_t number, const int64_t *base, int axes, int64_t *out);

/* The content of the padding: a constant, or elements of the axis. */
enum margin { MARGIN_CONSTANT, MARGIN_REFLECT, MARGIN_REPLICATE, MARGIN_CIRCULAR, MARGINS };

/* The element of an axis of n from which index `at`, possibly outside, is read; -1: none. */
int64_t margin_source(int64_t at, int64_t n, enum margin margin);

#endif
