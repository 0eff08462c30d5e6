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
/* The error that a gradient coming in has to expect of those the readers of its value handed back, where what stands
 * between was not recorded: their sum, or a ReLU. 0: not known. */
double kinks_error_behind(const struct judge_pass *p, const uint32_t rows[2]);
/* The accepted error of the gradient that came into the module of a parameter's gradient; 0: not known or accepted. */
double kinks_incoming_error(const struct judge_pass *p, const struct verdict_case *k);

#endif
