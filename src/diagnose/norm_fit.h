/* Which normalisation makes an output of an input: what it is taken over, its epsilon, what its input was rounded
 * to. */
#ifndef DIAGNOSE_NORM_FIT_H
#define DIAGNOSE_NORM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/dtype.h"

enum norms_format {
    NORM_RMS, /* over the last axis, no mean taken off */
    NORM_LAYER, /* over the last axis */
    NORM_CHANNEL, /* over the second axis, at each place behind it: a layer norm of images */
    NORM_BATCH, /* over all axes but the second, by this batch's figures */
    NORM_RUNNING, /* the same by running figures that were given: evaluation */
    NORM_GROUP, /* over groups of the second axis, a sample at a time */
};

struct norm_data {
    const double *x, *y;
    size_t n;
    int ndim;
    const int64_t *shape;
    const double *weight,
        *bias; /* a value for each of the last axis (of the second, for batches and groups), or NULL */
    const double *mean, *variance; /* running figures, or NULL */
    size_t width; /* of these */
};

struct norm_fit {
    enum norms_format kind;
    int64_t groups; /* of NORM_GROUP */
    double epsilon;
    enum dtype rounded; /* the input was rounded to; DTYPE_UNKNOWN: it was not */
    double left2; /* Σ(y − norm(x))² */
};

/* The one that leaves least; false where none leaves as little as most2. */
bool norm_fit(const struct norm_data *a, double most2, struct norm_fit *out);
/* The best epsilon for a kind and a rounding that are given; left2 INFINITY where the shapes do not allow it. */
void norm_refit(const struct norm_data *a, struct norm_fit *f);
/* Σ(y − norm(x))² of one that is given, with this epsilon. */
double norm_left(const struct norm_data *a, const struct norm_fit *f, double epsilon);

#endif
