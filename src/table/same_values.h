/* Rows with the same values as a given one, whatever the calls are named: where a value came from, and where it
 * occurs on the other side. */
#ifndef TABLE_SAME_VALUES_H
#define TABLE_SAME_VALUES_H

#include "compare/comparison.h"

struct same_values_row {
    uint8_t side;
    uint32_t row;
    double off; /* largest relative difference of max, min and norm */
};
typedef VEC(struct same_values_row) same_values_list;
struct same_values_error {
    uint32_t line;
    double max_abs, cosine; /* computed, or printed by a result table; cosine NaN: not known */
    bool golden_too;        /* the golden maximum, minimum and mean are equal as well: one value, passed on */
};
typedef VEC(struct same_values_error) same_values_errors_list;

/* All rows of both sides with the same element count whose max, min and norm agree within `tolerance` of the larger
 * value; the nearest first, then in execution order; without the row itself. 0, or -1 if it has no figures. */
int same_values_find(const struct comparison *s, int side, uint32_t row, double tolerance, same_values_list *out);

/* Lines with the same error as the given one: equal largest absolute error to four digits, or to two digits and the
 * cosine to nine. Appends at most `most` in order; none if the line has no error. Called with the lock held. */
void same_values_errors(const struct comparison *s, uint32_t line, size_t most,
                        same_values_errors_list *out);

#endif
