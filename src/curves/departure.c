/* Whether the losses leave each other for good: a departure stays to the end, and goes beyond what the runs did
 * before. The end of a swing, noise and a step that stands out are none. */
#include "curves/curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"

#define BEYOND 2     /* times the largest difference before: a departure is at least so large */
#define ON_ITS_WAY 0.1 /* share of its level that a window before it already has */
#define QUIET 20     /* before it began, a part of the run of at least one in so many was seen */
#define LONG 4       /* windows after which nothing more is asked of its course */
#define FALLS 0.8    /* the last quarter of a short one is at least this share of the quarter before */
#define RISE 0.2     /* over its second half a growing one rises by this share at least */
#define RISE_SIGMA 3 /* … and by this many standard errors */
#define PARTS 20     /* of the second half, between which the rise is measured */
/* of blocks */
#define SEEN_BEFORE 5 /* and a fifth of all: the quiet beginning */
#define SEEN_AFTER 3
#define SEEN_LONG 8
#define HELD 0.5     /* every block of a small departure keeps this share of the last ones' level */

static size_t window_of(const struct thresholds_curves *t)
{
    return t->window < 1 ? 1 : t->window > 1e9 ? 1000000000 : (size_t)t->window;
}

/* The smallest usable point from which the trailing mean of |difference| over `window` stays above `limit` to the end;
 * SIZE_MAX: none. Sums of a window are joined from a suffix and a prefix of blocks, so that nothing is ever
 * subtracted: in a running sum the rounding error of one very large step would remain. */
static size_t find_departure_point(const struct curves *c, size_t window, double limit)
{
    size_t n = c->diff.n, first = SIZE_MAX;
    if (n < window)
        return first;
    double *suffix = mem_resize_array(NULL, window + 1, sizeof *suffix), prefix = 0;
    for (size_t i = 0; i < n; i++) {
        size_t in = i % window;
        if (in == 0) {
            prefix = suffix[window] = 0;
            for (size_t k = window; i && k-- > 0;)
                suffix[k] = suffix[k + 1] + fabs(c->diff.v[i - window + k]);
        }
        prefix += fabs(c->diff.v[i]);
        if (i + 1 < window)
            continue;
        double sum = prefix + suffix[in + 1];
        if (!(sum / (double)window > limit))
            first = SIZE_MAX;
        else if (first == SIZE_MAX)
            first = i;
    }
    free(suffix);
    return first;
}

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] / (double)n;
    return sum;
}

static double mean_abs(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(v[i]) / (double)n;
    return sum;
}

/* The median of |difference|; scratch has room for n. */
static double median_abs(const double *v, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(v[i]);
    return median_of(scratch, n);
}

/* Whether |values| shrink towards the end, as after a step that stands out. */
static bool differences_shrink(const double *v, size_t n)
{
    size_t q = n / 4 ? n / 4 : 1;
    return n >= 2 && mean_abs(v + n - q, q) < FALLS * mean_abs(v + n - 2 * q, q);
}

/* Whether the difference rises over the n last steps; in which direction it goes does not matter. */
static bool difference_rises(const double *v, size_t n)
{
    double part[PARTS], mean = 0, sxx = 0, sxy = 0, rest = 0;
    size_t parts = n / 5 < 2 ? 2 : n / 5 < PARTS ? n / 5 : PARTS;
    if (n < 2 * parts)
        return false;
    bool signless = fabs(mean_of(v, n)) < mean_abs(v, n) / 2;
    for (size_t i = 0; i < parts; i++) {
        size_t from = i * n / parts, to = (i + 1) * n / parts;
        part[i] = signless ? mean_abs(v + from, to - from) : mean_of(v + from, to - from);
        mean += part[i] / (double)parts;
    }
    double turn = mean < 0 ? -1 : 1, middle = (double)(parts - 1) / 2;
    for (size_t i = 0; i < parts; i++) {
        double x = (double)i - middle;
        sxx += x * x;
        sxy += x * turn * (part[i] - mean);
    }
    double slope = sxy / sxx, rise = slope * (double)parts, start = fabs(mean) - rise / 2;
    for (size_t i = 0; i < parts; i++) {
        double off = turn * (part[i] - mean) - slope * ((double)i - middle);
        rest += off * off;
    }
    double error = parts > 2 ? sqrt(rest / (double)(parts - 2) / sxx) : 0;
    return rise > RISE * fmax(start, 0) && slope > RISE_SIGMA * error;
}

/* The largest difference of whole windows before a point: medians, so that single steps do not count. */
static double largest_difference_before(const struct curves *c, size_t end, size_t window, double *scratch)
{
    double most = 0;
    for (size_t i = 0; i + window <= end; i += window)
        most = fmax(most, median_abs(c->diff.v + i, window, scratch));
    return most;
}

/* Where a departure that is beyond the limit from `from` on began to go there: the windows before it that already lie
 * on its side. */
static size_t find_departure_onset(const struct curves *c, size_t from, size_t window, double level)
{
    double turn = mean_of(c->diff.v + from, c->diff.n - from) < 0 ? -1 : 1;
    while (from >= window && turn * mean_of(c->diff.v + from - window, window) >= ON_ITS_WAY * level)
        from -= window;
    return from;
}

/* A departure beyond the limit that begins at a point; of one that begins with the run, the noise around zero is
 * none. */
static bool departs_at(const struct curves *c, size_t from, size_t window, double limit, double *scratch)
{
    const double *v = c->diff.v + from;
    size_t n = c->diff.n - from, half = n / 2 > window ? n / 2 : window;
    if (from == 0)
        return fabs(mean_of(v + n - half, half)) > limit;
    double level = median_abs(v + n - half, half, scratch);
    size_t begun = find_departure_onset(c, from, window, level);
    return level > limit && begun >= c->diff.n / QUIET && level >
           BEYOND * largest_difference_before(c, begun, window, scratch) &&
           (n >= LONG * window || !differences_shrink(v, n));
}

/* A departure below the limit, on means of blocks: all blocks from it on lie on one side, and beyond everything before.
 * *from: its first point. */
static bool departs_small(const struct curves *c, size_t block, double least, double *scratch, size_t *from)
{
    size_t n = c->diff.n / block, rest = c->diff.n - n * block, first = n, quiet = 0;
    double *b = scratch, least_after = INFINITY, last[SEEN_AFTER];
    if (n < 2 * SEEN_BEFORE)
        return false;
    for (size_t i = 0; i < n; i++)
        b[i] = mean_of(c->diff.v + rest + i * block, block);
    double turn = b[n - 1] < 0 ? -1 : 1;
    for (size_t i = 0; i < SEEN_AFTER; i++)
        last[i] = turn * b[n - 1 - i];
    double level = median_of(last, SEEN_AFTER);
    while (first && turn * b[first - 1] >= HELD * level) {
        first--;
        least_after = fmin(least_after, turn * b[first]);
    }
    while (quiet < first && fabs(b[quiet]) < least_after / BEYOND)
        quiet++;
    *from = rest + quiet * block;
    return level >= least && n - first >= SEEN_AFTER && quiet >= SEEN_BEFORE && quiet >= n / 5 &&
           (n - first >= SEEN_LONG || !differences_shrink(b + first, n - first));
}

/* Where a stable departure begins, found late by a mean over a window: the point that divides the steps near it best
 * into those at the level before and those at its own. One that has no jump there begins where it was found. */
static size_t stepped_at(const struct curves *c, size_t at, size_t window, double level, double *scratch)
{
    size_t low = at > 2 * window ? at - 2 * window : 0, high = at + window < c->diff.n ? at + window : c->diff.n;
    size_t best = at, quiet = low < window ? low : window;
    memcpy(scratch, c->diff.v + low - quiet, quiet * sizeof *scratch);
    double before = quiet ? median_of(scratch, quiet) : 0, cost = 0, least = INFINITY;
    for (size_t i = low; i < high; i++) {
        if (cost < least)
            least = cost, best = i;
        double rest = c->diff.v[i] - before, own = c->diff.v[i] - level;
        cost += rest * rest - own * own;
    }
    return best == low ? at : best;
}

static void describe_departure(struct curves *c, size_t from, double *scratch)
{
    struct curve_departure *d = &c->departure;
    size_t n = c->diff.n, half = from + (n - from) / 2;
    d->from = from;
    d->kind = difference_rises(c->diff.v + half, n - half) ? DEPARTURE_GROWING : DEPARTURE_STABLE;
    memcpy(scratch, c->diff.v + half, (n - half) * sizeof *scratch);
    d->level = median_of(scratch, n - half);
    for (size_t i = half; i < n; i++)
        scratch[i - half] =
            c->diff.v[i] == 0 ? 0 : fabs(c->diff.v[i] / curve_record(c, c->usable.v[i], 1)->value[LOG_LOSS]);
    d->rel = median_of(scratch, n - half);
}

void curve_departure_find(struct curves *c, const struct thresholds_curves *t)
{
    double limit = t->diverge;
    if (c->band.runs > 1 && t->noise * c->band.spread[CURVE_MEAN_ABS] > limit)
        limit = t->noise * c->band.spread[CURVE_MEAN_ABS];
    size_t window = window_of(t), from = 0, at = find_departure_point(c, window, limit);
    double *scratch = mem_resize_array(NULL, c->diff.n + 1, sizeof *scratch);
    double least = t->mean_loss_abs / 2;
    if (c->band.runs > 1)
        least = fmax(least, c->band.spread[CURVE_MEAN_ABS]);
    c->departure = (struct curve_departure){.kind = DEPARTURE_NONE};
    c->diverges_at = -1;
    if (c->factor[CURVE_LOSS].factor != 0)
        at = SIZE_MAX; /* the whole course is the golden one's, in other units */
    if (at != SIZE_MAX && departs_at(c, at + 1 - window, window, limit, scratch)) {
        struct curve_departure *d = &c->departure;
        describe_departure(c, at + 1 - window, scratch);
        if (d->kind == DEPARTURE_STABLE && d->from)
            at = d->from = stepped_at(c, at, window, d->level, scratch);
        c->diverges_at = c->points.v[c->usable.v[at]].step;
    } else if (c->factor[CURVE_LOSS].factor == 0 && departs_small(c, window, least, scratch, &from)) {
        describe_departure(c, from, scratch);
    }
    free(scratch);
    c->departure.late = c->departure.from >= c->diff.n / 3;
    c->from_start = c->diverges_at >= 0 && c->departure.from == 0 && c->first_loss == STAGE_FAIL;
}
