/* Whether loss or global norm of the target is a constant multiple of the golden one: another reduction, not another
 * calculation. */
#include "curves/curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"

#define FEWEST 10      /* steps */
#define WHOLE 0.005    /* a factor so near to a whole number, or to one over it, needs no comparison with an offset */

bool curve_same_factor(double a, double b)
{
    return fabs(a / b - 1) < 0.02 && fabs(a / b - 1) < fabs(b - 1) / 4;
}

static bool is_whole_factor(double x)
{
    double k = x >= 1 ? x : 1 / x;
    return k > 1.5 && fabs(k - round(k)) <= WHOLE * k;
}

/* The median distance of a line from the values: of `factor` times the golden ones, plus `offset`. */
static double median_line_distance(const double *t, const double *g, size_t n, double factor, double offset,
                                   double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(t[i] - factor * g[i] - offset);
    return median_of(scratch, n);
}

struct curve_factor constant_factor(const double *t, const double *g, size_t n, const struct factor_room *room)
{
    struct curve_factor f = {0};
    double *scratch = mem_resize_array(NULL, n + 1, sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        if (g[i] != 0 && t[i] / g[i] > 0)
            scratch[f.steps++] = t[i] / g[i];
    if (f.steps >= FEWEST && f.steps == n) {
        double r = median_of(scratch, n), most = fmin(room->miss, fabs(r - 1) / 4);
        for (size_t i = 0; i < n; i++)
            f.near += fabs(t[i] / g[i] / r - 1) <= most;
        for (size_t i = 0; i < n; i++)
            scratch[i] = t[i] - g[i];
        double offset = median_of(scratch, n);
        bool confirmed = room->also != 0 && curve_same_factor(room->also, r);
        bool proportional = !room->compare_offset || is_whole_factor(r) || confirmed ||
                            2 * median_line_distance(t, g, n, r, 0, scratch) <
                            median_line_distance(t, g, n, 1, offset, scratch);
        if (fabs(r - 1) >= room->apart && (double)f.near >= room->share * (double)n && proportional)
            f.factor = r;
    }
    free(scratch);
    return f;
}

static struct curve_factor factor_of(const struct curves *c, enum curve_series s, const struct factor_room *room)
{
    enum log_value v = curve_value(s);
    VEC(double) t = {0};
    VEC(double) g = {0};
    for (size_t i = 0; i < c->usable.n; i++) {
        const struct log_record *a = curve_record(c, c->usable.v[i], 0), *b = curve_record(c, c->usable.v[i], 1);
        if (!log_has(a, v) || !log_has(b, v) || !isfinite(a->value[v]) || !isfinite(b->value[v]))
            continue;
        vec_push(&t, a->value[v]);
        vec_push(&g, b->value[v]);
    }
    struct curve_factor f = constant_factor(t.v, g.v, t.n, room);
    vec_release(&t);
    vec_release(&g);
    return f;
}

void constant_factors_find(struct curves *c)
{
    /* norms of correct runs scatter in proportion */
    const struct factor_room norm = {.miss = 0.1, .share = 0.9, .apart = 0.02};
    c->factor[CURVE_NORM] = factor_of(c, CURVE_NORM, &norm);
    /* nearer than 0.005 the standard accepts the first loss */
    const struct factor_room loss = {
        .miss = 0.01, .share = 0.99, .apart = 0.005, .compare_offset = true, .also = c->factor[CURVE_NORM].factor};
    c->factor[CURVE_LOSS] = factor_of(c, CURVE_LOSS, &loss);
}
