/* Shell completion for diverge, generated from the program's own tables. */
#ifndef UI_COMPLETION_H
#define UI_COMPLETION_H

#include "base/err.h"
#include "base/str.h"

/* The script for bash, zsh or fish. 0, or -1 with a message for another name. */
int completion_write(const char *shell, struct buf *out, struct err *e);

#endif
