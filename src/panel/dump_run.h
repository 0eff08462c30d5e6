/* Checks that the dumps belong to the runs of the logs: hooks that change the computation are reported before
 * anything else. */
#ifndef PANEL_DUMP_RUN_H
#define PANEL_DUMP_RUN_H

#include "panel/procedure.h"

/* Adds an item for each side that has both: the dump's loss of the step beside the loss printed by the run without
 * dump, and the norm of all gradients beside the global norm if the dump has them. */
void page_dump_run(struct panel_page *p, const struct procedure *g);
/* Whether the page has such an item with a difference that nobody has answered. */
bool page_dump_run_open(const struct panel_page *p);

#endif
