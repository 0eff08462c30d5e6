/* Which calls of two recordings of one framework are the same one, as far as names, module paths and stacks tell. A
 * call's number is no identity: one call more on one side (another attention kernel, a loss in chunks, a forward pass
 * computed again) shifts all behind it. A module's path is one; between two modules that are paired, calls of one name
 * are, where they are as many on both sides and nothing contradicts them. What is left open is for the aligner
 * (sequence.h). */
#ifndef PAIR_NAME_ANCHORS_H
#define PAIR_NAME_ANCHORS_H

#include "pair/decided_pairs.h"

struct anchor {
    uint32_t t, g; /* calls */
};
typedef VEC(struct anchor) anchor_list;

/* Whether both hold calls of the same names in the same order: then names are identity. */
bool anchors_same_calls(const struct dump *t, const struct dump *g);
/* Appends pairs of calls in the target's order, each call once, and none that a person has spoken of. Both dumps
 * complete. */
void anchors_find(const struct dump *t, const struct dump *g, const struct decided_pairs *ruled, anchor_list *out);
/* What names tell once the aligner has spoken: appends pairs of calls that nothing has paired yet, of the same name
 * between the same two paired calls, and their backward calls. of: a side each, call → the other side's call or NONE;
 * the new pairs are noted there. */
void anchors_fill(const struct dump *t, const struct dump *g, const struct decided_pairs *ruled, uint32_t *const of[2],
                  anchor_list *out);

#endif
