/* What every list of starts says of one: a sentence, the place in the model's code, what to do. */
#ifndef COMPARE_START_TEXT_H
#define COMPARE_START_TEXT_H

#include "compare/comparison.h"
#include "diagnose/diagnose.h"

/* The frame of the model's code that made the line's call, the target's if it recorded stacks; NULL: none recorded. */
const struct frame *start_place(const struct measure *m, uint32_t line);
/* Appends "file.py:63" of it; false if there is none. */
bool start_place_text(const struct measure *m, uint32_t line, struct buf *out);
/* Appends the best diagnosis in short, else which side is wrong, else the verdict; without a full stop. `d`: the
 * line's diagnoses, NULL if not known. */
void start_sentence(const struct comparison *c, uint32_t line, const struct diagnoses *d, struct buf *out);
/* What to do about it: the most specific advice. */
const char *start_action(const struct comparison *c, uint32_t line, const struct diagnoses *d);
/* Appends "12 places, 296 rows inherit". */
void start_extent(const struct start_group *g, struct buf *out);

#endif
