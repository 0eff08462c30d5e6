/* The pane that receives the keys; it follows from what is open. */
#ifndef CMD_PANE_NOW_H
#define CMD_PANE_NOW_H

#include "cmd/workspace.h"

enum pane_id pane_now(const struct workspace *d);
/* Panes before PANE_GROUPS cover the whole body of the screen. */
static inline bool pane_covers(enum pane_id p)
{
    return p < PANE_GROUPS;
}

#endif
