/* For a folder with several recordings of the same step and rank (usually both sides of one comparison): asks which
 * to compare. */
#ifndef CMD_OFFERED_PAIRS_H
#define CMD_OFFERED_PAIRS_H

#include "cmd/workspace.h"

/* Opens a list of possible pairs, and of each recording alone; false if the open path holds only one recording, or
 * too many for a list. Called with the session's lock held. */
bool offer_pairs(struct workspace *d);

#endif
