/* Two tensors of equal element count and different shape may be one quantity stored in another order:
 * [batch, heads, seq, dim] against [batch, seq, heads, dim], or against [batch, seq, heads * dim].
 * This finds the order of one side's axes under which the elements meet. Equal shapes are never reordered: a transposed
 * weight is a fault. */
#ifndef PAIR_AXIS_ORDER_H
#define PAIR_AXIS_ORDER_H

#include "pair/view.h"
#include "num/figures.h"

/* Whether the shapes differ in more than axes of size 1, so that an order has to be found or is
 * flattened on both sides. */
bool axis_order_needed(const struct tensor *t, const struct tensor *g);
/* The order of one side's axes under which a few elements meet best, their relative error then and as they are stored
 * (infinite where the axes are too many to try); v->count is 0 where the stored order is the best. -1 on a read
 * error. */
int axis_order_find(const struct tensor *t, const struct tensor *g, struct view *v, double *stored, double *error,
                    struct err *e);
/* Looks for an order that makes the sides clearly more alike than `flat`, their comparison element by
 * element as they are stored. 1: v is it; 0: none is; -1 on a read error. */
int axis_order_search(const struct tensor *t, const struct tensor *g, const struct figures *flat, struct view *v,
                      struct err *e);
#endif
