/* Verdict rules of other tools, for comparing results with theirs: their thresholds on the same figures. They have no
 * noise level; doc/verdicts.md describes each. */
#ifndef JUDGE_TOOL_RULES_H
#define JUDGE_TOOL_RULES_H

#include "judge/verdict.h"

/* By name: "diverge" (this program's own rule), "msprobe", "msprobe-xlsx", "ptdbg", "table"; -1 for another. */
int tool_rules_find(struct str name);
/* Whether it takes over the verdicts of a result table (table_verdicts.h). */
bool tool_rules_of_table(int preset);
const char *tool_rules_name(int preset); /* NULL after the last */
/* Judges lines with figures again: match, drift (a warning) or deviate. Preset 0 changes nothing. */
void tool_rules_judge(struct judgement *j, const struct measure *m, int preset);

#endif
