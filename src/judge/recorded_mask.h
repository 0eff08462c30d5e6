/* What recorded figures alone say of masks and masked scores: how many elements are fills. */
#ifndef JUDGE_RECORDED_MASK_H
#define JUDGE_RECORDED_MASK_H

#include "dump/dump.h"

/* The number of elements with the lowest value, a fill, from the counts of infinities, otherwise from the norm or the
 * mean, to which nothing but fills contributes. NaN: the figures do not say (they overflowed). */
double recorded_fills(const struct dump *d, uint32_t row);
/* Whether these numbers of fills can be those of one mask. `spread`: the largest other element relative to the fill,
 * by which fills that were added to scores vary. */
bool recorded_fills_agree(double t, double g, double spread);

#endif
