/* Counts a mask's fills by recorded figures: beside a fill all other elements are nothing to a norm or a mean. */
#include "judge/recorded_mask.h"

#include <math.h>

#include "dump/recorded_figures.h"

#define FEW 0.01 /* share of fills by which the count from a norm may be off */

double recorded_fills(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    uint64_t nan, inf;
    double min = r->stat[STAT_MIN], n = (double)dump_row_numel(d, row);
    if (!(r->has & HAS_MIN))
        return NAN;
    if (min == -INFINITY)
        return recorded_counts(d, r, &nan, &inf) & COUNT_NEG_INF ? (double)inf : NAN;
    double by_norm = r->has & HAS_NORM ? r->stat[STAT_NORM] / min : NAN;
    double by_mean = r->has & HAS_MEAN ? n * (r->stat[STAT_MEAN] / min) : NAN;
    return isfinite(by_norm) ? by_norm * by_norm : isfinite(by_mean) ? by_mean : NAN;
}

bool recorded_fills_agree(double t, double g, double spread)
{
    return fabs(t - g) <= fmax(0.5, fmax(FEW, 4 * spread) * fmax(t, g));
}
