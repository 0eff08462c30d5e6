/* Noise that recorded figures show where no elements were recorded: of a product's factors, of the rows that a row
 * consists of, of one side's rounding. */
#ifndef JUDGE_FIGURE_NOISE_H
#define JUDGE_FIGURE_NOISE_H

#include "judge/row_verdict.h"

/* That of a product's or quotient's output, relative to its norm. The relative errors of factors add up: in an extreme,
 * which is one element, those of the factors' extremes and of the smallest divisor; in a gradient that of the other
 * factor or of the smallest divisor. 0: of other rows, or unknown. */
double figure_noise_of_product(const struct judge_pass *p, const struct verdict_case *k);
/* That of a gradient which holds what an earlier backward call returned, as the figures of both sides show: all of it,
 * in a coarser type, or the part that has an extreme of it. 0: none is found. */
double figure_noise_of_parts(const struct judge_pass *p, const struct verdict_case *k);
/* That of a result in a finer type than what goes into its call: figures of 16 bits have no more
 * digits than the values, so that equal ones hide a rounding. 0: nothing like that goes in, or
 * there is no noise at all. */
double figure_noise_of_coarse_inputs(const struct judge_pass *p, const struct verdict_case *k);
/* What the extremes of the gradients that come into a backward call tell of the relative L2 error
 * of all their elements, of which these are two: norms, and errors relative to them, understate it.
 * 0: nothing. */
double figure_noise_of_elements(const struct judge_pass *p, uint32_t call);
/* By how much a loss may differ, relative to itself, for what goes into it: a mean square distance
 * by what its two tensors differ by, a cross entropy by errors of random sign in its scores. 0:
 * another row or loss, or one whose figures are not those of such a loss. */
double figure_noise_of_loss(const struct judge_pass *p, const struct verdict_case *k);
/* Whether one side's extremes are those of the other side rounded once to the 16 bits in which most products are. */
bool figures_show_rounding(const struct judge_pass *p, const struct verdict_case *k);

#endif
