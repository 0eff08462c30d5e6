/* Matches the rows of a comparison with those of an earlier round. */
#ifndef TICKET_ROUND_MATCH_H
#define TICKET_ROUND_MATCH_H

#include "ticket/round.h"

struct round_join {
    uint32_t *was;   /* per current row: the earlier row; NONE: none */
    bool *again;     /* per earlier row: whether it was matched */
    size_t rows, before; /* number of current and of earlier rows */
    size_t joined;   /* number of matched rows */
    size_t sure;     /* those matched by more than the name on one side */
};

/* By the names of both rows; then by the name on a side whose recording is unchanged, because call numbers of the
 * other may have shifted. */
void round_join_names(struct round_join *x, const struct round *before, const struct round *now);
/* Whether unmatched rows remain on both sides, so that addresses (round_freeze_addresses) may help. */
bool round_join_left(const struct round_join *x);
/* Matches the rest by address, then by the name on one side. Rows left over are new. */
void round_join_rest(struct round_join *x, const struct round *before, const struct round *now);
void round_join_release(struct round_join *x);

#endif
