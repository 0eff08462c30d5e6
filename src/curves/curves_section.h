/* The comparison of training curves as sections of a document, written by the command's text output, the report and
 * panels 3, 6 and 7. */
#ifndef CURVES_CURVES_SECTION_H
#define CURVES_CURVES_SECTION_H

#include "curves/curves.h"
#include "document/document.h"

/* Adds to the current section: the standard's limits as rows with the ids "first-loss", "mean-loss", "global-norm",
 * "steps"; items with the ids "divergence", "apart", "factor", "shift", "auxiliary", "length" and "learning-rate". */
void curves_section(struct document *d, const struct curves *c);
/* The loss of the first step that both print, as an item with the id "first-loss". */
void curves_first_section(struct document *d, const struct curves *c);

#endif
