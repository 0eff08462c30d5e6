/* The layout of parts in fused tensors: q, k and v each in one piece, interleaved by head group, or by shard.
 *
 * A single pair of tensors may be faulty (a weight split wrongly), so the same place of all layers is examined, and
 * the layout for which most of them agree is used for all. If none agrees, no view is given. */
#ifndef PAIR_FUSED_PARTS_H
#define PAIR_FUSED_PARTS_H

#include "pair/pairing.h"

/* Gives the pairs of p that are parts of a wider row, with tensors and without a view, the view that selects them.
 * Reads a few elements of some; both dumps are complete. Unreadable tensors are skipped. */
void fused_parts_find(struct pairing *p, const struct dump *target, const struct dump *golden);

#endif
