/* Joins figures step by step, innermost first. */
#include "ranks/part_figures.h"

#include <math.h>
#include <stdlib.h>

#include "dump/recorded_figures.h"

#define NEEDED (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM)

static double recorded_figures_error(const double a[STAT_COUNT], const double b[STAT_COUNT])
{
    struct row x = {.kind = ROW_TENSOR, .has = NEEDED}, y = x;
    memcpy(x.stat, a, sizeof x.stat);
    memcpy(y.stat, b, sizeof y.stat);
    double off = recorded_error(&x, &y);
    return isnan(off) ? INFINITY : off;
}

double part_figures_away(const struct part_figures *a, const struct part_figures *b)
{
    return recorded_figures_error(a->stat, b->stat);
}

/* Combines n concatenated parts into the first. */
static void combine_concatenated(double (*stat)[STAT_COUNT], uint32_t n, size_t stride)
{
    double mean = 0, squares = 0, most = stat[0][STAT_MAX], least = stat[0][STAT_MIN];
    for (uint32_t i = 0; i < n; i++) {
        const double *s = stat[i * stride];
        most = s[STAT_MAX] > most ? s[STAT_MAX] : most;
        least = s[STAT_MIN] < least ? s[STAT_MIN] : least;
        mean += s[STAT_MEAN] / n;
        squares += s[STAT_NORM] * s[STAT_NORM];
    }
    stat[0][STAT_MAX] = most;
    stat[0][STAT_MIN] = least;
    stat[0][STAT_MEAN] = mean;
    stat[0][STAT_NORM] = sqrt(squares);
}

static void join_step(double (*stat)[STAT_COUNT], const struct join_step *s, size_t stride, struct part_figures *out)
{
    switch ((enum join_how)s->how) {
    case JOIN_SUM: case JOIN_MEAN: case JOIN_MAX: case JOIN_VOCAB:
        out->known = false;
        break;
    case JOIN_LAST: case JOIN_REPLICA:
        for (uint32_t i = 1; i < s->n && s->how == JOIN_REPLICA; i++)
            out->spread = fmax(out->spread, recorded_figures_error(stat[i * stride], stat[0]));
        memmove(stat[0], stat[s->pick * stride], sizeof *stat);
        break;
    default:
        combine_concatenated(stat, s->n, stride);
    }
}

struct part_figures part_figures_join(const struct whole_rows *r, const struct whole_row *x,
                                      const struct join_step *step, double scale)
{
    struct part_figures out = {.known = x->parts.n > 0};
    double(*stat)[STAT_COUNT] = mem_alloc((x->parts.n + 1) * sizeof *stat);
    for (size_t i = 0; i < x->parts.n; i++) {
        const struct row *p = &part_dump(r, &x->parts.v[i])->dump.rows.v[x->parts.v[i].row];
        out.known &= (p->has & NEEDED) == NEEDED;
        memcpy(stat[i], p->stat, sizeof stat[i]);
    }
    size_t stride = 1;
    for (int s = 0; s < x->steps && out.known; s++) {
        for (size_t i = 0; i < x->parts.n; i += stride * step[s].n)
            join_step(stat + i, &step[s], stride, &out);
        stride *= step[s].n;
    }
    for (int i = 0; i < STAT_COUNT && out.known; i++)
        out.stat[i] = stat[0][i] * scale;
    free(stat);
    return out;
}
