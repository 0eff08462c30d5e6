/* For judge.c: containers that end at different places on the two sides. One side's `features` contains the last
 * activation, the other applies it outside: their outputs differ although nothing is wrong. */
#ifndef JUDGE_CONTAINER_END_H
#define JUDGE_CONTAINER_END_H

#include "judge/verdict.h"

/* Whether a deviating line is the output of such a container: both sides' outputs come from an inner call; one of
 * these calls has an agreeing partner inside the other side's container and the other has none there; no inner line
 * deviates; and the next value computed from earlier ones agrees again. */
bool container_ends_elsewhere(const struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                              uint32_t line);
/* Whether a line is the gradient that comes into such a container, whose output was set aside for that, and the
 * gradient that leaves it agrees. */
bool container_gradient_elsewhere(const struct judgement *j, const struct measure *m, uint32_t line);

#endif
