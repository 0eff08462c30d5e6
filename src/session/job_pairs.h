/* Comparing the pairs of a step, for job_compare.c. */
#ifndef SESSION_JOB_PAIRS_H
#define SESSION_JOB_PAIRS_H

#include "session/job_compare.h"

/* Around a change of shared data: takes the lock; releases it and notifies. */
void job_change(struct job_compare *k);
void job_changed(struct job_compare *k);
bool job_cancelled(struct job_compare *k, struct err *e); /* sets e if cancelled */
/* A share has every pair of a step whose number and the step's number (job_compare.turn) together modulo workers are
 * the worker. number: of the pair in its step; a joined step is one. */
bool job_of_another(struct job_compare *k, int step, int rank, size_t number);
/* Reads what a share needs of a step into j, with layouts that serve it; false: all is to be read, j is as it was. */
bool job_share_load(struct job_compare *k, int step, struct joined_job *j);
void job_share_leave_others(struct job_compare *k, const struct joined_job *j); /* ranks that were not read */
void job_leave(struct job_compare *k, int step, int rank); /* records that it does */
static inline struct place job_place(int step, int rank)
{
    return (struct place){.step = step, .rank = rank};
}

/* Runs one comparison whose place in the result is reserved. Ranks -1: joined sides. */
int job_compare_places(struct job_compare *k, struct found_trees *found, const struct twin *x, struct err *e);
/* The same; what cannot be read, or is too large beside the comparisons before it, is noted and not an error. */
int job_compare_twin(struct job_compare *k, const struct twin *x, bool first, struct err *e);
/* Compares each rank with its counterpart; in live mode those whose recorded figures differ earliest come first. */
int job_compare_ranks(struct job_compare *k, struct joined_job *j, struct err *e);
/* by_rank (job_twins.c): which recordings are compared, and comparing them. */
void job_twins_find(struct job_compare *k);
int job_compare_twins(struct job_compare *k, struct err *e);
/* For steps with ranks that are missing or partly unreadable: nothing is joined and missing rows mean nothing; ranks
 * are compared one by one if both jobs have the same layout, otherwise not at all. */
int job_compare_what_is_there(struct job_compare *k, struct joined_job *j, struct err *e);

#endif
