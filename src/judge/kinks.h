/* Activations with a kink, max pooling among them, and what noise makes of the gradients that go through them. Where an
 * input is nearer to the kink than its noise, one side lets the gradient through and the other does not: few elements
 * differ wholly.
 *
 * Of n inputs with relative noise e, n e kappa are expected on the other side of the kink, kappa being
 * 2 rms(x) / (max − min) as for a comparison (conditioning.h). As many may turn as chance leaves one row in a thousand
 * more (Poisson); one of them may be the largest gradient, the others are of the size of their root mean square. And no
 * more elements than that, and those noise itself takes so far, may differ by more than 1/200: a gradient that is wrong
 * everywhere is no turned gate. */
#ifndef JUDGE_KINKS_H
#define JUDGE_KINKS_H

#include "judge/row_verdict.h"

/* The relative error that turned gates may make of a gradient: of a row a kinked activation's backward call puts out,
 * or one that comes in where the activations behind the call recorded no backward call. 0: none turns, or there is no
 * kink; else kappa is that error over the inputs' noise. `rows` are paired rows of a backward call, `f` their figures
 * or NULL. */
double kinks_bound(const struct judge_pass *p, const uint32_t rows[2], const struct figures *f, double *kappa);
/* The kinked activation behind a forward call, through calls that recorded no backward call; NONE. */
uint32_t kinks_behind(const struct dump *d, uint32_t forward);
/* The target's row that holds, on both sides, what an unrecorded ReLU made of this output; NONE. */
uint32_t kinks_clipped_behind(const struct judge_pass *p, uint32_t out);
/* Of recorded figures: the relative error of a gradient of absolute differences, all of whose elements are of one size,
 * by as many signs as the mean says are others, if noise may turn so many; kappa as of kinks_bound(). 0: none turned,
 * or it is no such gradient. */
double kinks_signs_error(const struct judge_pass *p, const uint32_t rows[2], double *kappa);

#endif
