/* Runs the screen in a terminal, or driven by a script. */
#ifndef UI_LOOP_H
#define UI_LOOP_H

#include "ui/options.h"

int loop_run(const struct options *o);
/* Lines of the script: `size ROWS COLS`, `settle`, `keys TEXT` (one character per key, others as <Down>), `screen`
 * (text), `attrs` (text and style letters), `svg FILE`, `theme NAME`, `ascii`; anything else is command text. '#'
 * comments. Output goes to standard output. */
int key_script_run(const struct options *o);

#endif
