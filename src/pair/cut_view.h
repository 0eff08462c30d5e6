/* The view by which a whole tensor is compared with one that was cut before it was recorded (dump/cut_tensors.h). */
#ifndef PAIR_CUT_VIEW_H
#define PAIR_CUT_VIEW_H

#include "dump/cut_tensors.h"
#include "pair/view.h"

/* Whether one row is the other one cut; *v takes the first part of the whole one. Which part was kept is not recorded:
 * that it is the first one shows where values agree. */
bool cut_view(const struct dump *const d[2], const uint32_t row[2], struct view *v);

#endif
