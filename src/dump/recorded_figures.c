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
 * tensors differ by at least as much. `root`: of the number of elements. 0 without means and norms. */
static double error_of_means(const struct row *t, const struct row *g, double root)
{
    const int needed = HAS_MEAN | HAS_NORM;
    if ((t->has & g->has & needed) != needed || !(root > 0))
        return 0;
    double a = t->stat[STAT_MEAN], b = g->stat[STAT_MEAN], usual = g->stat[STAT_NORM] / root;
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    double epsilon = dtype_table[dtype_coarser(t->dtype, g->dtype)].epsilon;
    double off = fabs(a - b) - epsilon * larger - MEAN_ROUNDING * usual;
    return isfinite(off) && usual > 0 && off > 0 ? off / usual : 0;
}

/* Whether half a unit of the type in which a norm of 16-bit elements was summed, as its value shows, is no less than
 * `apart`. */
static bool is_rounding_of_norm(const struct row *r, double apart)
{
    enum dtype d = (enum dtype)r->dtype;
    double norm = r->stat[STAT_NORM];
    bool coarse = (double)(float)norm == norm; /* most are not, and rounding takes longer */
    return (d == DTYPE_F16 || d == DTYPE_BF16) && coarse && apart <= dtype_table[d].epsilon / 2 * fabs(norm) &&
           dtype_round(d, norm) == norm;
}

/* Whether two norms, `apart` from each other, are those of one tensor summed in another order or type. */
static bool norms_are_one(const struct row *t, const struct row *g, double apart, double root)
{
    return apart <= root / 2 * dtype_table[DTYPE_F32].epsilon / 2 * fabs(g->stat[STAT_NORM]) ||
           is_rounding_of_norm(t, apart) || is_rounding_of_norm(g, apart);
}

double recorded_error_of(const struct row *t, const struct row *g, double n)
{
    static const struct {
        int bit, stat;
    } figure[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_NORM, STAT_NORM}};
    int both = t->has & g->has;
    double scale = 0, most = NAN, norm = g->stat[STAT_NORM], root = sqrt(n);
    if ((both & HAS_NORM) && isfinite(norm) && isfinite(t->stat[STAT_NORM]))
        scale = fabs(norm);
    else
        for (int i = 0; i < 2; i++)
            if ((both & figure[i].bit) && isfinite(g->stat[figure[i].stat]))
                scale = fmax(scale, fabs(g->stat[figure[i].stat]));
    /* without norms, the mean stands for the values between the extremes */
    if (!(both & HAS_NORM) && (both & HAS_MEAN) && scale > 0 && isfinite(t->stat[STAT_MEAN]) &&
        isfinite(g->stat[STAT_MEAN]))
        most = fabs(t->stat[STAT_MEAN] - g->stat[STAT_MEAN]);
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        double a = t->stat[figure[i].stat], b = g->stat[figure[i].stat], d = fabs(a - b);
        if (!(both & figure[i].bit) || !isfinite(a) || !isfinite(b))
            continue;
        if (figure[i].stat == STAT_NORM && d > 0 && norms_are_one(t, g, d, root))
            d = 0;
        most = d <= most ? most : d;
    }
    if (isnan(most))
        return NAN;
    double error = most == 0 ? 0 : scale > 0 ? most / scale : INFINITY, means = error_of_means(t, g, root);
    return error < means ? means : error;
}

double recorded_extremes_error(const struct row *t, const struct row *g, double n)
{
    const int extremes = HAS_MAX | HAS_MIN;
    if ((t->has & g->has & extremes) != extremes)
        return 0;
    double largest = fmax(fabs(g->stat[STAT_MAX]), fabs(g->stat[STAT_MIN]));
    if (g->has & HAS_NORM && n > 1)
        largest = fmax(largest, g->stat[STAT_NORM] * sqrt(2 * log(n) / n));
    double apart = fmax(fabs(t->stat[STAT_MAX] - g->stat[STAT_MAX]), fabs(t->stat[STAT_MIN] - g->stat[STAT_MIN]));
    return isfinite(apart) && largest > 0 ? apart / largest : 0;
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
