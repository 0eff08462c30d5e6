/* One side alone: what is wrong with it before it is compared with anything. */
#ifndef FIND_CHECK_H
#define FIND_CHECK_H

#include "model/dump.h"
#include "num/figures.h"

struct check_problem {
    uint32_t row;     /* or NONE */
    const char *kind; /* "nan", "inf", "saturated", "all-zero", "constant", "damaged", "missing-file", "dtype" */
    const char *text; /* in the list's arena */
};

struct check {
    struct arena arena;
    VEC(struct check_problem) problems; /* in row order */
    size_t notes;                       /* of them: all-zero, constant */
};

/* Reads every tensor of the dump with `workers` threads. watch counts rows in `done`; may be NULL. */
void check_run(struct check *c, const struct dump *d, const struct kern *k, int workers,
               struct figures_watch *watch);
void check_release(struct check *c);

#endif
