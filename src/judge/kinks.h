/* Noise in gradients that pass through activations with a kink (including max pooling). If an input is nearer to the
 * kink than its noise, one side passes the gradient and the other does not: few elements differ completely.
 *
 * Of n inputs with relative noise e, n e kappa are expected on the other side of the kink, with kappa = 2 rms(x) /
 * (max − min) as for a comparison (conditioning.h). The limit is the number that is exceeded by chance in one row of
 * a thousand (Poisson); one of them may be the largest gradient, the others have the size of the gradient's root mean
 * square. No more elements than these, plus those that noise itself affects, may differ by more than 1/200: a
 * gradient that is wrong everywhere is not excused. */
#ifndef JUDGE_KINKS_H
#define JUDGE_KINKS_H

#include "judge/row_verdict.h"

/* The relative error of a gradient that inputs crossing a kink may cause: for an output of a kinked activation's
 * backward call, or an incoming gradient if the activations behind the call recorded no backward call. 0: no kink, or
 * no input can cross it; otherwise kappa is that error per noise of the inputs. `rows` are paired rows of a backward
 * call, `f` their figures or NULL. */
double kinks_bound(const struct judge_pass *p, const uint32_t rows[2], const struct figures *f, double *kappa);
/* Whether a line is an incoming gradient that an in-place ReLU handed on, whose record is what came to it: each side's
 * elements are those, where that side's output is above 0, else 0. Inputs that cross the kink are not guessed. */
bool kinks_gated(const struct judge_pass *p, uint32_t line);
/* The kinked activation that follows a forward call, possibly through calls without a recorded backward call; NONE. */
uint32_t kinks_behind(const struct dump *d, uint32_t forward);
/* The target's row that holds, on both sides, the result of an unrecorded ReLU on this output; NONE. */
uint32_t kinks_clipped_behind(const struct judge_pass *p, uint32_t out);

#endif
