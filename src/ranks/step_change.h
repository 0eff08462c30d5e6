/* One rank before and after an optimizer step: weights that should have changed and did not, and the other way
 * round. */
#ifndef RANKS_STEP_CHANGE_H
#define RANKS_STEP_CHANGE_H

#include "base/vec.h"
#include "dump/dump.h"

struct step_change {
    uint32_t row;       /* of the recording after the step: the weight */
    bool changed;       /* it should not have; else it should have */
    double gradient;    /* norm of its gradient before the step; NaN: none */
    bool part;          /* changed, but for the elements from first to last */
    uint64_t first, last;
    size_t alike, of;   /* of so many weights of its name in other layers, those that changed */
};
typedef VEC(struct step_change) step_change_list;

/* In the order of rows. Nothing where no weight changed at all: a learning rate of 0, or a step that was skipped. */
void step_changes_find(const struct dump *before, const struct dump *after, step_change_list *out);
void step_change_text(const struct step_change *x, struct buf *out); /* a sentence; appends */

#endif
