/* Completion of the paths commands take. */
#ifndef CMD_COMPLETE_PATH_H
#define CMD_COMPLETE_PATH_H

#include "base/io.h"

/* The paths that begin as the stem does, folders with a '/' behind them, added to out; hidden entries only where the
 * stem asks for them. None where the folder cannot be read. */
void complete_path(struct str stem, name_list *out);

#endif
