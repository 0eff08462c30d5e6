/* Normalisations: which elements are normalised together, and how well an epsilon explains an output. In formulas
 * (op_norm.c), and as fitted to a side (diagnose/norm_fit.c). */
#ifndef ORACLE_NORM_VALUES_H
#define ORACLE_NORM_VALUES_H

#include "oracle/formula.h"

/* Elements are normalised in groups. Member (m, k) of group (p, q) is at p · group_step[0] + q · group_step[1] + m ·
 * member_step[0] + k · member_step[1]. The weight of element i has index i / run % weights. */
struct norm_layout {
    int64_t groups[2], group_step[2], members[2], member_step[2];
    int64_t run, weights;
};

/* Groups: the last `count` elements of each row. */
struct norm_layout norm_over_last(const struct real_tensor *x, int64_t count);
/* Groups: all elements of a channel (axis 1). For these three x has at least two axes, and elements. */
struct norm_layout norm_over_batch(const struct real_tensor *x);
/* Groups: `groups` ranges of channels per sample; a divisor of their number. */
struct norm_layout norm_over_groups(const struct real_tensor *x, int64_t groups);
/* Groups: the channels of each position. */
struct norm_layout norm_over_channels(const struct real_tensor *x);

static inline int64_t norm_groups(const struct norm_layout *l)
{
    return l->groups[0] * l->groups[1];
}

/* The number of members of each group. */
static inline int64_t norm_members(const struct norm_layout *l)
{
    return l->members[0] * l->members[1];
}

static inline int64_t norm_group_start(const struct norm_layout *l, int64_t g)
{
    return g / l->groups[1] * l->group_step[0] + g % l->groups[1] * l->group_step[1];
}

/* The distance of the nth member from the start of its group. */
static inline int64_t norm_member_at(const struct norm_layout *l, int64_t n)
{
    return n / l->members[1] * l->member_step[0] + n % l->members[1] * l->member_step[1];
}

/* A normalisation without its epsilon. */
struct norm {
    const char *name;
    const struct real_tensor *x, *weight, *bias; /* both may be NULL */
    const struct real_tensor *mean, *variance;   /* running statistics, one per group, or NULL: those of the group */
    struct norm_layout layout;
    bool centred;
    double offset; /* added to the weight: 1 if it is stored as the difference from one */
};

/* What element i is multiplied by, and what is added to it. */
static inline double norm_weight_at(const struct norm *n, int64_t i)
{
    return n->weight ? n->weight->v[i / n->layout.run % n->layout.weights] + n->offset : 1;
}

static inline double norm_bias_at(const struct norm *n, int64_t i)
{
    return n->bias ? n->bias->v[i / n->layout.run % n->layout.weights] : 0;
}

struct norm_moments {
    double mean, variance;
};
struct norm_moments norm_moments_of(const struct norm *n, int64_t group);

/* Sums over a group, with h = w z (z centred, not scaled): Σ(y−b)², Σ(y−b)h, Σh², and the variance. */
struct norm_sums {
    double yy, yh, hh, variance;
};
struct norm_sums norm_sums_of(const struct norm *n, int64_t group, const double *y);
/* Σ(y − norm(x))² with this epsilon: per group Σ(y−b)² − 2 r Σ(y−b)h + r² Σh², r = 1/√(variance + epsilon). */
double norm_error_with(const struct norm_sums *s, int64_t groups, double eps);

#endif
