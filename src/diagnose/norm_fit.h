/* Finds the normalisation that maps an input to an output: its axes, its epsilon, and rounding of its input. */
#ifndef DIAGNOSE_NORM_FIT_H
#define DIAGNOSE_NORM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/dtype.h"

enum norms_format {
    NORM_RMS, /* over the last axis, without subtracting the mean */
    NORM_LAYER, /* over the last axis */
    NORM_CHANNEL, /* over the second axis, for each position: a layer norm of images */
    NORM_BATCH, /* over all axes but the second, with this batch's statistics */
    NORM_RUNNING, /* the same with given running statistics: evaluation mode */
    NORM_GROUP, /* over groups of the second axis, per sample */
};

struct norm_data {
    const double *x, *y;
    size_t n;
    int ndim;
    const int64_t *shape;
    const double *weight,
        *bias; /* one value per index of the last axis (for batch and group norms the second), or NULL */
    const double *mean, *variance; /* running statistics, or NULL */
    size_t width; /* their length */
};

struct norm_fit {
    enum norms_format kind;
    int64_t groups; /* of NORM_GROUP */
    double epsilon;
    enum dtype rounded; /* type to which the input was rounded; DTYPE_UNKNOWN: none */
    double left2; /* Σ(y − norm(x))² */
};

/* Finds the one with the smallest residual; false if that exceeds most2. */
bool norm_fit(const struct norm_data *a, double most2, struct norm_fit *out);
/* The best epsilon for a given kind and rounding; left2 INFINITY if the shapes do not allow it. */
void norm_refit(const struct norm_data *a, struct norm_fit *f);
/* The residual Σ(y − norm(x))² for a given one with this epsilon. */
double norm_left(const struct norm_data *a, const struct norm_fit *f, double epsilon);

#endif
