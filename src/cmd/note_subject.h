/* What a finding noted now is about: what lies under the cursor of whatever the keys go to. */
#ifndef CMD_NOTE_SUBJECT_H
#define CMD_NOTE_SUBJECT_H

#include "cmd/desk.h"
#include "panel/subject.h"

/* Lock held; strings in a. False with a message where nothing is there. `call`: the whole call of the row; `row`: the row,
 * also where it lies in a gap. */
enum about { ABOUT_HERE, ABOUT_CALL, ABOUT_ROW };
bool about_here(struct desk *d, enum about which, struct subject *out, struct arena *a);
/* The finding selected in a list of them, else the newest about what is under the cursor, or in the table about its row or call; no message. */
bool about_finding(struct desk *d, struct finding *x);

#endif
