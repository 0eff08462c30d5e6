/* The sentence of each rule of the judge. */
#ifndef JUDGE_RULE_TEXT_H
#define JUDGE_RULE_TEXT_H

#include "judge/verdict.h"

/* Appends what the rule that gave a line's verdict says of it. */
void rule_text(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out);
bool line_is_backward(const struct measure *m, uint32_t line);
/* Whether the target's row is an input of the step that holds samples. */
bool line_is_of_samples(const struct measure *m, uint32_t line);
/* The types of both rows, by name; "None" of what was recorded as None. */
void line_dtypes(const struct measure *m, const struct line *l, const char *name[2]);

#endif
