/* A round is left for the next: what holds is frozen beside the investigation, which goes on with other inputs. */
#ifndef PANEL_ROUND_LEAVE_H
#define PANEL_ROUND_LEAVE_H

#include "ticket/investigation.h"
#include "panel/procedure.h"

/* The comparison as a round, with addresses, findings and, where a guide is given, the panels' states. r is
 * initialised. */
void round_of(struct round *r, const struct comparison *s, const struct investigation *v, const struct procedure *g);
/* s is complete. The file of the round that is left is whole before the investigation speaks
 * of it. golden NULL: the same one. `path`: where the investigation goes on, NULL: where it is. -1 with v as it was:
 * the inputs are not there, are not others, or are not what they were when they were compared, or nothing can be
 * saved. */
int round_leave(struct investigation *v, const struct comparison *s, const struct procedure *g, const char *target,
                const char *golden,
                const char *path, struct err *e);
/* Back to the round before: its inputs, and nothing of it frozen. -1: this is the first. Saves. */
int round_return(struct investigation *v, struct err *e);

#endif
