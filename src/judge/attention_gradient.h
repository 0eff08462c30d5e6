/* The gradients fused attention hands back to its queries and keys: they go through a softmax that takes most of what
 * came in away, and that no row recorded. Written out, the softmax's own rows tell (conditioning.h).
 *
 * A softmax whose P is nearly even takes Σ P dP from each row of dP = g Vᵀ, and leaves dS in the noise of P dP.
 * With independent elements rms(dP) is √d rms(g) rms(V), and rms(P) is at least 1 / Lk, so that noise of g becomes in
 *   dQ = s dS K     s √Lk √d rms(g) rms(V) rms(K) / (Lk rms(dQ))
 *   dK = s dSᵀ Q    the same with Q, and a term for each query a key serves: √(Lk |Q| / |K|) for √Lk
 * times as large. Axes of heads and places are told apart by size alone (Lk is the larger): too small an estimate, if
 * any. */
#ifndef JUDGE_ATTENTION_GRADIENT_H
#define JUDGE_ATTENTION_GRADIENT_H

#include "judge/row_verdict.h"

/* How much relative noise of what came in is in this output of a fused attention's backward call, by the figures of
 * that side; NAN: it is no gradient of queries or keys, or they are not known. */
double attention_gradient_condition(const struct measure *m, const uint8_t *state, int side, uint32_t row);
/* The same for a gradient that one side's fused attention, which has no partner, put out and the row holds. `noise`:
 * the largest error its inputs, and those of its forward call, were accepted with where they stood before. */
double attention_gradient_held(const struct judge_pass *p, const uint32_t rows[2], double *noise);

#endif
