/* Which files an investigation may name. One that came from elsewhere names files of whoever opens it; what lies
 * outside of its own folder is read for it only if its user named the file for it on this machine, or confirms it. The
 * file "named-paths" in the user's state folder holds the former: an investigation and a path a line, both resolved. */
#ifndef TICKET_NAMED_PATHS_H
#define TICKET_NAMED_PATHS_H

#include <stdbool.h>

#include "base/str.h"

struct investigation;

/* The user's state folder; NULL: there is none, and nothing is remembered. Called once, before threads start. */
void named_paths_in(const char *state_folder);
/* Remembers that the user named this file for this investigation; `path` as found now. Nothing if either is absent. */
void named_paths_add(const struct investigation *v, const char *path);
/* Whether the file or folder at `path` (located before) may be read for it: in its folder, named, confirmed by
 * v->allow_paths, or the investigation was never a document (no file, or in the state folder). Links are followed. */
bool named_paths_allow(const struct investigation *v, const char *path);

#endif
