/* Both sides of a pack (fmt/pack_read.h): pairs, figures and verdicts computed where the tensors were are taken over.
 * Lines that the user has paired differently since are judged normally, from the data in the pack. */
#ifndef JUDGE_PACKED_VERDICTS_H
#define JUDGE_PACKED_VERDICTS_H

#include "fmt/pack_read.h"
#include "judge/verdict.h"

/* The pairs of the pack for pairing_options.given, which the caller frees; NULL if it is no pack. */
struct line *packed_verdicts_pairs(const struct dump *target, const struct dump *golden, size_t *n);
/* Takes over the pairs' evidence and views. */
void packed_verdicts_tell(struct pairing *p, const struct dump *target, const struct dump *golden);
/* Takes over figures for lines without computed ones. */
void packed_verdicts_measure(struct measure *m);
/* Takes over verdicts and the counts before the first deviation. For judge_run(). */
void packed_verdicts_judge(struct judgement *j, const struct measure *m);
void packed_verdicts_first(struct judgement *j, const struct measure *m);
/* The number of a rule in packs, which does not change with other rules; and how many numbers there are. */
uint32_t packed_rule_number(enum verdict_rule r);
uint32_t packed_rule_numbers(void);
/* The pack's results for a line that is the same pair with the same view; or NULL. */
const struct packed_line *packed_verdicts_line(const struct measure *m, uint32_t line);

#endif
