/* Finds axis orders. Two tensors of equal element count and different shape may be the same quantity in another
 * order: [batch, heads, seq, dim] and [batch, seq, heads, dim], or [batch, seq, heads * dim]. Equal shapes are never
 * reordered: a transposed weight is a fault. */
#ifndef PAIR_AXIS_ORDER_H
#define PAIR_AXIS_ORDER_H

#include "pair/view.h"
#include "num/figures.h"

/* Whether the shapes differ in more than axes of size 1, so that an order has to be found or both sides are compared
 * flattened. */
bool axis_order_needed(const struct tensor *t, const struct tensor *g);
/* Finds the order of one side's axes for which sampled elements agree best. *error, *stored: the relative errors for
 * that order and for the stored order (infinite if there are too many axes); v->count is 0 if the stored order is
 * best. -1 on a read error. */
int axis_order_find(const struct tensor *t, const struct tensor *g, struct view *v, double *stored, double *error,
                    struct err *e);
/* Searches an order with a clearly smaller error than `flat`, the comparison in stored order. 1: found, in v; 0:
 * none; -1 on a read error. */
int axis_order_search(const struct tensor *t, const struct tensor *g, const struct figures *flat, struct view *v,
                      struct err *e);
/* Changes an order of n axes to the next; false after the last. */
bool axis_order_next(int *perm, int n);

#endif
