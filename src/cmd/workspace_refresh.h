/* The workspace after something new: of the session, or of a command. With the session's lock held. */
#ifndef CMD_WORKSPACE_REFRESH_H
#define CMD_WORKSPACE_REFRESH_H

#include "cmd/workspace.h"

/* Takes the newest comparison: what a frame looks at. A new pairing keeps the cursor on its row. */
void workspace_see(struct workspace *d);
/* Before a frame, and before a command behind another one: the newest comparison, first deviation followed, lists and
 * pages filled in. */
void workspace_refresh(struct workspace *d);

#endif
