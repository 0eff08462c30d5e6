/* How a call changes the error of its inputs. */
#ifndef JUDGE_CALL_ERROR_H
#define JUDGE_CALL_ERROR_H

#include "judge/verdict.h"

/* The largest error among a target call's inputs (with parameters) and among its outputs, over certain pairs; NaN if
 * there is none, or if figures do not tell whether the mask in a row agrees. */
struct call_error {
    double in, out;
    double factor; /* out / in; infinite if in is 0, NaN if either is unknown */
};

struct call_error call_error_of(const struct judgement *j, const struct measure *m, uint32_t call);
enum call_error_kind { CALL_ERROR_UNKNOWN, CALL_ERROR_ADDED, CALL_ERROR_INHERITED, CALL_ERROR_BOTH };
/* Whether the call's output error was added by the call, inherited from its inputs, or both. */
enum call_error_kind call_error_kind(const struct call_error *x);
const char *call_error_name(enum call_error_kind k); /* "added", "inherited", "both", NULL */

#endif
