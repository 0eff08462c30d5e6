/* Compares two recordings of one step input element by element: a smaller one is repeated along axes of size 1, or
 * compared with the beginning of the larger one (the first of several chunks); of masks the pattern is compared,
 * whatever the values. */
#ifndef JUDGE_INPUT_ELEMENTS_H
#define JUDGE_INPUT_ELEMENTS_H

#include "dump/dump.h"

struct input_elements {
    uint64_t compared, differ; /* numbers of elements; compared 0: the shapes do not fit */
    uint64_t first;            /* index of the first that differs, of the larger side */
    double value[2];           /* the two values there */
};

/* 1: equal as far as both go, 0: not, -1: unreadable, too many elements, or masks with other axes. */
int input_elements_compare(const struct dump *const side[2], const uint32_t row[2], bool mask,
                           struct input_elements *out);

#endif
