/* Courses of training runs as Megatron prints them, for unit tests. */
#ifndef TESTS_COURSES_H
#define TESTS_COURSES_H

#include "draws.h"
#include "support.h"

#include <math.h>
#include <stdbool.h>

struct course {
    int steps, drift_from, spike_at;
    double first, jump; /* added to the first loss; to every one but it */
    bool frozen, nan;
};

/* Written as dir/name; its path, as path_in gives it. */
static inline const char *write_log(const char *dir, const char *name, struct course c, uint32_t seed)
{
    uint64_t data = 7, own = seed;
    char *p = path_in(dir, name);
    FILE *f = fopen(p, "w");
    assert_non_null(f);
    for (int i = 1; i <= c.steps; i++) {
        double loss = (c.frozen ? 5 : 1 + 4 * exp(-i / 300.0)) + 0.05 * draw_normal(&data) + 0.0003 * draw_normal(&own);
        loss += i == 1 ? c.first : c.jump;
        if (c.drift_from && i > c.drift_from)
            loss += (i - c.drift_from) * 0.0005;
        if (i == c.spike_at)
            loss += 0.4;
        fprintf(f, " iteration %8d/%8d | consumed samples: %d | elapsed time per iteration (ms): 10.0 | learning rate: %.6E | global batch size: 8 | ", i, c.steps,
                8 * i, c.frozen ? 0.0 : 1e-3);
        if (!c.nan || i != 600)
            fprintf(f, "lm loss: %.6E | ", loss);
        fprintf(f, "loss scale: 1.0 | grad norm: %s | number of skipped iterations: 0 | number of nan iterations: %d |\n", c.nan && i == 600 ? "nan" : "1.500",
                c.nan && i == 600);
    }
    fclose(f);
    return p;
}

#endif
