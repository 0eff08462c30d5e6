/* The panes that can receive keys, and their versions of the general commands: moving, Enter, back. A pane that does
 * not handle one returns NOT_MINE; it then goes to the pane in the table's place, then to the program. */
#ifndef CMD_PANE_VERBS_H
#define CMD_PANE_VERBS_H

#include "cmd/pane_now.h"

#define NOT_MINE (-1)

/* Functions return reaction bits (cmd.h) or NOT_MINE; NULL: NOT_MINE. */
struct pane_verbs {
    int (*step)(struct workspace *d, long by);
    int (*across)(struct workspace *d, int by); /* to the left (-1) or right (1) */
    int (*enter)(struct workspace *d);
    int (*inside)(struct workspace *d); /* opens the entry itself, if Enter leads elsewhere */
    int (*back)(struct workspace *d);   /* closes it */
};

int pane_step(struct workspace *d, long by);
int pane_across(struct workspace *d, int by);
int pane_enter(struct workspace *d);
int pane_inside(struct workspace *d);
int pane_away(struct workspace *d); /* removes the selected entry of a list */
/* Closes the most recently opened element; NOT_MINE if nothing is open. */
int pane_back(struct workspace *d);

/* Returns to the panel from which the table was opened; false if it was not. */
bool panel_return(struct workspace *d);
/* Whether Enter opens something on the selected line of a panel. */
bool panel_line_opens(const struct workspace *d);

/* The rows of the panels are defined beside their commands. */
extern const struct pane_verbs verbs_panel, verbs_overview, verbs_ranks;

#endif
