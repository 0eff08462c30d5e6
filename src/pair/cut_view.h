/* The views by which whole tensors are compared with ones that were cut before they were recorded
 * (dump/cut_tensors.h): all of a recording, or those of one size. */
#ifndef PAIR_CUT_VIEW_H
#define PAIR_CUT_VIEW_H

#include "dump/cut_tensors.h"
#include "pair/view.h"

struct pairing;

/* The axes of each side's tensors that were cut. */
struct cut_axes {
    VEC(struct cut_axis) side[2];
};

/* Looks at a pair of rows: if the shapes of one's call contradict each other, and those of the other's call do not,
 * the axes on which they differ were cut. */
void cut_axes_see(struct cut_axes *x, const struct dump *const d[2], const uint32_t row[2]);
void cut_axes_release(struct cut_axes *x);
/* Whether one row is the other one cut; *v takes the first part of the whole one (cut_places_find finds which). */
bool cut_view(const struct cut_axes *x, const struct dump *const d[2], const uint32_t row[2], struct view *v);
/* Which part was kept is not recorded: tensors that agree at one place only show it for all others cut alike. Reads a
 * few elements of some pairs; both dumps are complete. */
void cut_places_find(struct pairing *p, const struct dump *target, const struct dump *golden);

#endif
