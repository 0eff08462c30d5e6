/* Whether a recording was taken while a value was replaced by hand: intervention.json in its folder or one above, which
 * the hooks of the recipes intervene-* write. Such a recording tests a hypothesis and is no fix. */
#ifndef DUMP_INTERVENTION_H
#define DUMP_INTERVENTION_H

#include "base/arena.h"

/* The name of the row that was replaced, in a, or NULL: none was. `path` is the recording's file or folder. */
const char *intervention_of(const char *path, struct arena *a);

#endif
