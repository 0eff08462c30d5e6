/* The distribution of a deviation along an axis, and whether a few indices contain all of it. */
#ifndef DIAGNOSE_AXIS_PROFILE_H
#define DIAGNOSE_AXIS_PROFILE_H

#include "measure/element_sample.h"

struct axis_profile {
    int64_t n;        /* length of the axis */
    double *rel2;     /* per index: Σ(t−g)² / Σg², with the golden sum bounded from below */
    uint8_t *in;      /* whether an index deviates; valid if `some` */
    int64_t hit;      /* number of deviating indices */
    double held;      /* their share of Σ(t−g)² */
    bool some;        /* at most half of the indices deviate; the others do not, or within the noise level */
};

/* False if the axis is too short or too long; release x in any case. */
bool axis_profile_find(struct axis_profile *x, const struct element_sample *s, int axis, float level);
void axis_profile_release(struct axis_profile *x);

#endif
