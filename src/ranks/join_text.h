/* How a row of the whole was made of its parts, for people. */
#ifndef RANKS_JOIN_TEXT_H
#define RANKS_JOIN_TEXT_H

#include "ranks/joined_dump.h"

/* "0–3, 6": appended. */
void rank_list_text(const rank_list *l, struct buf *out);
/* Why two rows of joined recordings are one: of each side what was joined, and how. Appended. */
void joined_pair_text(const struct dump *const side[2], const uint32_t row[2], struct buf *out);

#endif
