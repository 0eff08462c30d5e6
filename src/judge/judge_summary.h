/* For judge.c: what all verdicts together come to. */
#ifndef JUDGE_JUDGE_SUMMARY_H
#define JUDGE_JUDGE_SUMMARY_H

#include "judge/verdict.h"

/* Fills j->sum from the lines' verdicts: how many of each, and the share of computing calls that was compared. */
void judge_summary_count(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                         const struct judge_options *o);
/* The first deviation that is sure, its class, and what before it makes it provisional. */
void judge_summary_first(struct judgement *j, const struct measure *m);

#endif
