/* Verdicts from a result table: a comparison opened from it shows the tool's verdicts unchanged. Rows without one are
 * judged here by the printed figures. */
#ifndef JUDGE_TABLE_VERDICTS_H
#define JUDGE_TABLE_VERDICTS_H

#include "judge/verdict.h"
#include "fmt/result_table.h"

/* The pairs of the table two dumps were read from, for pairing_options.given; the caller frees them. */
struct line *table_verdicts_pairs(const struct dump *target, const struct dump *golden, size_t *n);
/* The table line for a line of the comparison, or NULL: no table, one-sided, or without a verdict. */
const struct result_line *table_verdicts_line(const struct measure *m, uint32_t line);
/* A figure as printed in the table; false if there is none. */
bool table_verdicts_figure(const struct measure *m, uint32_t line, enum result_figure which, double *out);
/* Replaces our verdicts by the table's. For judge_run(). */
void table_verdicts_judge(struct judgement *j, const struct measure *m);
/* The sentence of RULE_TABLE, appended. */
void table_verdicts_explain(const struct measure *m, uint32_t line, struct buf *out);

#endif
