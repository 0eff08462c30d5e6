/* What rules of a pass ask of rows of the target: partners, what was accepted of them, where gradients come from. */
#ifndef JUDGE_PASS_ROWS_H
#define JUDGE_PASS_ROWS_H

#include "judge/row_verdict.h"

/* Whether a module call holds the other: it ends behind it and is in its path. */
bool pass_holds(const struct dump *d, uint32_t outer, uint32_t inner);
/* The golden row of the line the target's row stands in, or NONE. */
uint32_t pass_partner(const struct judge_pass *p, uint32_t target_row);
/* The relative error the rows behind a line have to expect of it; 0: it is not accepted, or has none. */
double pass_accepted_error(const struct judge_pass *p, uint32_t line);
bool pass_is_float(const struct row *r, enum row_io io);
/* The first floating tensor of a call's inputs or outputs, or NONE. */
uint32_t pass_first_float(const struct dump *d, uint32_t call, enum row_io io);
/* Whether a gradient comes in from what nobody recorded, on either side. */
bool pass_comes_unrecorded(const struct judge_pass *p, const uint32_t rows[2]);
/* What the forward call put out whose gradient comes in here; NONE: not as large, or not paired. */
uint32_t pass_put_out(const struct judge_pass *p, uint32_t row);

#endif
