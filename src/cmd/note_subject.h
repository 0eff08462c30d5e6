/* The subject of a new finding: whatever is under the cursor of the focused pane. */
#ifndef CMD_NOTE_SUBJECT_H
#define CMD_NOTE_SUBJECT_H

#include "cmd/workspace.h"
#include "panel/subject.h"

/* Called with the lock held; strings in a. False with a message if there is nothing. `call`: the row's whole call;
 * `row`: the row, even inside a gap. */
enum note_about { NOTE_ABOUT_HERE, NOTE_ABOUT_CALL, NOTE_ABOUT_ROW };
bool note_subject_here(struct workspace *d, enum note_about which, struct subject *out, struct arena *a);
/* The finding selected in a list, otherwise the newest one about the subject under the cursor, or in the table about
 * its row or call; without a message. */
/* Its evidence as of now: for a call on a rank from that rank's comparison, otherwise from the open one. */
struct evidence note_subject_freeze(struct workspace *d, const struct subject *s, struct arena *a);
bool note_subject_finding(struct workspace *d, struct finding *x);

#endif
