/* A comparison that is open, frozen. */
#ifndef COMPARE_ROUND_FREEZE_H
#define COMPARE_ROUND_FREEZE_H

#include "compare/comparison.h"
#include "ticket/round.h"

/* Rows with their verdicts, sides, counts, first deviation, into a fresh r. j: a judgement of the session's pairing,
 * which stays while this works. Findings, panels and the author are others' to add. */
void round_freeze(struct round *r, const struct comparison *s, const struct judgement *j);
/* One line of it, without names. */
struct round_row round_freeze_line(const struct comparison *s, const struct judgement *j, uint32_t line);
/* Fills in the rows' addresses, which cost more than all the rest: of every row, or (was given) of those it is NONE
 * of. */
void round_freeze_addresses(struct round *r, const struct comparison *s, const uint32_t *was);

#endif
