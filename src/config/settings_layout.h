/* The layout of a job's ranks according to its settings: MindFormers' parallel_config, Megatron's arguments. */
#ifndef CONFIG_SETTINGS_LAYOUT_H
#define CONFIG_SETTINGS_LAYOUT_H

#include "config/settings.h"
#include "ranks/layout.h"

/* Fills what was not given from the settings in `path`, for a side with this many ranks. What they say, or why they
 * are not used, is added to l->why. */
void settings_layout(struct layout *l, const char *path, int ranks);

/* A whole number from 1 on that settings give for an entry of the checklist ("micro_batch_num"), or that follows from
 * them; 0: neither. */
int settings_degree(const struct settings *s, const char *name);

#endif
