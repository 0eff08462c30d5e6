/* The procedure of a ticket as a page of text and as JSON. */
#ifndef REPORT_PANELS_OUTPUT_H
#define REPORT_PANELS_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "panel/procedure.h"

void panels_text(struct buf *out, const struct procedure *g);
void panels_json(struct out *o, const struct procedure *g, const char *tool);
/* within another */
void panels_json_object(struct jsonw *w, struct out *o, const struct procedure *g, const char *tool);
/* 0: all passed or waived; 1: one failed; 5: something is open. */
int panels_status(const struct procedure *g);

#endif
