/* Losses that a form of a log holds, and the check that they are what was read. */
#ifndef TESTS_LOSSES_H
#define TESTS_LOSSES_H

#include "support.h"

#include <math.h>

#include "log/series.h"

struct loss_at {
    int64_t step;
    double loss;
};

/* Fails, naming the form, unless the records are these losses, in order. */
static inline void check_losses(const struct series *s, const char *form, const struct loss_at *of, size_t n)
{
    if (s->records.n != n)
        fail_msg("%s: %zu records, %zu expected", form, s->records.n, n);
    for (size_t k = 0; k < n; k++) {
        const struct log_record *r = &s->records.v[k];
        bool same = r->value[LOG_LOSS] == of[k].loss || (isnan(r->value[LOG_LOSS]) && isnan(of[k].loss));
        if (r->step != of[k].step || !log_has(r, LOG_LOSS) || !same)
            fail_msg("%s: step %lld has loss %g, expected step %lld with %g", form, (long long)r->step,
                     r->value[LOG_LOSS], (long long)of[k].step, of[k].loss);
    }
}

#endif
