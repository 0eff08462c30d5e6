/* The panes keys can go to, and what each does with the commands that mean something everywhere: moving, Enter, back. A
 * pane that leaves one to others says NOT_MINE; it falls to what stands in the table's place, then to the program. */
#ifndef CMD_PANE_VERBS_H
#define CMD_PANE_VERBS_H

#include "cmd/pane_now.h"

#define NOT_MINE (-1)

/* Functions return reaction bits (cmd.h) or NOT_MINE; NULL: NOT_MINE. */
struct pane_verbs {
    int (*step)(struct workspace *d, long by);
    int (*across)(struct workspace *d, int by); /* to the left (-1) or right (1) */
    int (*enter)(struct workspace *d);
    int (*inside)(struct workspace *d); /* into the entry itself, where Enter goes elsewhere */
    int (*back)(struct workspace *d);   /* closes it */
};

int pane_step(struct workspace *d, long by);
int pane_across(struct workspace *d, int by);
int pane_enter(struct workspace *d);
int pane_inside(struct workspace *d);
int pane_away(struct workspace *d); /* takes the selected entry of a list away */
/* Closes what is open, the latest first; NOT_MINE at the top, where nothing is. */
int pane_back(struct workspace *d);

/* What covers the table gives way to it, or to what can be opened. Returns 0. */
int pane_uncover(struct workspace *d);

/* Back to the panel that the table was gone to from; false where it was not. */
bool panel_return(struct workspace *d);

/* The panels' rows are with their commands. */
extern const struct pane_verbs verbs_panel, verbs_overview, verbs_ranks;

#endif
