/* Rows that contradict their recording without any file: extremes that no element of their type can be, the figures of
 * one value with two counts of elements, gradients whose sizes no value of their forward call has. */
#ifndef DUMP_ROW_CONTRADICTIONS_H
#define DUMP_ROW_CONTRADICTIONS_H

#include "dump/dump.h"

/* Adds a problem for each row of which the type or the count of elements is contradicted. Called once all rows are
 * there, with the lock. */
void row_contradictions_find(struct dump *d);
/* The same for gradients of a tool that records those that come in as a backward call's inputs and those that it hands
 * back as its outputs, once forward and backward calls are linked. */
void gradient_sizes_find(struct dump *d);

#endif
