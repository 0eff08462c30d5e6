/* Whether the target's losses are the golden ones of other steps: one side began with another batch, or prints a loss
 * after the update. */
#include "curves/curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"

#define FARTHEST 10 /* points */
#define FEWEST 10   /* pairs */
#define NEARER 0.1  /* the distance at the shift, as a share of that without one and of those one point beside it */

/* The median distance of the target's losses from the golden ones `by` points later, each as many steps later as the
 * first; NaN: too few pairs. *steps, *pairs: how many steps that is, and their number. */
static double distance_at(const struct curves *c, int by, double *scratch, int64_t *steps, size_t *pairs)
{
    size_t n = 0, from = by < 0 ? (size_t)-by : 0;
    *steps = 0;
    for (size_t i = from; i + (size_t)(by > 0 ? by : 0) < c->usable.n; i++) {
        const size_t a = c->usable.v[i], b = c->usable.v[(size_t)((ptrdiff_t)i + by)];
        const int64_t apart = c->points.v[b].step - c->points.v[a].step;
        *steps = n ? *steps : apart;
        if (apart == *steps)
            scratch[n++] = fabs(curve_record(c, a, 0)->value[LOG_LOSS] - curve_record(c, b, 1)->value[LOG_LOSS]);
    }
    *pairs = n;
    return n >= FEWEST ? median_of(scratch, n) : NAN;
}

void step_shift_find(struct curves *c)
{
    double at[2 * FARTHEST + 3], *scratch = mem_resize_array(NULL, c->usable.n + 1, sizeof *scratch);
    struct step_shift seen[2 * FARTHEST + 3];
    for (int k = 0; k < (int)ARRAY_LEN(at); k++)
        at[k] = distance_at(c, k - FARTHEST - 1, scratch, &seen[k].steps, &seen[k].pairs);
    c->shift = (struct step_shift){0};
    for (size_t k = 1; k + 1 < ARRAY_LEN(at); k++) {
        double beside = NEARER * fmin(fmin(at[k - 1], at[k + 1]), at[FARTHEST + 1]);
        if (k != FARTHEST + 1 && at[k] <= beside && (c->shift.steps == 0 || at[k] < c->shift.distance))
            c->shift = (struct step_shift){seen[k].steps, seen[k].pairs, at[k]};
    }
    free(scratch);
}
