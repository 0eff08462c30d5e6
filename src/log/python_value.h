/* Values as Python prints them, written as JSON: tuples, texts in single quotes, tensor(2.5, device='npu:0'),
 * np.float32(2.5), array([2.5, 2.25]), [2.5 2.25], OrderedDict([…]), defaultdict(<class 'list'>, {…}). */
#ifndef LOG_PYTHON_VALUE_H
#define LOG_PYTHON_VALUE_H

#include "base/str.h"

/* Whether a value that is more than a number may begin here: by a bracket or one of the known calls. */
bool python_value_begins(struct str s);
/* Appends the value at the front of *s to `json`; *s is then what follows. What is no number stays as it is written.
 * False, with *s unchanged: it is none, is cut off or shortened by "…" or "...", or too deep. */
bool python_value(struct str *s, struct buf *json);

#endif
