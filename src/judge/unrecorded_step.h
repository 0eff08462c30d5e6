/* Steps nobody recorded between two recorded rows: a sum of gradients, gates applied in place, what a module does
 * behind its last call. What comes out of one has the error to expect that its sources were accepted with. */
#ifndef JUDGE_UNRECORDED_STEP_H
#define JUDGE_UNRECORDED_STEP_H

#include "judge/row_verdict.h"

/* That relative error: of a gradient coming into a call, of one a module hands back, or of what a module puts out.
 * 0: the row holds what an earlier one does, or nothing is known of its sources. `rows` are paired. */
double unrecorded_step_error(const struct judge_pass *p, const uint32_t rows[2]);
/* The accepted error of the gradient that came into the module of a parameter's gradient; 0: not known or accepted. */
double unrecorded_incoming_error(const struct judge_pass *p, const struct verdict_case *k);

#endif
