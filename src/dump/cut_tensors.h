/* Recordings of which each tensor was cut before it was saved (msprobe's slice and request_id): nothing in them says
 * so, but sizes that belong together no longer fit. */
#ifndef DUMP_CUT_TENSORS_H
#define DUMP_CUT_TENSORS_H

#include "dump/dump.h"

enum { CUT_AXES = 64 }; /* at most; msprobe takes a few */

/* Sets d->tensors_cut if the sizes of most products contradict each other (a weight of fewer rows than
 * the output has columns), and adds a warning that names the first. Called once all rows are there, with the lock. */
void cut_tensors_find(struct dump *d);
/* Whether the shapes of a forward call are those of one call of its operator: of products, and of views that keep
 * all elements. */
enum shapes_fit { SHAPES_UNKNOWN, SHAPES_FIT, SHAPES_CONTRADICT };
enum shapes_fit cut_tensors_call(const struct dump *d, uint32_t call);
/* Whether one of these axes is the part's, of which `out` elements were left out. */
bool cut_tensors_axis(const struct cut_axis *x, size_t n, const struct shape *part, int axis, int64_t out);
/* Whether the recording alone shows that the call's tensors may have been cut. */
bool cut_tensors_takes(const struct dump *d, uint32_t call);
/* Whether one row may be a part of the other: as many axes, none longer, at least one shorter. *side: the part. */
bool cut_tensors_part(const struct dump *const d[2], const uint32_t row[2], int *side);
/* The same if all tensors of the part's recording were cut. */
bool cut_tensors_fit(const struct dump *const d[2], const uint32_t row[2], int *side);

#endif
