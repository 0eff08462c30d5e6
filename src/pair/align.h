/* Lines two lists of calls up, in order, each with at most one of the other side, gaps anywhere. The items'
 * `match` says with which. Names, kinds, sizes and places weigh as much as figures do: two exchanged weights
 * have the right figures in the wrong place. */
#ifndef PAIR_ALIGN_H
#define PAIR_ALIGN_H

#include "pair/align_item.h"

/* What is known beside the items themselves. */
struct align_known {
    /* of the modules the calls stand in; NULL where nothing is known */
    const uint32_t *of[2]; /* call → nearest paired module item of its own side, or NONE */
    const align_item_list *items[2];
    /* the data flow (align_items_producers) and what is paired already (call → the other side's call); NULL: not
     * asked */
    const struct dump *d[2];
    const uint32_t *from[2], *call_pair[2];
    const struct nmap *denied; /* pairs of calls a person rejected (decided_pairs.h) */
};

/* Items that are SET_MATCH keep their partners and part the lists. */
void align_items(align_item_list *t, align_item_list *g, const struct align_known *m);
/* Pairs calls left over on both sides that lie near each other but cross others' order: where launch order is
 * not source order. */
void align_crossing(align_item_list *t, align_item_list *g, const struct align_known *m, bool unordered);

#endif
