/* The comparison of two checkpoints as a section of a document, written by the command's text output, the report and
 * panel 2. */
#ifndef WEIGHTS_WEIGHTS_SECTION_H
#define WEIGHTS_WEIGHTS_SECTION_H

#include "document/document.h"
#include "weights/weight_compare.h"

/* Adds to the current section; the verdict's id is "weights". */
void weights_section(struct document *d, const struct weight_compare *c);
/* Adds a paragraph that describes a checkpoint. */
void weights_side_section(struct document *d, const struct weights *w, bool golden);
size_t weights_equal(const struct weight_compare *c); /* number of equal pairs */

#endif
