/* How the parts of fused tensors lie in them: q, k and v in one piece each, head group by head group, or shard by
 * shard.
 *
 * What one pair of tensors seems to say may be a fault (a weight split wrongly): the same place of every layer is
 * asked, and the layout that makes most of them agree is every one's. Where none does, none is invented. */
#ifndef PAIR_FUSED_PARTS_H
#define PAIR_FUSED_PARTS_H

#include "pair/pairing.h"

/* Gives the pairs of p that are parts of a wider row, and have tensors and no view, the view that cuts them out. Reads
 * a few elements of some of them; both dumps complete. What cannot be read is left as it is. */
void fused_parts_find(struct pairing *p, const struct dump *target, const struct dump *golden);

#endif
