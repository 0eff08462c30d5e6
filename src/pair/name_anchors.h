/* Finds corresponding calls of two recordings of one framework by names, module paths and stacks. A call's number is
 * no identity: one more call on one side (another attention kernel, a chunked loss, a repeated forward pass) shifts
 * all later numbers. A module's path is an identity; between two paired modules, calls of one name correspond if both
 * sides have equally many and nothing contradicts them. The aligner (sequence.h) handles the rest. */
#ifndef PAIR_NAME_ANCHORS_H
#define PAIR_NAME_ANCHORS_H

#include "pair/decided_pairs.h"

struct anchor {
    uint32_t t, g; /* calls */
};
typedef VEC(struct anchor) anchor_list;

/* Whether both have calls of the same names in the same order: then names are identities. */
bool anchors_same_calls(const struct dump *t, const struct dump *g);
/* Whether calls of one module were made in another order: each returned what another one of them returned on the other
 * side. */
bool anchors_exchanged(const struct dump *t, const struct dump *g);
/* Appends pairs of calls in the target's order, each call once, without calls that the user has decided. Both dumps
 * are complete. */
void anchors_find(const struct dump *t, const struct dump *g, const struct decided_pairs *ruled, anchor_list *out);
/* After the aligner: appends pairs of calls that are not paired yet, have the same name and are between the same two
 * paired calls, with their backward calls. of: per side, call → the other side's call or NONE; updated. */
void anchors_fill(const struct dump *t, const struct dump *g, const struct decided_pairs *ruled, uint32_t *const of[2],
                  anchor_list *out);

#endif
