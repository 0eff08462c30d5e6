/* The comparison of gradient norms as a section of a document, written by the command's text output, the report and
 * panel 4. */
#ifndef NORMS_NORMS_SECTION_H
#define NORMS_NORMS_SECTION_H

#include "document/document.h"
#include "norms/norms.h"

/* Adds to the current section the `most` weights with the largest differences, and every outlier. The verdict's id is
 * "local-norm". */
void norms_section(struct document *d, const struct norms *n, size_t most);

#endif
