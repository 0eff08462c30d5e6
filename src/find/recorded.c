#include "find/recorded.h"

#include <math.h>

double recorded_error(const struct row *t, const struct row *g)
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
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        double a = t->stat[figure[i].stat], b = g->stat[figure[i].stat];
        if (!(both & figure[i].bit) || !isfinite(a) || !isfinite(b))
            continue;
        double d = fabs(a - b), e = d == 0 ? 0 : scale > 0 ? d / scale : INFINITY;
        worst = isnan(worst) || e > worst ? e : worst;
    }
    return worst;
}
