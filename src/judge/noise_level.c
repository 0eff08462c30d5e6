/* Keeps the last accepted errors sorted in a window and gives their quantile, the noise level. */
#include "judge/noise_level.h"

#include <string.h>

void noise_level_init(struct noise_level *l, int window)
{
    memset(l, 0, sizeof *l);
    memset(l->sorted, 0xff, sizeof l->sorted);
    l->window = window < 1 ? 1 : window > LEVEL_MAX ? LEVEL_MAX : window;
}

/* Errors are not negative, so their bits are in the order of their values. */
static uint32_t bits_of(float error)
{
    uint32_t bits;
    memcpy(&bits, &error, sizeof bits);
    return bits;
}

/* First index in `sorted` whose value is not below that of v. Bits are compared without a branch, which would be
 * foretold wrong half the time. */
static int bucket_of_error(const struct noise_level *l, float v)
{
    uint32_t bits = bits_of(v), at = 0;
    for (uint32_t half = LEVEL_MAX / 2; half; half /= 2)
        at += l->sorted[at + half - 1] < bits ? half : 0;
    return (int)(at + (l->sorted[at] < bits));
}

static void refresh_level(struct noise_level *l)
{
    l->most_product = 0;
    for (int i = 0; i < l->n; i++)
        if (l->product[i] && l->error[i] > l->most_product)
            l->most_product = l->error[i];
    l->coarsest = DTYPE_UNKNOWN;
    for (int d = 0; d < DTYPE_COUNT; d++)
        if (l->of_dtype[d])
            l->coarsest = dtype_coarser(l->coarsest, (enum dtype)d);
}

void noise_level_add(struct noise_level *l, double error, bool product, enum dtype d)
{
    bool stale = false;
    float v = (float)error;
    int to = bucket_of_error(l, v), gap = l->n;
    if (l->n == l->window) {
        gap = bucket_of_error(l, l->error[l->at]);
        stale = --l->of_dtype[l->dtype[l->at]] == 0 || (l->product[l->at] && l->error[l->at] >= l->most_product);
    } else {
        l->n++;
    }
    if (gap < to) {
        to--;
        memmove(l->sorted + gap, l->sorted + gap + 1, (size_t)(to - gap) * sizeof *l->sorted);
    } else {
        memmove(l->sorted + to + 1, l->sorted + to, (size_t)(gap - to) * sizeof *l->sorted);
    }
    l->sorted[to] = bits_of(v);
    l->error[l->at] = v;
    l->product[l->at] = product;
    l->dtype[l->at] = (uint8_t)d;
    stale = !l->of_dtype[d]++ || stale;
    l->at = l->at + 1 == l->window ? 0 : l->at + 1;
    if (stale)
        refresh_level(l);
    else if (product && v > l->most_product)
        l->most_product = v;
}

double noise_level_quantile(const struct noise_level *l, double q)
{
    if (!l->n)
        return 0;
    int i = (int)(q * (l->n - 1) + 0.5);
    float error;
    memcpy(&error, &l->sorted[i < 0 ? 0 : i >= l->n ? l->n - 1 : i], sizeof error);
    return (double)error;
}

double noise_level_product(const struct noise_level *l)
{
    return (double)l->most_product;
}

enum dtype noise_level_dtype(const struct noise_level *l)
{
    return l->coarsest;
}
