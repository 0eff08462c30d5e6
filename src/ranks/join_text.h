/* Sentences about how a joined row was made from its parts. */
#ifndef RANKS_JOIN_TEXT_H
#define RANKS_JOIN_TEXT_H

#include "ranks/joined_dump.h"

/* Appends "0–3, 6". */
void rank_list_text(const rank_list *l, struct buf *out);
/* Appends why two rows of joined recordings correspond: for each side which parts were joined and how. */
void joined_pair_text(const struct dump *const side[2], const uint32_t row[2], struct buf *out);

#endif
