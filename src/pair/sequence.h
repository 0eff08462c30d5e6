/* Pairs rows of two dumps whose names say nothing to each other (two frameworks), by what their calls do, how
 * large they are, what their figures are, where they stand, what they are fed from, and in which order they
 * came. What is not clear stays unpaired or is doubtful. */
#ifndef PAIR_SEQUENCE_H
#define PAIR_SEQUENCE_H

#include "pair/name_anchors.h"
#include "pair/pairing.h"

#define SEQUENCE_PATH 0.95f    /* confidence of calls that module paths put together */
#define SEQUENCE_BETWEEN 0.65f /* of calls of one name and size between two pairs, whatever their values say */

struct sequence_pair {
    uint32_t t, g;
    uint8_t why;    /* enum pair_why */
    float confidence;
};
typedef VEC(struct sequence_pair) sequence_list;

struct sequence_result {
    sequence_list pairs;
    VEC(struct joined_call) joined;
};

struct sequence_options {
    const uint8_t *taken[2];   /* one byte a row: rows to leave alone */
    const struct decided_pairs *ruled; /* calls that belong together or do not, rows that do not */
    const anchor_list *anchors; /* calls that names have put together, whose rows are taken; NULL: none */
};

/* Calls a person put together are aligned with each other and part the lists: what lies between two of them is aligned
 * by itself. out: zeroed; the caller releases both lists. */
void sequence_align(const struct dump *t, const struct dump *g, const struct sequence_options *o,
                    struct sequence_result *out);

#endif
