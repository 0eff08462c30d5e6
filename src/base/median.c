/* Three-way quickselect, and the median based on it. */
#include "base/median.h"

#include <stdint.h>

/* Three-way quickselect, so that runs of equal values take one step; the pivot's position varies, so that no regular
 * order of values is quadratic. */
double select_kth(double *v, size_t n, size_t k)
{
    size_t lo = 0, hi = n;
    uint64_t wander = n;
    for (;;) {
        wander = wander * 6364136223846793005u + 1442695040888963407u;
        double pivot = v[lo + (size_t)(wander >> 33) % (hi - lo)];
        size_t i = lo, below = lo, above = hi;
        while (i < above) {
            double x = v[i];
            if (x < pivot) {
                v[i++] = v[below];
                v[below++] = x;
            } else if (x > pivot) {
                v[i] = v[--above];
                v[above] = x;
            } else {
                i++;
            }
        }
        if (k < below)
            hi = below;
        else if (k >= above)
            lo = above;
        else
            return pivot;
    }
}

double median_of(double *v, size_t n)
{
    double upper = select_kth(v, n, n / 2), lower;
    if (n % 2)
        return upper;
    lower = v[0]; /* the largest of the lower half */
    for (size_t i = 1; i < n / 2; i++)
        lower = v[i] > lower ? v[i] : lower;
    return (lower + upper) / 2;
}
