/* Closes a round and starts the next: the current state is frozen beside the investigation, which continues with
 * other inputs. */
#ifndef PANEL_ROUND_LEAVE_H
#define PANEL_ROUND_LEAVE_H

#include "ticket/investigation.h"
#include "panel/procedure.h"

/* Freezes the comparison as a round, with addresses, findings and, if a procedure is given, the panels' states. r is
 * initialised. */
void round_of(struct round *r, const struct comparison *s, const struct investigation *v, const struct procedure *g);
/* s is complete. The file of the closed round is written completely before the investigation refers to it. golden
 * NULL: the same one. `path`: the new file of the investigation, NULL: unchanged. -1 with v unchanged if the inputs
 * are missing, are not different, or have changed since they were compared, or if nothing can be saved. */
int round_leave(struct investigation *v, const struct comparison *s, const struct procedure *g, const char *target,
                const char *golden,
                const char *path, struct err *e);
/* Where nothing deviates anew: findings about the previous round's first deviation, or another row where a deviation
 * started in it, that is fixed now become root causes, if they are suspected and never had another status. Returns
 * their number; nothing is saved. */
unsigned round_confirm(struct investigation *v, const struct comparison *s);
/* Returns to the previous round and its inputs, and saves. -1: this is the first. */
int round_return(struct investigation *v, struct err *e);

#endif
