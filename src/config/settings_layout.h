/* The layout of a job's ranks according to its settings: MindFormers' parallel_config, Megatron's arguments. */
#ifndef CONFIG_SETTINGS_LAYOUT_H
#define CONFIG_SETTINGS_LAYOUT_H

#include "ranks/layout.h"

/* Fills what was not given from the settings in `path`, for a side with this many ranks. What they say, or why they
 * are not used, is added to l->why. */
void settings_layout(struct layout *l, const char *path, int ranks);

#endif
