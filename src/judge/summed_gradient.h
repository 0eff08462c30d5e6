/* A pair of gradients each of which is, within its bound, the sum of what the uses of a value return on its side
 * (oracle/gradient_sum.h). It differs as what was summed does. */
#ifndef JUDGE_SUMMED_GRADIENT_H
#define JUDGE_SUMMED_GRADIENT_H

#include "judge/judge.h"

enum { SUMMED_LINES = 64 }; /* the most lines that a sum is computed from */

struct summed_gradient {
    uint32_t line;
    float residual;              /* of the target's sum */
    uint32_t from[SUMMED_LINES]; /* what either side's was computed from */
    int lines;
};

/* The sum at a line, if all that it was computed from agrees; `decided`: per line. NULL: it is none, or not of such. */
const struct summed_gradient *summed_gradient_of_agreeing(const struct judgement *j, const struct measure *m,
                                                          const struct judge_options *o, const bool *decided,
                                                          uint32_t line);

#endif
