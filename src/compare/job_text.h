/* Sentences about a job of several ranks, for the screen, the report and the command line. All append. */
#ifndef COMPARE_JOB_TEXT_H
#define COMPARE_JOB_TEXT_H

#include "compare/job_strip.h"

/* "8 ranks: tp 2 · dp 2 · pp 2, order tp-dp-pp; from recorded groups; 540 of 542 joined rows fit; open: dp" */
void job_layout_text(const struct joined_job *j, int side, struct buf *out);
/* The same of a layout; matters: what is undecided has a part in the result. */
void job_layout_words(const struct layout *l, size_t ranks, bool matters, struct buf *out);
/* Appends what speaks against a layout, with the first row that shows it; false: nothing. which: 0 the values, 1 the
 * shapes. */
#define JOB_LAYOUT_DOUBTS 2
bool job_layout_doubt(const struct layout *l, const char *path, int which, struct buf *out);
/* "MISSING: target ranks 2, 3": ranks that the layout or a group names and the recording lacks. */
void job_missing_text(const struct job_result *r, struct buf *out);
/* What the verdict does not cover: ranks that could not be read, are missing, or are on one side only. Nothing if
 * there are none. */
void job_unseen_text(const struct job_result *r, struct buf *out);
/* The overall verdict: the first deviation, or that nothing deviates. settled: everything has been compared. */
void job_outcome_text(const struct job_result *r, bool settled, struct buf *out);
/* Where it begins, at this call. steps: there are several. */
void job_first_words(const struct job_first *f, bool steps, bool settled, const char *call, struct buf *out);
/* The name of a line's row on the rank to look at. */
void job_row_name(const struct job_result *r, size_t pair, uint32_t line, struct buf *out);

/* The overview as lines: at most `width` characters and `lines` lines per step, neighbours sharing a cell; then a
 * legend. */
void job_strip_text(const struct job_strip *s, size_t width, size_t lines, struct buf *out);

#endif
