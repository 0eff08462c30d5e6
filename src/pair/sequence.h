/* Pairs rows of two dumps whose names do not correspond (two frameworks), by the calls' operators, sizes, figures,
 * places, producers of their inputs, and order. Unclear rows stay unpaired or are marked doubtful. */
#ifndef PAIR_SEQUENCE_H
#define PAIR_SEQUENCE_H

#include "pair/name_anchors.h"
#include "pair/pairing.h"

#define SEQUENCE_PATH 0.95f    /* confidence of calls paired by module paths */
#define SEQUENCE_BETWEEN 0.65f /* confidence of calls of one name and size between two pairs, whatever their values */

struct sequence_pair {
    uint32_t t, g;
    uint8_t why;    /* enum pair_why */
    float confidence;
    uint32_t view; /* index of sequence_result.views; NONE: as stored, or still to be found */
};
typedef VEC(struct sequence_pair) sequence_list;

typedef VEC(struct view) sequence_views;

struct sequence_result {
    sequence_list pairs;
    VEC(struct joined_call) joined;
    sequence_views views;
};

struct sequence_options {
    const uint8_t *taken[2];   /* one byte per row: rows to ignore */
    const struct decided_pairs *ruled; /* decisions about calls and rows */
    const anchor_list *anchors; /* calls paired by names, whose rows are taken; NULL: none */
};

/* Calls paired by the user are aligned with each other and divide the lists: the calls between two of them are
 * aligned separately. out: zeroed; the caller releases the lists. */
void sequence_align(const struct dump *t, const struct dump *g, const struct sequence_options *o,
                    struct sequence_result *out);

#endif
