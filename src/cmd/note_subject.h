/* What a finding noted now is about: what lies under the cursor of whatever the keys go to. */
#ifndef CMD_NOTE_SUBJECT_H
#define CMD_NOTE_SUBJECT_H

#include "cmd/workspace.h"
#include "panel/subject.h"

/* Lock held; strings in a. False with a message where nothing is there. `call`: the whole call of the row; `row`: the
 * row, also where it lies in a gap. */
enum note_about { NOTE_ABOUT_HERE, NOTE_ABOUT_CALL, NOTE_ABOUT_ROW };
bool note_subject_here(struct workspace *d, enum note_about which, struct subject *out, struct arena *a);
/* The finding selected in a list of them, else the newest about what is under the cursor, or in the table about its row
 * or call; no message. */
bool note_subject_finding(struct workspace *d, struct finding *x);

#endif
