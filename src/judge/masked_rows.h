/* Queries whose mask excludes every key: the attention output for them is the kernel's choice (zeros, the mean of all
 * values) and affects nothing as long as only their own positions use it. */
#ifndef JUDGE_MASKED_ROWS_H
#define JUDGE_MASKED_ROWS_H

#include "judge/verdict.h"

/* The positions [batch, tokens] whose mask excludes every key, from the recorded attention masks. */
struct masked_rows {
    bool looked; /* whether masks were searched */
    int64_t batch, tokens;
    bool *masked; /* batch × tokens; NULL: there are none */
};

/* Whether a line's tensors have these positions and agree, within the line's limit, everywhere else; *error is the
 * error there. Searches masks at the first call; `x` starts as zeros and is released by the caller. */
bool is_in_masked_rows(struct masked_rows *x, const struct judgement *j, const struct measure *m, uint32_t line,
                       double *error);
void masked_rows_release(struct masked_rows *x);

#endif
