/* What is known of Megatron's arguments beforehand (data/settings.tsv): defaults, options that set another
 * argument, the ones only MindSpeed and NPU have; and names of any framework that cannot change a number. */
#ifndef CONFIG_ARGUMENTS_H
#define CONFIG_ARGUMENTS_H

#include "config/settings.h"

/* Adds an argument under the name Megatron keeps it by: "no_rope_fusion" sets apply_rope_fusion to False. */
int argument_add(struct settings *s, struct str name, struct str spelled, struct str value, enum setting_state state,
                 uint32_t line,
                 bool printed, struct err *e);
/* False when the argument is unknown or has none ("None", or it follows from others). */
bool argument_default(struct str name, struct str *value);
bool argument_flag(struct str name); /* takes no value */
bool argument_npu(struct str name); /* one MindSpeed adds for NPU */
/* A setting that says where files lie, how often is saved, what is profiled. */
bool setting_aside(enum dialect d, struct str key);

#endif
