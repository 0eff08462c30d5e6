/* True pairs whose numbers differ although nothing is wrong: what the frameworks record of them is not the same
 * quantity. A table of such known differences; a row that deviates for one of these reasons is set aside with the
 * reason. */
#ifndef JUDGE_FRAMEWORK_DIFFERENCE_H
#define JUDGE_FRAMEWORK_DIFFERENCE_H

#include "dump/dump.h"

/* Why these two rows are not comparable by nature, as a sentence for _(), or NULL. */
const char *framework_difference_of(const struct dump *const side[2], const uint32_t row[2]);

#endif
