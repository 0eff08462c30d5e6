/* Freezes an open comparison as a round. */
#ifndef COMPARE_ROUND_FREEZE_H
#define COMPARE_ROUND_FREEZE_H

#include "compare/comparison.h"
#include "ticket/round.h"

/* Copies rows with verdicts, sides, counts and first deviation into an initialised r. j: a judgement of the session's
 * pairing, which must stay meanwhile. The caller adds findings, panels and author. */
void round_freeze(struct round *r, const struct comparison *s, const struct judgement *j);
/* One line, without names. */
struct round_row round_freeze_line(const struct comparison *s, const struct judgement *j, uint32_t line);
/* Fills in the rows' addresses, the most expensive part: of every row, or (`was` given) of those whose entry is NONE.
 */
void round_freeze_addresses(struct round *r, const struct comparison *s, const uint32_t *was);

#endif
