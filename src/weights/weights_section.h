/* What two checkpoints say to people, as a section of a document: the command's text, the report and panel 2 are
 * writers of it. */
#ifndef WEIGHTS_WEIGHTS_SECTION_H
#define WEIGHTS_WEIGHTS_SECTION_H

#include "document/document.h"
#include "weights/weight_compare.h"

/* Adds to the section that was begun; the verdict is called "weights". */
void weights_section(struct document *d, const struct weight_compare *c);
/* A paragraph: what a checkpoint is. */
void weights_side_section(struct document *d, const struct weights *w, bool golden);
size_t weights_equal(const struct weight_compare *c); /* pairs */

#endif
