/* The formats there are, and the recordings found below a path. */
#ifndef FMT_FIND_RECORDINGS_H
#define FMT_FIND_RECORDINGS_H

#include "dump/reader.h"

extern const struct reader *const readers[]; /* in sniff order, NULL at the end */

/* All recordings at or below path, sorted by step and rank. 0 with an empty list when there is none. */
int find_recordings(const char *path, place_list *out, struct err *e);
/* The same until *cancel (may be NULL): then -1 with ERR_CANCEL. A tree may be a whole disk. */
int find_recordings_until(const char *path, const atomic_bool *cancel, place_list *out, struct err *e);
/* Whether what lies there holds both sides of a comparison already made. */
bool place_list_holds_table(const char *path);

#endif
