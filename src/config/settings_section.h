/* What a comparison of settings says to people, as a section of a document: the command's text, the report and panel 1
 * are writers of it. */
#ifndef CONFIG_SETTINGS_SECTION_H
#define CONFIG_SETTINGS_SECTION_H

#include "config/settings_compare.h"
#include "document/document.h"

/* Which checks have a row; each holds the ones before it. */
enum settings_extent {
    SETTINGS_FOUND, /* those that differ, are waived or against a recommendation */
    SETTINGS_OPEN,  /* those a person has to confirm; keys nothing is known of are listed */
    SETTINGS_ALL,   /* each one a row */
};

/* Adds to the section that was begun. A row is called by its check's id, which is its first cell; then the key, both
 * sides' values, and what to mind. */
void settings_section(struct document *d, const struct config_compare *c, enum settings_extent extent);

#endif
