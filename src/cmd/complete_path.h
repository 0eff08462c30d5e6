/* Completion of path arguments. */
#ifndef CMD_COMPLETE_PATH_H
#define CMD_COMPLETE_PATH_H

#include "base/io.h"

/* Adds the paths that begin with the stem to out, folders with a '/' at the end; hidden entries only if the stem
 * begins with a dot. None if the folder cannot be read. */
void complete_path(struct str stem, name_list *out);

#endif
