/* What a share of a job has to read besides its own ranks. Rank meets rank where both sides are cut alike, whatever the
 * cut is; that is shown by some ranks of both sides, and the order of calls by one rank a pipeline stage. */
#ifndef RANKS_RANK_SHARE_H
#define RANKS_RANK_SHARE_H

#include "ranks/layout.h"

/* Ranks that differ between two layouts of so many ranks, if any rank does: the strides of all layouts. */
void rank_share_witnesses(int ranks, rank_list *out);
/* Whether every rank that was read of both made the same calls with the same shapes in the same groups, and most of its
 * matrices have the other side's figures: then both are cut alike. */
bool rank_share_alike(const struct rank_set set[2]);
/* The lowest rank of the next stage, as rank `at` recorded it, which was read; -1: it sends nothing on. */
int rank_share_next_stage(const struct rank_set *set, int at);
/* A layout that has every rank's stage right, and nothing else: stages of `stride` neighbours. False where the
 * recordings that were read speak against it, or do not tell. */
bool rank_share_layout(struct layout *l, const struct rank_set *set, int ranks, int stride, int stages);

#endif
