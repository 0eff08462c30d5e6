/* Rows that hold the same numbers as a given one: where a value came from, and where it went on the
 * other side, whatever the calls are named. */
#ifndef TABLE_SAME_VALUES_H
#define TABLE_SAME_VALUES_H

#include "compare/comparison.h"

struct same_values_row {
    uint8_t side;
    uint32_t row;
    double off; /* largest relative difference of max, min and norm */
};
typedef VEC(struct same_values_row) same_values_list;
typedef VEC(uint32_t) same_values_lines;

/* All rows of both sides with as many elements whose max, min and norm agree within `tolerance` of the
 * larger; the nearest first, then in execution order. The row itself is not among them. 0, or -1 when
 * it has no figures. */
int same_values_find(const struct comparison *s, int side, uint32_t row, double tolerance, same_values_list *out);

/* Lines whose error is the line's own to the digits that are shown: the largest absolute error to four digits, or to
 * two and the cosine to nine. Appends them in order, at most `most`; none where the line has no error. Lock held. */
void same_values_errors(const struct comparison *s, uint32_t line, size_t most, same_values_lines *out);

#endif
