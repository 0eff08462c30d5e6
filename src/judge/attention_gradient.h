/* Noise in the query and key gradients of fused attention. They pass through a softmax that removes most of the
 * incoming gradient and whose rows are not recorded. (If attention is written out, the recorded softmax rows are used:
 * conditioning.h.)
 *
 * A softmax with nearly uniform P subtracts Σ P dP from each row of dP = g Vᵀ, so that dS is as small as the noise of P
 * dP. With independent elements rms(dP) is √d rms(g) rms(V), and rms(P) is at least 1 / Lk, so that noise of g is
 * amplified in the outputs by
 *   dQ = s dS K      s √Lk √d rms(g) rms(V) rms(K) / (Lk rms(dQ))
 *   dK = s dSᵀ Q     the same with Q, and √(Lk |Q| / |K|) in place of √Lk: a term for each query that a key serves.
 * The axes of heads and positions are distinguished by size alone (Lk is the larger), which can only make the estimate
 * too small. */
#ifndef JUDGE_ATTENTION_GRADIENT_H
#define JUDGE_ATTENTION_GRADIENT_H

#include "judge/row_verdict.h"

/* The noise of this output of a fused attention's backward call, as its root mean square, per relative noise of the
 * incoming gradient, from the figures of that side; NAN: it is no gradient of queries or keys, or the figures are
 * unknown. Sums of what comes from it, which nobody recorded, have its noise too. */
double attention_gradient_terms(const struct measure *m, const uint8_t *state, int side, uint32_t row);
/* The same for a row that holds a gradient from an unpaired fused attention on one side. `noise`: the largest error
 * accepted in the inputs of that call and of its forward call. */
double attention_gradient_held(const struct judge_pass *p, const uint32_t rows[2], double *noise);

#endif
