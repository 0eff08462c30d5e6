/* What gradient norms of both sides say to people, as a section of a document: the command's text, the report and
 * panel 4 are writers of it. */
#ifndef NORMS_NORMS_SECTION_H
#define NORMS_NORMS_SECTION_H

#include "document/document.h"
#include "norms/norms.h"

/* Adds to the section that was begun: `most` weights, those of largest difference, and every outlier. The verdict is
 * called "local-norm". */
void norms_section(struct document *d, const struct norms *n, size_t most);

#endif
