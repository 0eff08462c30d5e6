/* Numbers that look random and are the same each time, for tests: a seed gives one sequence, on any machine. */
#ifndef TESTS_DRAWS_H
#define TESTS_DRAWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Any of 2^64. The upper bits are the better ones. */
static inline uint64_t draw_bits(uint64_t *seed)
{
    return *seed = *seed * 6364136223846793005u + 1442695040888963407u;
}

/* In [0,1). */
static inline double draw_share(uint64_t *seed)
{
    return (double)(draw_bits(seed) >> 11) * 0x1p-53;
}

/* Near the normal distribution, as sums of twelve shares are: mean 0, deviation 1, never beyond 6. */
static inline double draw_normal(uint64_t *seed)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += draw_share(seed);
    return sum - 6;
}

/* Of the normal distribution itself. */
static inline double draw_gaussian(uint64_t *seed)
{
    return sqrt(-2 * log(1 - draw_share(seed))) * cos(6.283185307179586 * draw_share(seed));
}

static inline double root_mean_square(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum / (double)n);
}

#endif
