/* Which calls make a difference of their own: suspects, the frontier, and how a call treats the error it gets. */
#ifndef JUDGE_SUSPECTS_H
#define JUDGE_SUSPECTS_H

#include "judge/verdict.h"

#define ENTRANCES_MOST 64 /* branches that are told apart; those that enter later are not followed */

/* Fills suspects and frontier of a judgement whose lines are judged. */
void suspects_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2]);

/* The largest error among a target call's inputs (with parameters) and among its outputs, of sure pairs; NaN where
 * none has one. */
struct call_error {
    double in, out;
    double factor; /* out / in; infinite where nothing came in, NaN where either is unknown */
};

struct call_error call_error_of(const struct judgement *j, const struct measure *m, uint32_t call);
enum call_error_kind { CALL_ERROR_UNKNOWN, CALL_ERROR_ADDED, CALL_ERROR_INHERITED, CALL_ERROR_BOTH };
/* What is the call's own of the error that comes out of it: nearly all, little, or a part. */
enum call_error_kind call_error_kind(const struct call_error *x);
const char *call_error_name(enum call_error_kind k); /* "added", "inherited", "both", NULL */
const char *entry_point_name(enum entry_point_kind k);     /* "output", "input", "gap" */

#endif
