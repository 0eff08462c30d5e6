/* What a replayed optimizer step says to people, as a section of a document: the command's text, the report and panel 5
 * are writers of it. */
#ifndef OPTIMIZER_OPTIMIZER_SECTION_H
#define OPTIMIZER_OPTIMIZER_SECTION_H

#include "document/document.h"
#include "optimizer/optimizer.h"

/* Adds to the section that was begun. Its entries are called "step" (the verdict), "target-replay", "golden-replay". */
void optimizer_section(struct document *d, const struct optimizer *x);

#endif
