/* Both sides of a pack (fmt/pack_read.h): what had been found of them where their tensors were is taken over as it was,
 * pairs, figures and verdicts. Lines that a person pairs otherwise since are judged like any others, by what the pack
 * has. */
#ifndef JUDGE_PACKED_VERDICTS_H
#define JUDGE_PACKED_VERDICTS_H

#include "fmt/pack_read.h"
#include "judge/verdict.h"

/* The pairs of the pack for pairing_options.given, which the caller frees; NULL where it is none. */
struct line *packed_verdicts_pairs(const struct dump *target, const struct dump *golden, size_t *n);
/* What had been said of why they are pairs, and their views. */
void packed_verdicts_tell(struct pairing *p, const struct dump *target, const struct dump *golden);
/* The figures, for lines that nothing was computed of. */
void packed_verdicts_measure(struct measure *m);
/* Verdicts, and what stands before the first deviation. For judge_run(). */
void packed_verdicts_judge(struct judgement *j, const struct measure *m);
void packed_verdicts_first(struct judgement *j, const struct measure *m);
/* What had been found of a line that is a pair, through the view it has now; or NULL. */
const struct packed_line *packed_verdicts_line(const struct measure *m, uint32_t line);

#endif
