/* Candidates of a formula against a recorded output. For recompute.c and crossed.c. */
#ifndef ORACLE_CANDIDATE_TRIAL_H
#define ORACLE_CANDIDATE_TRIAL_H

#include "oracle/error_bound.h"
#include "oracle/recorded_call.h"

/* One candidate compared with one output. */
struct trial {
    const struct candidate *candidate;
    struct error_found found;
    double part;    /* share of a product's rows that was computed; 1: all */
    int vectors;    /* number of random vectors it was tested with; 0: none */
};

/* A call whose formula has given its candidates. */
struct trials {
    struct recorded_call *r;
    double allowed; /* operations allowed per product */
};

/* Whether a candidate has an output's size. */
bool trial_has_size(const struct trials *j, const struct candidate *p, int output);
/* Tries one candidate for one output: a product on at most `probe` rows, 0: as far as affordable. */
void trial_run(const struct trials *j, const struct candidate *p, int output, int64_t probe, struct trial *t);
/* The candidate that explains the output best; false if none has its size. */
bool trial_best(const struct trials *j, int output, struct trial *best);
/* The error in units of the bound of the type's own arithmetic: smaller is more alike. */
double trial_likeness(const struct trial *t);
/* The index of a candidate among its formula's; -1: another one. */
int trial_candidate_number(const struct call_values *c, const struct candidate *p);

#endif
