/* Verdicts that were given elsewhere: a comparison opened from a result table shows what the tool said,
 * as it said it. Rows of which it said nothing are judged here, by the figures it prints. */
#ifndef JUDGE_TABLE_VERDICTS_H
#define JUDGE_TABLE_VERDICTS_H

#include "judge/verdict.h"
#include "fmt/result_table.h"

/* The pairs of the table two dumps were read from, for pairing_options.given; the caller frees them. */
struct line *table_verdicts_pairs(const struct dump *target, const struct dump *golden, size_t *n);
/* What the table says of a line of the comparison, or NULL: no table, one-sided, or nothing said. */
const struct result_line *table_verdicts_line(const struct measure *m, uint32_t line);
/* A figure of it as printed there; false when there is none. */
bool table_verdicts_figure(const struct measure *m, uint32_t line, enum result_figure which, double *out);
/* Puts its words over our verdicts. For judge_run(). */
void table_verdicts_judge(struct judgement *j, const struct measure *m);
/* The sentence of RULE_TABLE, appended. */
void table_verdicts_explain(const struct measure *m, uint32_t line, struct buf *out);

#endif
