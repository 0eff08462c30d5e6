/* How a job's ranks divide the model, as its settings tell it: MindFormers' parallel_config, Megatron's arguments. */
#ifndef CONFIG_SETTINGS_LAYOUT_H
#define CONFIG_SETTINGS_LAYOUT_H

#include "ranks/layout.h"

/* Fills what was not given from the settings in `path`, for a side of so many ranks. What they say, or why they are not
 * used, stands in l->why. */
void settings_layout(struct layout *l, const char *path, int ranks);

#endif
