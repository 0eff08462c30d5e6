/* The spread of the golden runs ("determinism off, repeated at least twice"). For each step it is their largest value
 * minus the smallest, which for two runs is their difference. */
#include "curves/curves.h"

#include <math.h>

struct range {
    double least, most, first;
    bool there;
};

/* The spread of one value at a record of run 1 over all golden runs; NaN if a run lacks it. */
static struct range range_of(const struct curves *c, size_t record, enum log_value v)
{
    struct range r = {.there = true};
    for (size_t k = 1; k < c->runs && r.there; k++) {
        uint32_t at = k == 1 ? (uint32_t)record : c->golden[k][record];
        const struct log_record *x = at == UINT32_MAX ? NULL : &c->run[k].records.v[at];
        r.there = x && log_has(x, v) && isfinite(x->value[v]) && !(v == LOG_LOSS && curve_skipped(x));
        if (!r.there)
            break;
        if (k == 1)
            r.first = r.least = r.most = x->value[v];
        r.least = fmin(r.least, x->value[v]);
        r.most = fmax(r.most, x->value[v]);
    }
    return r;
}

/* Share of the steps at which the target is no farther from the golden runs than their largest difference. */
static double share_inside(const struct curves *c)
{
    size_t n = 0, inside = 0;
    for (size_t i = 0; i < c->usable.n; i++) {
        const struct curve_point *p = &c->points.v[c->usable.v[i]];
        struct range r = range_of(c, p->at[1], LOG_LOSS);
        double t = c->run[0].records.v[p->at[0]].value[LOG_LOSS];
        if (!r.there)
            continue;
        n++;
        inside += t >= r.least - c->band.max_abs && t <= r.most + c->band.max_abs;
    }
    return n ? (double)inside / (double)n : NAN;
}

void noise_band_find(struct curves *c)
{
    struct noise_band *b = &c->band;
    double sum = 0, sum_rel = 0, norm = 0;
    size_t norms = 0;
    *b = (struct noise_band){.runs = c->runs - 1, .inside = NAN};
    for (int l = 0; l < CURVE_LIMITS; l++)
        b->spread[l] = NAN;
    if (b->runs < 2)
        return;
    for (size_t i = 0; i < c->run[1].records.n; i++) {
        struct range loss = range_of(c, i, LOG_LOSS), g = range_of(c, i, LOG_NORM);
        double d = loss.most - loss.least;
        if (g.there) {
            norm += g.most == g.least ? 0 : (g.most - g.least) / fabs(g.first);
            norms++;
        }
        if (!loss.there)
            continue;
        double rel = d == 0 ? 0 : d / fabs(loss.first);
        if (!b->steps++) {
            b->spread[CURVE_FIRST_ABS] = d;
            b->spread[CURVE_FIRST_REL] = rel;
        }
        sum += d;
        sum_rel += rel;
        b->max_abs = fmax(b->max_abs, d);
    }
    if (norms)
        b->spread[CURVE_NORM_REL] = norm / (double)norms;
    if (!b->steps)
        return;
    b->spread[CURVE_MEAN_ABS] = sum / (double)b->steps;
    b->spread[CURVE_MEAN_REL] = sum_rel / (double)b->steps;
    b->inside = share_inside(c);
}
