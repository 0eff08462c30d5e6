/* Correct pairs whose numbers differ although nothing is wrong, because the frameworks record different quantities. A
 * table of such known differences; a row that deviates for one of these reasons is set aside with the reason. */
#ifndef JUDGE_FRAMEWORK_DIFFERENCE_H
#define JUDGE_FRAMEWORK_DIFFERENCE_H

#include "dump/dump.h"

/* The reason why these two rows are not comparable, as a sentence for _(), or NULL. */
const char *framework_difference_of(const struct dump *const side[2], const uint32_t row[2]);

#endif
