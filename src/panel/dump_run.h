/* Whether the dumps are of the runs the logs are of: hooks that change what is computed are said before anything
 * else. */
#ifndef PANEL_DUMP_RUN_H
#define PANEL_DUMP_RUN_H

#include "panel/procedure.h"

/* An item for each side that has both: its dump's loss of the step beside the one the undumped run printed, and the
 * norm of all gradients beside the global norm where the dump has them. */
void page_dump_run(struct panel_page *p, const struct procedure *g);
/* Whether an item of the page says so and nobody has answered it. */
bool page_dump_run_open(const struct panel_page *p);

#endif
