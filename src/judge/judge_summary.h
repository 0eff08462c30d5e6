/* The summary of all verdicts. */
#ifndef JUDGE_JUDGE_SUMMARY_H
#define JUDGE_JUDGE_SUMMARY_H

#include "judge/verdict.h"

/* Fills j->sum from the lines' verdicts: the number of each, and the share of computing calls that was compared. */
void judge_summary_count(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                         const struct judge_options *o);
/* Finds the first certain deviation, its class, and what makes it provisional. */
void judge_summary_first(struct judgement *j, const struct measure *m);
/* The class of a line at which a deviation starts. */
enum first_class start_class(const struct judgement *j, const struct measure *m, uint32_t line);

#endif
