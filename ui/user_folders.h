/* The user's own folders, where the environment says they are. */
#ifndef UI_USER_FOLDERS_H
#define UI_USER_FOLDERS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* $VARIABLE/diverge, or $HOME/otherwise/diverge; false when there is no such place. Nothing is made. */
bool user_folder_of(struct buf *out, const char *variable, const char *otherwise);
/* The same, made where it is not there; -1 with why where it cannot be written. */
int user_folder_made(struct buf *out, const char *variable, const char *otherwise, struct err *e);

#endif
