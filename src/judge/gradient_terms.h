/* Gradients that nobody recorded summing, against the distances of their recorded terms. */
#ifndef JUDGE_GRADIENT_TERMS_H
#define JUDGE_GRADIENT_TERMS_H

#include "judge/forward_uses.h"
#include "judge/judge.h"
#include "judge/summed_gradient.h"

/* What is known while causes are decided, in the order of the lines. */
struct gradient_terms {
    const struct judgement *j;
    const struct measure *m;
    const struct dataflow *flow; /* the target's */
    struct forward_uses *uses;   /* found when first asked for */
    const bool *decided;         /* per line */
};

/* Whether such a gradient differs by no more than its recorded terms do, which agree where they were recomputed: one
 * that comes in, by those that the uses of the value return; one that a module returns, by those of the calls directly
 * inside of it. */
bool gradient_terms_explain(const struct gradient_terms *t, uint32_t line);
/* The gradient at a line that both sides show as a sum of what agrees; NULL: it is none. */
const struct summed_gradient *gradient_sum_of_agreeing(const struct gradient_terms *t, const struct judge_options *o,
                                                       uint32_t line);

#endif
