/* Writers of a settings comparison: JSON and CSV. */
#ifndef REPORT_SETTINGS_OUTPUT_H
#define REPORT_SETTINGS_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "config/settings_compare.h"

/* result: a struct config_compare */
void config_json(struct jsonw *w, struct out *o, const void *result);
void config_csv(struct out *o, const void *result); /* one line per check */

#endif
