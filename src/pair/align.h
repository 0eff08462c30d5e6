/* Aligns two lists of calls in order; each call has at most one partner, gaps are allowed anywhere. The result is in
 * the items' `match`. Names, kinds, sizes and places weigh as much as figures: two exchanged weights have matching
 * figures at the wrong places. */
#ifndef PAIR_ALIGN_H
#define PAIR_ALIGN_H

#include "pair/align_item.h"

/* Knowledge that is not in the items. */
struct align_known {
    /* of the modules that contain the calls; NULL if there is none */
    const uint32_t *of[2]; /* call → nearest paired module item of its own side, or NONE */
    const align_item_list *items[2];
    /* the data flow (align_items_producers) and the pairs so far (call → the other side's call); NULL: not used */
    const struct dump *d[2];
    const uint32_t *from[2], *call_pair[2];
    const struct nmap *denied; /* pairs of calls that the user rejected (decided_pairs.h) */
};

/* Families in which one operator is little evidence for another: a pair needs a common name or figures. */
bool align_strict_family(uint8_t family);
/* Items with SET_MATCH keep their partners, and the lists are divided at them. */
void align_items(align_item_list *t, align_item_list *g, const struct align_known *m);
/* Pairs calls left over on both sides that are near each other but cross other pairs: needed if launch order is not
 * source order. */
void align_crossing(align_item_list *t, align_item_list *g, const struct align_known *m, bool unordered);

#endif
