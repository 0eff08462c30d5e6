/* Decides which matrices are stored (in, out), so that both sides of a pair are read (out, in). */
#ifndef WEIGHTS_WEIGHT_STORAGE_H
#define WEIGHTS_WEIGHT_STORAGE_H

#include "weights/weight_compare.h"

/* Sets `turned` of pairs of c whose sides store one matrix differently, and of parts of fused matrices; a pair whose
 * transposition the user's map requests is left as it is. */
void weight_storage_decide(struct weight_compare *c);

#endif
