/* Sentences for verdicts: in the detail pane, the JSON's `reason` and the reports. */
#ifndef JUDGE_VERDICT_TEXT_H
#define JUDGE_VERDICT_TEXT_H

#include "judge/call_error.h"
#include "measure/third_run.h"

/* Appends the reason for this line's verdict. */
void explain_verdict(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out);
/* Where to look next at a line at which a deviation starts; of the first deviation alone. */
const char *explain_start(const struct judgement *j, const struct measure *m, uint32_t line);
const char *explain_first(const struct judgement *j, const struct measure *m);
/* Appends "error 1e-6 in, 0.03 out: × 3e4, added here"; nothing if a figure is missing. */
void explain_call_error(const struct call_error *x, struct buf *out);
/* Appends "three-way: 40 rows pass, 2 fail (limit 1.5 × the golden side's distance …), first NAME"; nothing without a
 * reference. */
void explain_three_way(const struct measure *m, const struct third_run_errors *c, struct buf *out);
/* Appends "from the reference: target 0.1, golden 0.001, so the golden side is right", or nothing. */
void explain_reference(const struct third_run_errors *c, const uint32_t row[2], struct buf *out);
const char *first_class_name(enum first_class k);   /* "input-first" …, for files */
const char *first_class_label(enum first_class k);  /* "an input" … in the user's language */
const char *verdict_label(enum verdict v);    /* "match" … in the user's language */
const char *verdict_glyph_of(enum verdict v); /* its sign in tables: "✗" … */
/* The verdict that is shown by this sign or label, in English or in the user's language; -1: none. */
int verdict_shown_as(struct str word);
/* Appends "provisional: 3 doubtful rows, …"; nothing if the first deviation is certain. */
void explain_provisional(const struct judgement *j, struct buf *out);
/* Appends the result of the whole comparison: aligned, deviates, could not be judged. */
void explain_outcome(const struct judgement *j, const struct judge_options *o, struct buf *out);

/* Appends the named factor between the sides, which is no deviation: "gradients × 1024: loss scale"; nothing without
 * one. */
void explain_factor(const struct judgement *j, struct buf *out);
/* Appends the evidence of the pairs, the most frequent first: "figures 180, weight 14, data flow 12". Nothing if all
 * were paired by name, table or person. */
void explain_pairing(const struct judge_summary *s, struct buf *out);
/* Appends "the golden side recorded no optimizer and no weight gradients: 1,161 target rows have no partner to be
 * expected"; one sentence per side, each after `before`. Nothing if both sides recorded the same parts of the step. */
void explain_regions(const struct judge_summary *s, const char *before, struct buf *out);

#endif
