/* The error of two rows by recorded maximum, minimum, mean and norm if no tensor was compared; recorded counts of NaN
 * and infinities. */
#include "dump/recorded_figures.h"

#include <math.h>

#define MEAN_ROUNDING 1e-6 /* of sums in float32, relative to the size of an element */

double recorded_error(const struct row *t, const struct row *g)
{
    return recorded_error_of(t, g, 0);
}

/* The part of the means' difference that no rounding of theirs explains, relative to the size of an element: the
 * tensors differ by at least as much. 0 without means and norms. */
static double error_of_means(const struct row *t, const struct row *g, double n)
{
    double a = t->stat[STAT_MEAN], b = g->stat[STAT_MEAN], usual = g->stat[STAT_NORM] / sqrt(n);
    double epsilon = dtype_table[dtype_coarser(t->dtype, g->dtype)].epsilon;
    double off = fabs(a - b) - epsilon * fmax(fabs(a), fabs(b)) - MEAN_ROUNDING * usual;
    int needed = HAS_MEAN | HAS_NORM;
    bool there = (t->has & g->has & needed) == needed && n > 0 && isfinite(off) && usual > 0;
    return there && off > 0 ? off / usual : 0;
}

/* Half a unit of the type in which a norm of 16-bit elements was summed, which its value shows; 0 for other rows. */
static double norm_rounding(const struct row *r)
{
    enum dtype d = (enum dtype)r->dtype;
    double norm = r->stat[STAT_NORM];
    bool own = (d == DTYPE_F16 || d == DTYPE_BF16) && dtype_round(d, norm) == norm;
    return own ? dtype_table[d].epsilon / 2 * fabs(norm) : 0;
}

double recorded_error_of(const struct row *t, const struct row *g, double n)
{
    static const struct {
        int bit, stat;
    } figure[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_NORM, STAT_NORM}};
    int both = t->has & g->has;
    double scale = 0, worst = NAN, norm = g->stat[STAT_NORM];
    if ((both & HAS_NORM) && isfinite(norm) && isfinite(t->stat[STAT_NORM]))
        scale = fabs(norm);
    else
        for (int i = 0; i < 2; i++)
            if ((both & figure[i].bit) && isfinite(g->stat[figure[i].stat]))
                scale = fmax(scale, fabs(g->stat[figure[i].stat]));
    /* without norms, the mean stands for the values between the extremes */
    if (!(both & HAS_NORM) && (both & HAS_MEAN) && scale > 0 && isfinite(t->stat[STAT_MEAN]) &&
        isfinite(g->stat[STAT_MEAN]))
        worst = fabs(t->stat[STAT_MEAN] - g->stat[STAT_MEAN]) / scale;
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        double a = t->stat[figure[i].stat], b = g->stat[figure[i].stat];
        if (!(both & figure[i].bit) || !isfinite(a) || !isfinite(b))
            continue;
        double d = fabs(a - b);
        double rounding = sqrt(n) / 2 * dtype_table[DTYPE_F32].epsilon / 2 * fabs(b);
        if (figure[i].stat == STAT_NORM && d <= fmax(rounding, fmax(norm_rounding(t), norm_rounding(g))))
            d = 0;
        double e = d == 0 ? 0 : scale > 0 ? d / scale : INFINITY;
        worst = isnan(worst) || e > worst ? e : worst;
    }
    return isnan(worst) ? worst : fmax(worst, error_of_means(t, g, n));
}

static const struct row_extra *extra_of(const struct dump *d, const struct row *r)
{
    return r->extra == NONE ? NULL : &d->extras.v[r->extra];
}

int recorded_counts(const struct dump *d, const struct row *r, uint64_t *nan, uint64_t *inf)
{
    const struct row_extra *e = extra_of(d, r);
    int counts = e ? e->counts & (COUNT_NAN | COUNT_POS_INF | COUNT_NEG_INF) : 0;
    *nan = counts & COUNT_NAN ? e->nan : 0;
    *inf = (counts & COUNT_POS_INF ? e->pos_inf : 0) + (counts & COUNT_NEG_INF ? e->neg_inf : 0);
    return counts;
}

int recorded_special(const struct dump *d, const struct row *r)
{
    const struct row_extra *e = extra_of(d, r);
    int counts = e ? e->counts : 0;
    double max = r->has & HAS_MAX ? r->stat[STAT_MAX] : 0, min = r->has & HAS_MIN ? r->stat[STAT_MIN] : 0;
    if (isnan(max) || isnan(min) || ((counts & COUNT_NAN) && e->nan))
        return 1;
    return (max == INFINITY || ((counts & COUNT_POS_INF) && e->pos_inf) ? 2 : 0) +
           (min == -INFINITY || ((counts & COUNT_NEG_INF) && e->neg_inf) ? 4 : 0);
}
