/* For judge.c: values that a call is given and never reads, by a table of operators: what it adds with a factor of
 * zero, what it takes the shape of alone. They may hold anything. Also what a call leaves unwritten and nothing
 * reads. */
#ifndef JUDGE_NEVER_READ_H
#define JUDGE_NEVER_READ_H

#include "dump/dataflow.h"
#include "judge/value_readers.h"

/* Whether neither side's call reads (or writes) the value of its row. `reads`: of the target. */
bool is_never_read(const struct dump *const side[2], const uint32_t row[2], const struct value_readers *reads);

#endif
