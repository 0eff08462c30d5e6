/* A pair of gradients each of which is, within its bound, the sum of what the uses of a value return on its side. */
#ifndef JUDGE_SUMMED_GRADIENT_H
#define JUDGE_SUMMED_GRADIENT_H

#include <stdint.h>

enum { SUMMED_ROWS = 24 }; /* the most rows that a sum is computed from */

struct summed_gradient {
    uint32_t line;
    float residual;             /* of the target's sum */
    uint32_t row[SUMMED_ROWS];  /* of the target: what was summed, or multiplied for it */
    int rows;
};

#endif
