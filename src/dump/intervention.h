/* Whether a value was replaced by hand while a recording was made: intervention.json in its folder or one above,
 * written by the hooks of the recipes intervene-*. Such a recording tests a hypothesis; it does not contain a fix. */
#ifndef DUMP_INTERVENTION_H
#define DUMP_INTERVENTION_H

#include "base/arena.h"

/* The name of the replaced row, in a; NULL: none was replaced. `path` is the recording's file or folder. */
const char *intervention_of(const char *path, struct arena *a);

#endif
