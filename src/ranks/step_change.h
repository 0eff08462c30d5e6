/* Weights of one rank before and after an optimizer step: those that should have changed and did not, and the
 * reverse. */
#ifndef RANKS_STEP_CHANGE_H
#define RANKS_STEP_CHANGE_H

#include "base/vec.h"
#include "dump/dump.h"

struct step_change {
    uint32_t row;       /* the weight, in the recording after the step */
    bool changed;       /* true: changed but should not have; false: the reverse */
    double gradient;    /* norm of its gradient before the step; NaN: no gradient */
    bool part;          /* only part of it is unchanged: elements first to last */
    uint64_t first, last;
    size_t alike, of;   /* of `of` weights of that name in other layers, `alike` behave the same */
};
typedef VEC(struct step_change) step_change_list;

/* In row order. Empty if no weight changed at all: learning rate 0, or a skipped step. */
void step_changes_find(const struct dump *before, const struct dump *after, step_change_list *out);
void step_change_text(const struct step_change *x, struct buf *out); /* appends a sentence */

#endif
