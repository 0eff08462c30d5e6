/* A replayed optimizer step as a section of a document, written by the command's text output, the report and panel 5.
 */
#ifndef OPTIMIZER_OPTIMIZER_SECTION_H
#define OPTIMIZER_OPTIMIZER_SECTION_H

#include "document/document.h"
#include "optimizer/optimizer.h"

/* Adds to the current section. Its entries have the ids "step" (the verdict), "target-replay", "golden-replay". */
void optimizer_section(struct document *d, const struct optimizer *x);

#endif
