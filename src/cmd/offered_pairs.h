/* A folder that holds several recordings of the same step and rank, both sides of one comparison as a rule: which to
 * compare? */
#ifndef CMD_OFFERED_PAIRS_H
#define CMD_OFFERED_PAIRS_H

#include "cmd/workspace.h"

/* Opens a list of what can be compared with what, and of each by itself; false where the path that is open holds one
 * recording alone, or more than a list helps with. With the session's lock held. */
bool offer_pairs(struct workspace *d);

#endif
