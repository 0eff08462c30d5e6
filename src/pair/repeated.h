/* A value that one side holds once and the other once a sample (rotary tables, position ids, masks): the smaller one,
 * repeated along its axes of one, is the larger one. */
#ifndef PAIR_REPEATED_H
#define PAIR_REPEATED_H

#include "dump/dump.h"
#include "pair/view.h"

/* Whether one of the two rows is the other repeated, by their shapes and by figures of both: equal extremes and mean,
 * and a norm that grew with the root of the repetitions. *v: the view that lays the smaller one out. */
bool repeated_view(const struct dump *t, uint32_t trow, const struct dump *g, uint32_t grow, struct view *v);

#endif
