/* Built-in knowledge about Megatron's arguments (data/settings.tsv): defaults, options that set another argument,
 * arguments that only MindSpeed and NPU have; and names of any framework that cannot change a number. */
#ifndef CONFIG_ARGUMENTS_H
#define CONFIG_ARGUMENTS_H

#include "config/settings.h"

/* Adds an argument under Megatron's internal name: "no_rope_fusion" sets apply_rope_fusion to False. */
int argument_add(struct settings *s, struct str name, struct str spelled, struct str value, enum setting_state state,
                 uint32_t line,
                 bool printed, struct err *e);
/* False if the argument is unknown or has no fixed default ("None", or derived from others). */
bool argument_default(struct str name, struct str *value);
bool argument_flag(struct str name); /* takes no value */
bool argument_npu(struct str name); /* added by MindSpeed for NPU */
/* Whether a version is one of these: "2.6.0-rc1" is of "2.6", "2.60" is not. */
bool version_begins(struct str version, struct str with);
/* The versions of MindSpore and CANN that a version of MindFormers was released with, as far as they count ("2.6");
 * false if that version is not known. */
bool released_with(struct str mindformers, struct str *mindspore, struct str *cann);
/* Whether a setting only concerns file locations, saving or profiling. */
bool setting_aside(enum dialect d, struct str key);

#endif
