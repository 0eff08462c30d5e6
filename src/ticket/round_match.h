/* Which row of an earlier round a row is. */
#ifndef TICKET_ROUND_MATCH_H
#define TICKET_ROUND_MATCH_H

#include "ticket/round.h"

struct round_join {
    uint32_t *was;   /* of each row now: the earlier row, NONE: it was not there */
    bool *again;     /* of each earlier row: some row now is it */
    size_t rows, before; /* how many of each */
    size_t joined;   /* rows now that were there */
    size_t sure;     /* of them, those found by more than the name on one side */
};

/* By the names of both rows; then by the name on a side whose recording is the same as before: call numbers of the
 * other may have shifted. */
void round_join_names(struct round_join *x, const struct round *before, const struct round *now);
/* Rows are left over on both sides: their addresses (round_freeze_addresses) may tell more. */
bool round_join_left(const struct round_join *x);
/* The rest by address, then by the name on one side. What is left over then was not there. */
void round_join_rest(struct round_join *x, const struct round *before, const struct round *now);
void round_join_release(struct round_join *x);

#endif
