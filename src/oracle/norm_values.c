/* Normalisations in groups of elements: their moments, and sums that tell what each epsilon leaves of an output. */
#include "oracle/norm_values.h"

struct norm_layout norm_over_last(const struct real_tensor *x, int64_t count)
{
    return (struct norm_layout){{1, x->count / count}, {0, count}, {1, count}, {0, 1}, 1, count};
}

static int64_t inner_of(const struct real_tensor *x)
{
    int64_t inner = 1;
    for (int i = 2; i < x->axes; i++)
        inner *= x->shape[i];
    return inner;
}

struct norm_layout norm_over_batch(const struct real_tensor *x)
{
    int64_t inner = inner_of(x), channels = x->shape[1];
    return (struct norm_layout){{1, channels},         {0, inner}, {x->shape[0], inner},
                                {channels * inner, 1}, inner,      channels};
}

struct norm_layout norm_over_groups(const struct real_tensor *x, int64_t groups)
{
    int64_t inner = inner_of(x), channels = x->shape[1], n = channels / groups * inner;
    return (struct norm_layout){{1, x->shape[0] * groups}, {0, n}, {1, n}, {0, 1}, inner, channels};
}

struct norm_layout norm_over_channels(const struct real_tensor *x)
{
    int64_t inner = inner_of(x), channels = x->shape[1];
    return (struct norm_layout){
        {x->shape[0], inner}, {channels * inner, 1}, {1, channels}, {0, inner}, inner, channels};
}

struct norm_moments norm_moments_of(const struct norm *n, int64_t group)
{
    const struct norm_layout *l = &n->layout;
    const double *x = n->x->v + norm_group_start(l, group);
    int64_t count = norm_members(l);
    struct norm_moments m = {0, 0};
    if (n->mean)
        return (struct norm_moments){n->mean->v[group], n->variance->v[group]};
    for (int64_t i = 0; i < count && n->centred; i++)
        m.mean += x[norm_member_at(l, i)];
    m.mean /= (double)count;
    for (int64_t i = 0; i < count; i++) {
        double z = x[norm_member_at(l, i)] - m.mean;
        m.variance += z * z;
    }
    m.variance /= (double)count;
    return m;
}

struct norm_sums norm_sums_of(const struct norm *n, int64_t group, const double *y)
{
    const struct norm_layout *l = &n->layout;
    int64_t start = norm_group_start(l, group), count = norm_members(l);
    struct norm_moments m = norm_moments_of(n, group);
    struct norm_sums s = {.variance = m.variance};
    for (int64_t i = 0; i < count; i++) {
        int64_t at = start + norm_member_at(l, i);
        double h = (n->x->v[at] - m.mean) * norm_weight_at(n, at), d = y[at] - norm_bias_at(n, at);
        s.yy += d * d;
        s.yh += d * h;
        s.hh += h * h;
    }
    return s;
}

double norm_error_with(const struct norm_sums *s, int64_t groups, double eps)
{
    double error = 0;
    for (int64_t g = 0; g < groups; g++) {
        double rate = 1 / sqrt(s[g].variance + eps);
        error += s[g].yy - 2 * rate * s[g].yh + rate * rate * s[g].hh;
    }
    return error;
}
