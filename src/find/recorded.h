/* Two rows by the figures that were recorded of them. */
#ifndef FIND_RECORDED_H
#define FIND_RECORDED_H

#include "model/dump.h"

/* The largest difference of max, min and norm, relative to the golden norm (or, where norms were not recorded or
 * overflowed, to the golden extremes). NaN when there is nothing to compare. */
double recorded_error(const struct row *t, const struct row *g);

#endif
