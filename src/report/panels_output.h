/* Writers of the guided panels: text and JSON. */
#ifndef REPORT_PANELS_OUTPUT_H
#define REPORT_PANELS_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "panel/procedure.h"

void panels_text(struct buf *out, const void *result);
/* result: a struct procedure */
void panels_json(struct jsonw *w, struct out *o, const void *result);
/* Exit status: 0 all passed or waived; 1 one failed; 5 something is open. */
int panels_status(const struct procedure *g);

#endif
