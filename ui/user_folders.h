/* The user's own folders, from the environment. */
#ifndef UI_USER_FOLDERS_H
#define UI_USER_FOLDERS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* $VARIABLE/diverge, or $HOME/otherwise/diverge; false if neither is set. Creates nothing. */
bool user_folder_of(struct buf *out, const char *variable, const char *otherwise);
/* The same, created if missing; -1 with e if it cannot be written. */
int user_folder_made(struct buf *out, const char *variable, const char *otherwise, struct err *e);

#endif
