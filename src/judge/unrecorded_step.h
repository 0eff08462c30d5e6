/* Steps that were not recorded between two recorded rows: a sum of gradients, in-place gates, code of a module after
 * its last call. Their results are expected to have the accepted error of their sources. */
#ifndef JUDGE_UNRECORDED_STEP_H
#define JUDGE_UNRECORDED_STEP_H

#include "judge/row_verdict.h"

/* That relative error, for a gradient coming into a call, a gradient returned by a module, or a module's output. 0:
 * the row equals an earlier one, or its sources are unknown. `rows` are paired. */
double unrecorded_step_error(const struct judge_pass *p, const uint32_t rows[2]);
/* The accepted error of the gradient that came into a parameter gradient's module; 0: unknown or not accepted. */
double unrecorded_incoming_error(const struct judge_pass *p, const struct verdict_case *k);
/* That of one rounding to the 16 bits in which most products are, if each element of one side, in whatever type it is
 * held, is the other's rounded once; 0: it is not. Of a parameter's gradient the other side may sum rounded terms:
 * there it is enough that one side is so rounded. */
double unrecorded_rounding_error(const struct judge_pass *p, const struct verdict_case *k);
/* That of an input which both sides' unrecorded casts round to 16 bits and that float32 holds again: noise, relative,
 * turns the rounding of some elements. 0: they are not rounded, or more differ, or by more than one rounding. */
double unrecorded_roundings_error(const struct judge_pass *p, const struct verdict_case *k, double noise);

/* For an incoming gradient that no recorded call made, and that recorded ones hand on as it is to where gradients of
 * one value are summed: how many times larger the sum is; 0: that is not known. */
double unrecorded_term(const struct judge_pass *p, const uint32_t rows[2]);

#endif
