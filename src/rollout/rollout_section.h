/* The comparison of trainer and rollout as a section of a document: the verdict, the figures, the sequences by
 * difference. */
#ifndef ROLLOUT_ROLLOUT_SECTION_H
#define ROLLOUT_ROLLOUT_SECTION_H

#include "document/document.h"
#include "rollout/rollout.h"

/* Appends to the last section; at most `most` sequences, in the order of r->worst. */
void rollout_section(struct document *d, const struct rollout *r, size_t most);

#endif
