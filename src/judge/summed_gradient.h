/* A pair of gradients each of which is, within its bound, the sum of what the uses of a value return on its side. */
#ifndef JUDGE_SUMMED_GRADIENT_H
#define JUDGE_SUMMED_GRADIENT_H

#include <stdint.h>

enum { SUMMED_LINES = 64 }; /* the most lines that a sum is computed from */

struct summed_gradient {
    uint32_t line;
    float residual;              /* of the target's sum */
    uint32_t from[SUMMED_LINES]; /* what either side's was computed from */
    int lines;
};

#endif
