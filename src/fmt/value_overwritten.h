/* A dictionary of hooks keeps the last output of a module that was called several times at the place of its first one
 * (T5's encoder.dropout: the embedding's, then the result's). */
#ifndef FMT_VALUE_OVERWRITTEN_H
#define FMT_VALUE_OVERWRITTEN_H

#include "fmt/weights.h"

/* Moves modules that only pass values on (dropout, identity) behind the row whose value they hold, where that is a
 * later one and no row before them has it. */
void value_overwritten_move(const struct weights *w, const struct weight **order, size_t n);

#endif
