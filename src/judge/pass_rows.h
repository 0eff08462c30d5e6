/* Queries about target rows for the rules of a judging pass: partners, accepted errors, sources of gradients. */
#ifndef JUDGE_PASS_ROWS_H
#define JUDGE_PASS_ROWS_H

#include "judge/row_verdict.h"

/* Whether module call `outer` contains `inner`: it ends later and is in its path. */
bool pass_holds(const struct dump *d, uint32_t outer, uint32_t inner);
/* The golden row paired with the target's row, or NONE. */
uint32_t pass_partner(const struct judge_pass *p, uint32_t target_row);
/* The relative error that later rows must expect because of this line; 0: not accepted, or without error. */
double pass_accepted_error(const struct judge_pass *p, uint32_t line);
/* The name of a row in its call: "weight" of "parameters.weight". */
const char *pass_name_in(const struct dump *d, uint32_t row);
bool pass_is_float(const struct row *r, enum row_io io);
/* The first floating tensor of a call's inputs or outputs, or NONE. */
uint32_t pass_first_float(const struct dump *d, uint32_t call, enum row_io io);
/* Whether an incoming gradient's producer was not recorded, on either side. */
bool pass_comes_unrecorded(const struct judge_pass *p, const uint32_t rows[2]);
/* The forward output whose gradient comes in here; NONE: sizes differ, or not paired. */
uint32_t pass_put_out(const struct judge_pass *p, uint32_t row);

#endif
