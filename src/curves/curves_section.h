/* What two or more training curves say to people, as sections of a document: the command's text, the report and panels
 * 3, 6 and 7 are writers of them. */
#ifndef CURVES_CURVES_SECTION_H
#define CURVES_CURVES_SECTION_H

#include "curves/curves.h"
#include "document/document.h"

/* Add to the section that was begun. Against the standard: its points are rows called "first-loss", "mean-loss",
 * "global-norm", "steps"; items are called "divergence" and "learning-rate". */
void curves_section(struct document *d, const struct curves *c);
/* The loss of the first step both print: an item called "first-loss". */
void curves_first_section(struct document *d, const struct curves *c);

#endif
