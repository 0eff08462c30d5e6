/* The result of a settings comparison as a section of a document, written by the command's text output, the report
 * and panel 1. */
#ifndef CONFIG_SETTINGS_SECTION_H
#define CONFIG_SETTINGS_SECTION_H

#include "config/settings_compare.h"
#include "document/document.h"

/* Which checks are listed; each value includes the ones before it. */
enum settings_extent {
    SETTINGS_FOUND, /* those that differ, are waived or not as recommended */
    SETTINGS_OPEN,  /* also those that the user has to confirm; unknown keys are listed */
    SETTINGS_ALL,   /* all */
};

/* Adds to the current section. A row's id is its check's id, which is the first cell; then the key, both sides'
 * values, and advice. */
void settings_section(struct document *d, const struct config_compare *c, enum settings_extent extent);

#endif
