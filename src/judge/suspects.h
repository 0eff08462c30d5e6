/* Which calls make a difference of their own: suspects, the frontier, and how a call treats the error it gets. */
#ifndef JUDGE_SUSPECTS_H
#define JUDGE_SUSPECTS_H

#include "judge/verdict.h"

#define ENTRANCES_MOST 64 /* branches that are told apart; those that enter later are not followed */

/* Fills suspects and frontier of a judgement whose lines are judged. */
void culprits_find(struct judgement *j, const struct measure *m, const struct flow flow[2]);

/* The largest error among a target call's inputs (with parameters) and among its outputs, of sure pairs; NaN where
 * none has one. */
struct passage {
    double in, out;
    double factor; /* out / in; infinite where nothing came in, NaN where either is unknown */
};

struct passage call_passage(const struct judgement *j, const struct measure *m, uint32_t call);
enum passage_kind { PASSAGE_UNKNOWN, PASSAGE_ADDED, PASSAGE_INHERITED, PASSAGE_BOTH };
/* What is the call's own of the error that comes out of it: nearly all, little, or a part. */
enum passage_kind passage_kind(const struct passage *x);
const char *passage_name(enum passage_kind k); /* "added", "inherited", "both", NULL */
const char *entrance_name(enum entrance_kind k);     /* "output", "input", "gap" */

#endif
