/* How a deviation is spread along an axis, and whether a few indices have it all. */
#ifndef DIAGNOSE_AXIS_PROFILE_H
#define DIAGNOSE_AXIS_PROFILE_H

#include "measure/element_sample.h"

struct axis_profile {
    int64_t n;        /* length of the axis */
    double *rel2;     /* per index: Σ(t−g)² / Σg², the golden sum kept from vanishing */
    uint8_t *in;      /* indices that deviate, where `some` */
    int64_t hit;      /* how many */
    double held;      /* share of Σ(t−g)² they hold */
    bool some;        /* at most half of them deviate, the others do not or not more than the noise level */
};

/* False for axes too short or too long to say anything; release it in any case. */
bool axis_profile_find(struct axis_profile *x, const struct element_sample *s, int axis, float level);
void axis_profile_release(struct axis_profile *x);

#endif
