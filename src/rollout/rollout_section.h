/* What is said of trainer and rollout: the verdict, the figures, the sequences by their difference. */
#ifndef ROLLOUT_ROLLOUT_SECTION_H
#define ROLLOUT_ROLLOUT_SECTION_H

#include "document/document.h"
#include "rollout/rollout.h"

/* Appends to the last section; at most `most` sequences, worst first, in r->worst's order. */
void rollout_section(struct document *d, const struct rollout *r, size_t most);

#endif
