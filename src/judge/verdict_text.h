/* Verdicts in sentences, for the detail pane, the JSON's `reason` and the reports. */
#ifndef JUDGE_VERDICT_TEXT_H
#define JUDGE_VERDICT_TEXT_H

#include "judge/suspects.h"
#include "measure/third_run.h"

/* Why this line has its verdict. Appends to out. */
void explain_verdict(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out);
/* What kind of first deviation it is and where to look next. */
const char *explain_first(const struct judgement *j, const struct measure *m);
/* "error 1e-6 in, 0.03 out: × 3e4, added here", or nothing where a figure is missing. Appends. */
void explain_call_error(const struct call_error *x, struct buf *out);
/* "from the reference: target 0.1, golden 0.001, so the golden side is right", or nothing. Appends. */
/* "three-way: 40 rows pass, 2 fail (limit 1.5 × the golden side's distance …), first NAME"; nothing without a
 * reference. Appends. */
void explain_three_way(const struct measure *m, const struct third_run_errors *c, struct buf *out);
void explain_reference(const struct third_run_errors *c, const uint32_t row[2], struct buf *out);
const char *entry_point_label(enum entry_point_kind k);  /* "an output of it" … in the user's language */
const char *first_class_name(enum first_class k);   /* "input-first" …, for files */
const char *first_class_label(enum first_class k);  /* the same in the user's language */
const char *verdict_label(enum verdict v);    /* "match" … likewise */
/* "provisional: 3 doubtful rows, …" or nothing when nothing qualifies the first deviation. */
void explain_provisional(const struct judgement *j, struct buf *out);
/* The last word on a whole comparison: aligned, deviates, could not be judged. */
void explain_outcome(const struct judgement *j, const struct judge_options *o, struct buf *out);

/* "figures 180, weight 14, data flow 12": what the pairs rest on, the most frequent first. Nothing where names alone, a
 * table or a person paired them. */
void explain_pairing(const struct judge_summary *s, struct buf *out);
/* "the golden side recorded no optimizer and no weight gradients: 1,161 target rows have no partner to be expected"; a
 * sentence a side, with `before` in front of each. Nothing where both sides recorded the same parts of the step. */
void explain_regions(const struct judge_summary *s, const char *before, struct buf *out);

#endif
