/* Pairs rows of two dumps whose names say nothing to each other (two frameworks), by what their calls do, how
 * large they are, what their figures are, where they stand, what they are fed from, and in which order they
 * came. What is not clear stays unpaired or is doubtful. */
#ifndef MODEL_SEQUENCE_H
#define MODEL_SEQUENCE_H

#include "model/pairing.h"

struct sequence_pair {
    uint32_t t, g;
    uint32_t group; /* pairs with one number, given one after the other, are one decision; NONE: it stands alone */
    uint8_t why;    /* enum pair_why */
    float confidence;
};
typedef VEC(struct sequence_pair) sequence_list;

/* taken: one byte a row, rows to leave alone. Appends to out. */
void sequence_align(const struct dump *t, const struct dump *g, const uint8_t *taken_t,
                    const uint8_t *taken_g, sequence_list *out);

#endif
