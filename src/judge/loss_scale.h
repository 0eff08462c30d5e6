/* A loss scale: one power of two on all gradients of a step, on one side only, as GradScaler and scale_sense make it.
 * It is a named factor, no deviation: the lines are judged after it is divided out. */
#ifndef JUDGE_LOSS_SCALE_H
#define JUDGE_LOSS_SCALE_H

#include "measure/measure.h"

#define LOSS_SCALE_LEAST 256 /* smaller factors are micro-batches, ranks or averages: deviations with their factor */

/* The target's gradients over the golden side's: a power of two from LOSS_SCALE_LEAST on, or its inverse; 1: none. */
double loss_scale_of(const struct measure *m);

/* A measure whose target gradients are divided by a factor, with rows and figures of its own; the rest is shared. */
struct unscaled {
    struct measure m;
    struct dump target;
    struct figures *figures; /* the divided ones, in order of lines */
};

void loss_scale_divide(struct unscaled *out, const struct measure *m, double factor);
void unscaled_release(struct unscaled *u);

#endif
