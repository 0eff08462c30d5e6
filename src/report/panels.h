/* The procedure of a ticket as a page of text and as JSON. */
#ifndef REPORT_PANELS_H
#define REPORT_PANELS_H

#include "base/out.h"
#include "panel/guide.h"

void panels_text(struct buf *out, const struct guide *g);
void panels_json(struct out *o, const struct guide *g, const char *tool);
/* 0: all passed or waived; 1: one failed; 5: something is open. */
int panels_status(const struct guide *g);

#endif
