/* Writers of a comparison of settings. */
#ifndef REPORT_SETTINGS_OUTPUT_H
#define REPORT_SETTINGS_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "config/settings_compare.h"

void config_json(struct out *o, const struct config_compare *c, const char *tool);
/* within another */
void config_json_object(struct jsonw *w, struct out *o, const struct config_compare *c, const char *tool);
void config_csv(struct out *o, const struct config_compare *c); /* a line a check */

#endif
