/* The numbers verdicts are made with. They come from data/thresholds.json and are moved by the user;
 * the rule that uses them is in judge.c. */
#ifndef FIND_TOL_H
#define FIND_TOL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "num/dtype.h"

struct tol_limits {
    double drift;   /* errors up to here are the dtype's own rounding */
    double deviate; /* errors above are a deviation, unless the noise level is as high */
    double product; /* noise one matmul-like call may add (TF32 operands and the like) */
};

struct tol {
    struct tol_limits f64, f32, f16, bf16, f8;
    double window;                        /* accepted errors the level looks back on */
    double quantile, quantile_statistics; /* of these errors, that is the level */
    double level, level_statistics;       /* times the level: deviates */
    double jump;                          /* times the level: deviates, where it is above the floor too */
    double noise;                         /* times the level: still a match */
    double coarse;                        /* float32 products that err by less are exact ones */
    double coverage;                      /* share of compute calls that must be judged to say "aligned" */
    double confidence;                    /* pairs below are doubtful */
};

/* The defaults of data/thresholds.json. */
void tol_init(struct tol *t);
/* "float32.deviate", "coverage" …; -1 for an unknown key or a value that is no number. */
int tol_set(struct tol *t, struct str key, struct str value, struct err *e);
/* The i-th key and its value; NULL behind the last. */
const char *tol_key(const struct tol *t, int i, double *value);
const struct tol_limits *tol_of(const struct tol *t, enum dtype d);

#endif
