/* For judge.c: containers that the two sides end at different places. One side's `features` holds the last activation,
 * the other applies it outside: what the two put out differs, and nothing is wrong. */
#ifndef JUDGE_CONTAINER_END_H
#define JUDGE_CONTAINER_END_H

#include "judge/verdict.h"

/* Whether a line that deviates is the output of such a container: both sides put out what an inner call put out, of
 * which one has an agreeing partner inside the other side's container and the other has none there; no inner line
 * deviates; and the next value computed from earlier ones agrees again. */
bool container_ends_elsewhere(const struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                              uint32_t line);

#endif
