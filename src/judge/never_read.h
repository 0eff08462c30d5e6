/* For judge.c: arguments that a call does not read, by a table of operators: terms with a factor of zero, tensors
 * used only for their shape. They may hold anything. Also outputs that a call leaves unwritten and nothing reads. */
#ifndef JUDGE_NEVER_READ_H
#define JUDGE_NEVER_READ_H

#include "dump/dataflow.h"
#include "judge/value_readers.h"

/* Whether the calls of both sides do not read (or write) the value of this row. `reads`: of the target. */
bool is_never_read(const struct dump *const side[2], const uint32_t row[2], const struct value_readers *reads);

#endif
