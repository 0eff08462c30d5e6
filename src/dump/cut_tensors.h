/* Recordings of which each tensor was cut before it was saved (msprobe's slice and request_id): nothing in them says
 * so, but sizes that belong together no longer fit. */
#ifndef DUMP_CUT_TENSORS_H
#define DUMP_CUT_TENSORS_H

#include "dump/dump.h"

/* Sets d->tensors_cut if the sizes of most calls of linear layers contradict each other (a weight of fewer rows than
 * the output has columns), and adds a warning that names the first. Called once all rows are there, with the lock. */
void cut_tensors_find(struct dump *d);
/* Whether one row may be the other one cut: as many axes, none longer, at least one shorter, and its recording is
 * cut. *side: the cut one. */
bool cut_tensors_fit(const struct dump *const d[2], const uint32_t row[2], int *side);

#endif
