/* What changed between two comparisons as JSON (doc/cli-json.md). */
#ifndef REPORT_CHANGES_OUTPUT_H
#define REPORT_CHANGES_OUTPUT_H

#include "base/out.h"
#include "report/changes_section.h"

void changes_json(struct jsonw *w, struct out *o, const void *result); /* result: a struct changes_report */

/* The member "intervention": {"row","outcome","behind","left"}, null where no value was replaced. */
void changes_intervention_json(struct jsonw *w, const struct changes *c);

#endif
