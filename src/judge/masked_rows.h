/* Queries whose mask forbids every key: what attention puts out for them is the kernel's choice (zeros, the mean of all
 * values), and as long as only their own places carry it on, it reaches nobody. */
#ifndef JUDGE_MASKED_ROWS_H
#define JUDGE_MASKED_ROWS_H

#include "judge/verdict.h"

/* The places [batch, tokens] whose mask forbids every key, as the recordings' attention masks tell. */
struct masked_rows {
    bool looked; /* whether masks were looked for */
    int64_t batch, tokens;
    bool *masked; /* batch × tokens; NULL: there are none */
};

/* Whether a line's tensors have these places and agree, within the line's limit, everywhere else: *error is what is
 * left. Looks for masks the first time; `x` begins as zeros and is released by the caller. */
bool is_in_masked_rows(struct masked_rows *x, const struct judgement *j, const struct measure *m, uint32_t line,
                       double *error);
void masked_rows_release(struct masked_rows *x);

#endif
