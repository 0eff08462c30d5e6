/* A value stored once on one side and once per sample on the other (rotary tables, position ids, masks): the smaller
 * one, repeated along its axes of size 1, equals the larger one. */
#ifndef PAIR_REPEATED_H
#define PAIR_REPEATED_H

#include "dump/dump.h"
#include "pair/view.h"

/* Whether one row is the other one repeated, by shapes and figures: equal extremes and mean, and a norm larger by the
 * root of the number of repetitions. *v: the view that repeats the smaller one. */
bool repeated_view(const struct dump *t, uint32_t trow, const struct dump *g, uint32_t grow, struct view *v);

#endif
