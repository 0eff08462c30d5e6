/* Comparisons opened from another tool's result table: its pairs, and its figures, which are judged by our own rules.
 * The tool's verdict is shown beside ours; it is taken over with --preset table, for tests of single operators, and
 * where the table has no figures. */
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
/* The relative distance of the two tensors by the figures of the pair; NaN if the table has none. *exact: it is rel L2,
 * not an estimate from cosine or the largest error. */
double table_verdicts_error(const struct measure *m, uint32_t line, bool *exact);
/* Takes over the table's verdicts where they count. For judge_run(). */
void table_verdicts_judge(struct judgement *j, const struct measure *m);
/* The tool's verdict, its figures and its sentence, appended. */
void table_verdicts_explain(const struct measure *m, uint32_t line, struct buf *out);

#endif
