/* Updates the workspace after changes in the session or by a command. Called with the session's lock held. */
#ifndef CMD_WORKSPACE_REFRESH_H
#define CMD_WORKSPACE_REFRESH_H

#include "cmd/workspace.h"

/* Takes the newest comparison for display. The cursor stays on its row after a new pairing. */
void workspace_see(struct workspace *d);
/* Called before a frame, and before a command that follows another: takes the newest comparison, follows the first
 * deviation, fills lists and pages. */
void workspace_refresh(struct workspace *d);

#endif
