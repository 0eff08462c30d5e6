/* Two recordings of one step input, element by element: a smaller one is laid out along its axes of one, or is held for
 * the beginning of the larger one (the first of several chunks); of masks the pattern is compared, whatever stands for
 * it. */
#ifndef JUDGE_INPUT_ELEMENTS_H
#define JUDGE_INPUT_ELEMENTS_H

#include "dump/dump.h"

struct input_elements {
    uint64_t compared, differ; /* elements; none compared: the shapes do not go together */
    uint64_t first;            /* index of the first that differs, of the larger side */
    double value[2];           /* what stands there */
};

/* 1: equal as far as both go, 0: not, -1: they could not be read, are too many, or are masks of other axes. */
int input_elements_compare(const struct dump *const side[2], const uint32_t row[2], bool mask,
                           struct input_elements *out);

#endif
