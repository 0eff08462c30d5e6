/* Parameters after optimizer steps. Adam's step depends on a gradient's sign more than on its size: where noise is
 * larger than the gradient, the two sides make opposite steps, and a few elements differ by up to twice the learning
 * rate for each step while all others agree. */
#ifndef JUDGE_OPTIMIZER_NOISE_H
#define JUDGE_OPTIMIZER_NOISE_H

#include "judge/row_verdict.h"

struct element_sample;

/* Whether such noise explains that a parameter differs, the mean that a batch norm keeps of what a bias was added to,
 * or the variance that it keeps of values which differ. False in the first step and without readable elements. */
bool optimizer_noise_explains(struct judge_pass *p, const struct verdict_case *k);
/* The test of n elements of each side, in rows of `width`: whether few of them, spread over the rows, differ by up to
 * `step`, and the differences of the others are a small part of it that does not follow the values. */
bool optimizer_noise_in(const double *t, const double *g, size_t n, size_t width, double step, double few);
/* Whether the gradient of nearly each element that moved by more than `part` is rounding beside the largest one's, on
 * both sides: then so it was before, and its steps were made of noise (the keys' channels that are not rotated have a
 * bias without effect). Both are whole tensors of one shape. */
bool optimizer_noise_lacks_gradient(const struct element_sample *parameter,
                                    const struct element_sample *gradient, double part);

#endif
